#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "inference/export/torchscript_file.h"
#include "inference/trained_model.h"

namespace zoo {

/// A public method of an export and what the model itself answers to the same arguments.
struct ExportedMethod {
  std::string name;
  std::vector<std::string> arguments;  ///< tensors; named as Inputs names them, or memory
  std::function<torch::Tensor(const std::vector<torch::Tensor>&)> answer;
};

/// What an architecture's export offers: forward, of all that read tokens represent, of
/// encoder-decoders encode and decode_step. Images are given as 0 to 255.
std::vector<ExportedMethod> exported_methods(const TrainedModel& trained);

/// What the methods that turn text into tokens and back are called, where there are any: encode and
/// decode; of an encoder-decoder, whose encode and decode_step are about tensors, encode_text and
/// decode_text.
struct TextMethods {
  const char* encode;
  const char* decode;
};
TextMethods text_methods_of(const TrainedModel& trained);

/// Sizes of a call: rows, tokens of each, and tokens of each source.
struct CallSizes {
  std::int64_t B = 1, T = 1, S = 1;
};

/// Random arguments of a method, rows of different lengths; the same for the same seed. T and S are
/// cut to what the model reads.
std::vector<torch::Tensor> random_arguments(const TrainedModel& trained,
                                            const ExportedMethod& method, CallSizes sizes,
                                            std::uint64_t seed);

/// The program of an export: its methods, traced, and around them in TorchScript what a user calls;
/// of language models and encoder-decoders also generate, of characters encode and decode.
ScriptedProgram scripted_program(const TrainedModel& trained);

}  // namespace zoo
