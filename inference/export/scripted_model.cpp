#include "inference/export/scripted_model.h"

#include <utility>
#include <vector>

#include <torch/types.h>

#include "core/errors.h"

namespace zoo {
namespace {

class ScriptedModel : public Model {
 public:
  ScriptedModel(std::shared_ptr<TorchscriptFile> file, bool fixed_length)
      : file_(std::move(file)), fixed_length_(fixed_length) {
    // Says where the program's own tensors lie.
    register_buffer("device", torch::empty({0}, file_->device()));
  }

  torch::Tensor forward(const Inputs& inputs) override {
    if (inputs.images.defined()) return file_->call("forward", {inputs.images}).toTensor();
    if (inputs.source.defined()) {
      return file_->call("forward", {inputs.source, inputs.tokens, inputs.source_lengths})
          .toTensor();
    }
    require<std::logic_error>(inputs.left_padded == fixed_length_ || !inputs.lengths.defined(),
                              "an export reads rows that are padded on the other side");
    std::vector<at::IValue> arguments = {inputs.tokens, inputs.lengths};
    if (inputs.segments.defined()) arguments.emplace_back(inputs.segments);
    return file_->call("forward", std::move(arguments)).toTensor();
  }

 protected:
  std::shared_ptr<TorchscriptFile> file_;

 private:
  bool fixed_length_;
};

/// The memory of a source, and the target so far.
class ScriptedDecoding : public Decoding {
 public:
  ScriptedDecoding(TorchscriptFile& file, const Inputs& inputs)
      : file_(file), lengths_(inputs.source_lengths) {
    memory_ = file.call("encode", {inputs.source, inputs.source_lengths}).toTensor();
  }

  torch::Tensor step(const torch::Tensor& tokens) override {
    const auto column = tokens.unsqueeze(1);
    tokens_ = tokens_.defined() ? torch::cat({tokens_, column}, 1) : column;  // [B, T]
    return file_.call("decode_step", {tokens_, memory_, lengths_}).toTensor();
  }

  void select_rows(const torch::Tensor& rows) override {
    for (auto* part : {&tokens_, &memory_, &lengths_}) {
      if (part->defined()) *part = part->index_select(0, rows);
    }
  }

 private:
  TorchscriptFile& file_;
  torch::Tensor lengths_;
  torch::Tensor memory_;
  torch::Tensor tokens_;
};

class ScriptedTranslator : public ScriptedModel, public Decoder {
 public:
  using ScriptedModel::ScriptedModel;

  std::unique_ptr<Decoding> start(const Inputs& inputs, FullBlock /*full_block*/) override {
    return std::make_unique<ScriptedDecoding>(*file_, inputs);
  }
};

}  // namespace

std::shared_ptr<Model> scripted_model(std::shared_ptr<TorchscriptFile> file,
                                      const Architecture& architecture) {
  if (architecture.reads_source) {
    return std::make_shared<ScriptedTranslator>(std::move(file), architecture.fixed_length);
  }
  return std::make_shared<ScriptedModel>(std::move(file), architecture.fixed_length);
}

}  // namespace zoo
