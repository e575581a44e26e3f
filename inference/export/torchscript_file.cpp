#include "inference/export/torchscript_file.h"

#include <sstream>
#include <unordered_set>

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/passes/canonicalize.h>
#include <torch/csrc/jit/passes/shape_analysis.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "core/mapped_file.h"
#include "core/zip.h"

namespace zoo {
namespace {

namespace jit = torch::jit;

/// Numbers in a tensor that a graph may hold as a constant.
constexpr std::int64_t kMostConstants = 64;

/// The module's tensors and children as a TorchScript module, so that a trace knows them by name.
jit::Module mirrored(const torch::nn::Module& module, const std::string& name,
                     const std::shared_ptr<jit::CompilationUnit>& unit,
                     std::unordered_set<const c10::TensorImpl*>& seen) {
  jit::Module mirror(c10::QualifiedName("__torch__.zoo." + name), unit, /*shouldMangle=*/true);
  mirror.register_attribute("training", c10::BoolType::get(), false);
  for (const auto& item : module.named_parameters(/*recurse=*/false)) {
    if (!seen.insert(item.value().unsafeGetTensorImpl()).second) continue;
    mirror.register_parameter(item.key(), item.value(), /*is_buffer=*/false);
  }
  for (const auto& item : module.named_buffers(/*recurse=*/false)) {
    if (!seen.insert(item.value().unsafeGetTensorImpl()).second) continue;
    mirror.register_buffer(item.key(), item.value());
  }
  for (const auto& child : module.named_children()) {
    mirror.register_module(child.key(),
                           mirrored(*child.value(), name + "_" + child.key(), unit, seen));
  }
  return mirror;
}

std::shared_ptr<jit::Graph> traced(const TracedMethod& method,
                                   const std::vector<torch::Tensor>& example, jit::Module& self) {
  const auto answer = [&](jit::Stack stack) -> jit::Stack {
    std::vector<torch::Tensor> arguments;
    for (const auto& value : stack) arguments.push_back(value.toTensor());
    return {method.answer(arguments)};
  };
  const auto state = jit::tracer::trace(
      jit::Stack(example.begin(), example.end()), answer,
      [](const torch::autograd::Variable&) { return ""; }, /*strict=*/true,
      /*force_outplace=*/false, &self, method.arguments);
  return state.first->graph;
}

void refuse_large_constants(const std::string& method, jit::Block* block) {
  for (auto* node : block->nodes()) {
    for (auto* inner : node->blocks()) refuse_large_constants(method, inner);
    if (node->kind() != c10::prim::Constant || !node->hasAttribute(c10::attr::value)) continue;
    if (node->kindOf(c10::attr::value) != jit::AttributeKind::t) continue;
    const auto& tensor = node->t(c10::attr::value);
    require<std::logic_error>(tensor.numel() <= kMostConstants, "export: ", method, " holds ",
                              tensor.numel(), " numbers as a constant; they must be a buffer");
  }
}

/// The graph without what may differ between two traces: shapes and the numbers of its values.
std::string canonical(const std::shared_ptr<jit::Graph>& graph) {
  const auto copy = graph->copy();
  jit::EraseShapeInformation(copy);
  return jit::Canonicalize(copy, /*keep_unique_names=*/false)
      ->toString(/*print_source_locations=*/false);
}

void add_method(const TracedMethod& method, jit::Module& self) {
  const auto graph = traced(method, method.examples.front(), self);
  refuse_large_constants(method.name, graph->block());
  for (const auto& example : method.examples) {
    require<std::logic_error>(canonical(graph) == canonical(traced(method, example, self)),
                              "export: ", method.name,
                              " was traced differently for inputs of other sizes: it bakes one");
  }
  auto* function = self._ivalue()->compilation_unit()->create_function(
      c10::QualifiedName(*self.type()->name(), method.name), graph);
  self.type()->addMethod(function);
}

void add_attributes(const ScriptedProgram& program, jit::Module& self) {
  const auto text = c10::StringType::get();
  const auto number = c10::IntType::get();
  for (const auto& [name, value] : program.numbers) self.register_attribute(name, number, value);
  for (const auto& [name, values] : program.lists) {
    self.register_attribute(name, c10::ListType::create(text), c10::List<std::string>(values));
  }
  for (const auto& [name, entries] : program.tables) {
    c10::Dict<std::string, std::int64_t> table;
    for (const auto& [key, value] : entries) table.insert(key, value);
    self.register_attribute(name, c10::DictType::create(text, number), table);
  }
}

/// The part of LibTorch's message that a person can use: its first line.
std::string first_line(const c10::Error& error) {
  const std::string message = error.what_without_backtrace();
  return message.substr(0, message.find('\n'));
}

}  // namespace

std::string torchscript_archive(const torch::nn::Module& module, const ScriptedProgram& program) {
  const torch::NoGradGuard no_grad;
  std::unordered_set<const c10::TensorImpl*> seen;
  auto self = mirrored(module, program.name, std::make_shared<jit::CompilationUnit>(), seen);
  add_attributes(program, self);
  for (const auto& method : program.traced) add_method(method, self);
  self.define(program.source);
  std::ostringstream bytes;
  self.save(bytes, {program.files.begin(), program.files.end()});
  return bytes.str();
}

struct TorchscriptFile::Program {
  jit::Module module;
};

TorchscriptFile::TorchscriptFile(const std::filesystem::path& path,
                                 const std::vector<std::string>& file_names, torch::Device device)
    : path_(path), device_(device) {
  require<UserError>(std::filesystem::is_regular_file(path), path.string(), ": no such file");
  // LibTorch's reader leaves the checksums unchecked, and may come to harm over broken code.
  check_zip(MappedFile(path).bytes(), path.string());
  jit::ExtraFilesMap extra;
  for (const auto& name : file_names) extra[name] = "";
  try {
    program_.reset(new Program{jit::load(path.string(), device, extra)});
  } catch (const c10::Error& error) {
    throw UserError(text_of(path.string(), ": cannot be loaded as TorchScript: ", first_line(error),
                            "; export the run again"));
  }
  program_->module.eval();
  for (auto& [name, bytes] : extra) {
    if (!bytes.empty()) files_[name] = std::move(bytes);
  }
}

TorchscriptFile::~TorchscriptFile() = default;

std::map<std::string, torch::Tensor> TorchscriptFile::parameters() const {
  std::map<std::string, torch::Tensor> parameters;
  for (const auto& item : program_->module.named_parameters()) parameters[item.name] = item.value;
  return parameters;
}

bool TorchscriptFile::has(const std::string& method) const {
  return program_->module.find_method(method).has_value();
}

at::IValue TorchscriptFile::call(const std::string& method, std::vector<at::IValue> arguments) {
  const auto function = program_->module.find_method(method);
  require<UserError>(function.has_value(), path_.string(), ": has no method ", method);
  for (auto& argument : arguments) {
    if (argument.isTensor() && !argument.toTensor().defined()) argument = at::IValue();
  }
  return (*function)(std::move(arguments));
}

}  // namespace zoo
