#include "training/tensor_file.h"

#include <unordered_map>

#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "core/plain_text.h"
#include "core/safetensors.h"

namespace zoo {
namespace {

struct DtypeName {
  torch::ScalarType type;
  const char* name;
};

constexpr DtypeName kDtypes[] = {
    {torch::kBool, "BOOL"},   {torch::kUInt8, "U8"},      {torch::kInt8, "I8"},
    {torch::kInt16, "I16"},   {torch::kInt32, "I32"},     {torch::kInt64, "I64"},
    {torch::kFloat16, "F16"}, {torch::kBFloat16, "BF16"}, {torch::kFloat32, "F32"},
    {torch::kFloat64, "F64"},
};

std::string name_of_dtype(torch::ScalarType type) {
  for (const auto& row : kDtypes) {
    if (row.type == type) return row.name;
  }
  throw std::logic_error("a tensor has a type that safetensors files do not hold");
}

std::string shown(const std::string& dtype, torch::IntArrayRef shape) {
  return text_of(dtype, " ", shape);
}

/// The bytes of an entry as a tensor of its own shape.
torch::Tensor tensor_of(const TensorEntry& entry, torch::ScalarType type) {
  // from_blob reads through the pointer alone.
  auto* data = const_cast<char*>(entry.bytes.data());
  return torch::from_blob(data, entry.shape, type);
}

void copy_into(torch::Tensor tensor, const TensorEntry& entry, const std::string& source,
               bool resizable) {
  const auto dtype = name_of_dtype(tensor.scalar_type());
  const bool fits = entry.dtype == dtype && (resizable || tensor.sizes() == entry.shape);
  require<UserError>(fits, source, ": tensor ", entry.name, " is ", shown(entry.dtype, entry.shape),
                     ", the model needs ", shown(dtype, tensor.sizes()),
                     "; the config does not belong to this file");
  const auto read = tensor_of(entry, tensor.scalar_type());
  if (tensor.sizes() != entry.shape) {
    tensor.set_data(read.clone().to(tensor.device()));
  } else {
    tensor.copy_(read);
  }
}

}  // namespace

std::string tensors_to_bytes(const NamedTensors& tensors) {
  std::vector<TensorEntry> entries;
  NamedTensors kept;  // entries point into these
  for (const auto& [name, tensor] : tensors) {
    const auto& copy = kept.emplace_back(name, tensor.detach().cpu().contiguous()).second;
    entries.push_back({name,
                       name_of_dtype(copy.scalar_type()),
                       copy.sizes().vec(),
                       {static_cast<const char*>(copy.const_data_ptr()), copy.nbytes()}});
  }
  return write_safetensors(std::move(entries), {{"format", "pt"}});
}

void bytes_into_tensors(std::string_view bytes, const std::string& source,
                        const NamedTensors& tensors, bool resizable) {
  const torch::NoGradGuard no_grad;
  const auto file = parse_safetensors(bytes, source);
  std::unordered_map<std::string, const TensorEntry*> entries;
  for (const auto& entry : file.tensors) entries[entry.name] = &entry;
  for (const auto& [name, tensor] : tensors) {
    const auto found = entries.find(name);
    require<UserError>(found != entries.end(), source, ": tensor ", name, " is missing");
    copy_into(tensor, *found->second, source, resizable);
    entries.erase(found);
  }
  require<UserError>(entries.empty(), source, ": holds a tensor that the model does not have: ",
                     entries.empty() ? "" : shown_text(entries.begin()->first));
}

TensorMatch matching_into_tensors(std::string_view bytes, const std::string& source,
                                  const NamedTensors& tensors, const ResizeTensor& resize) {
  const torch::NoGradGuard no_grad;
  const auto file = parse_safetensors(bytes, source);
  std::unordered_map<std::string, torch::Tensor> by_name(tensors.begin(), tensors.end());
  TensorMatch match;
  NamedTensors values;  // what becomes of each loaded one
  std::vector<std::string> differences;
  for (const auto& entry : file.tensors) {
    const auto found = by_name.find(entry.name);
    if (found == by_name.end()) {
      match.left_out.push_back(entry.name);
      continue;
    }
    const auto& tensor = found->second;
    const auto dtype = name_of_dtype(tensor.scalar_type());
    auto value = entry.dtype == dtype ? tensor_of(entry, tensor.scalar_type()) : torch::Tensor();
    if (value.defined() && value.sizes() != tensor.sizes()) {
      value = resize ? resize(entry.name, value) : torch::Tensor();
      match.resized.push_back(entry.name);
    }
    if (!value.defined() || value.sizes() != tensor.sizes()) {
      differences.push_back(text_of(shown_text(entry.name), " is ", shown(entry.dtype, entry.shape),
                                    " there and ", shown(dtype, tensor.sizes()), " here"));
    }
    match.loaded.push_back(entry.name);
    values.emplace_back(entry.name, value);
  }
  require<UserError>(differences.empty(), source, ": does not fit: ", join(differences, "; "));
  for (const auto& [name, value] : values) {
    by_name.at(name).copy_(value);
    by_name.erase(name);
  }
  for (const auto& [name, tensor] : tensors) {
    if (by_name.contains(name)) match.fresh.push_back(name);
  }
  return match;
}

NamedTensors model_state(const Model& model) {
  auto tensors = unique_parameters(model);
  for (const auto& item : model.named_buffers()) tensors.emplace_back(item.key(), item.value());
  return tensors;
}

}  // namespace zoo
