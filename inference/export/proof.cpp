#include "inference/export/proof.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>

#include <torch/types.h>
#include <torch/utils.h>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "models/blocks/kernel_functions.h"

namespace zoo {
namespace {

/// No two share a number of rows, and none has that of a trace.
constexpr std::array<CallSizes, 7> kSizes = {
    {{1, 256, 256}, {2, 1, 1}, {4, 3, 9}, {7, 11, 4}, {8, 5, 8}, {16, 256, 17}, {32, 2, 12}}};
constexpr int kTimedCalls = 3;

/// Largest difference of two answers; equal infinities, of impossible tokens, do not differ.
double difference_of(const torch::Tensor& a, const torch::Tensor& b) {
  if (a.sizes() != b.sizes()) return std::numeric_limits<double>::infinity();
  const auto difference = torch::where(a.eq(b), 0.0, (a - b).abs().to(torch::kDouble));
  const auto most = difference.max().item<double>();
  return std::isnan(most) ? std::numeric_limits<double>::infinity() : most;
}

/// The fastest of a few calls, in milliseconds; `result` is what the last one gave.
template <class Function>
double timed(Function&& call, torch::Tensor& result) {
  auto fastest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTimedCalls; ++i) {
    const auto start = std::chrono::steady_clock::now();
    result = call().cpu();
    const auto passed = std::chrono::steady_clock::now() - start;
    fastest = std::min(fastest, std::chrono::duration<double, std::milli>(passed).count());
  }
  return fastest;
}

ProofCase compared(const TrainedModel& trained, const ExportedMethod& method, CallSizes sizes,
                   TorchscriptFile& file) {
  const auto arguments =
      random_arguments(trained, method, sizes, /*seed=*/static_cast<std::uint64_t>(sizes.B));
  ProofCase result;
  result.method = method.name;
  for (const auto& argument : arguments) result.shapes.push_back(argument.sizes().vec());
  torch::Tensor of_export, of_model;
  result.export_milliseconds =
      timed([&] { return file.call(method.name, {arguments.begin(), arguments.end()}).toTensor(); },
            of_export);
  result.model_milliseconds = timed([&] { return method.answer(arguments); }, of_model);
  result.kernel_difference = difference_of(of_export, of_model);
  const PlainOperators plain_operators;
  result.difference = difference_of(of_export, method.answer(arguments).cpu());
  return result;
}

double largest_of(const std::vector<ProofCase>& cases, double ProofCase::*difference) {
  double most = 0.0;
  for (const auto& one : cases) most = std::max(most, one.*difference);
  return most;
}

/// Every token of the vocabulary through the export's encode and decode, where it has them.
void prove_characters(const TrainedModel& trained, TorchscriptFile& file) {
  const auto [encode, decode] = text_methods_of(trained);
  if (!file.has(decode)) return;
  std::string text;
  const auto& reader = trained.vocabulary.source();
  for (std::int64_t id = 0; id < reader.vocab_size(); ++id) text += reader.token(id);
  const auto ids = file.call(encode, {text}).toIntVector();
  require<UserError>(ids == reader.encode(text), "export: ", encode,
                     " differs from the run's tokenizer");
  std::vector<std::int64_t> all;
  const auto& writer = trained.vocabulary.target();
  for (std::int64_t id = 0; id < writer.vocab_size(); ++id) all.push_back(id);
  require<UserError>(file.call(decode, {all}).toStringRef() == writer.decode(all),
                     "export: ", decode, " differs from the run's tokenizer");
}

}  // namespace

std::vector<ProofCase> prove(const TrainedModel& trained, TorchscriptFile& file) {
  const torch::NoGradGuard no_grad;
  std::vector<ProofCase> cases;
  for (const auto& method : exported_methods(trained)) {
    for (const auto& sizes : kSizes) cases.push_back(compared(trained, method, sizes, file));
  }
  if (!trained.vocabulary.images) prove_characters(trained, file);
  return cases;
}

double largest_difference(const std::vector<ProofCase>& cases) {
  return largest_of(cases, &ProofCase::difference);
}

double largest_kernel_difference(const std::vector<ProofCase>& cases) {
  return largest_of(cases, &ProofCase::kernel_difference);
}

nlohmann::json proof_json(const std::vector<ProofCase>& cases) {
  auto json = nlohmann::json::array();
  for (const auto& one : cases) {
    json.push_back({{"method", one.method},
                    {"shapes", one.shapes},
                    {"difference", one.difference},
                    {"kernel_difference", one.kernel_difference},
                    {"export_ms", one.export_milliseconds},
                    {"model_ms", one.model_milliseconds}});
  }
  return json;
}

}  // namespace zoo
