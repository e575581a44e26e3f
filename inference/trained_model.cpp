#include "inference/trained_model.h"

#include <algorithm>

#include "core/errors.h"

namespace zoo {
namespace {

/// How a text of a task's rows begins and ends; -1: with nothing.
struct Frame {
  std::int64_t first = -1;
  std::int64_t last = -1;

  std::int64_t tokens() const { return (first >= 0 ? 1 : 0) + (last >= 0 ? 1 : 0); }
};

Frame frame_of(const TrainedModel& trained) {
  const auto& facts = trained.facts;
  if (trained.architecture().reads_source) return {-1, facts.source_pad_id};
  switch (trained.config.general.task) {
    case TaskType::kMaskedLanguageModel:
    case TaskType::kTextClassification:
      return {facts.boundary_id, facts.separator_id};
    case TaskType::kLanguageModel:
    case TaskType::kSequenceToSequence:
    case TaskType::kImageClassification:
      break;
  }
  return {facts.boundary_id, -1};
}

}  // namespace

TrainedModel trained_model(const Run& run) {
  return {*run.model, run.vocabulary, run.facts, run.config, run.device};
}

TrainedModel trained_model(const Experiment& experiment) {
  return {*experiment.model, experiment.vocabulary, experiment.facts, experiment.config,
          experiment.device};
}

PaddedRows padded_rows(const std::vector<std::vector<std::int64_t>>& rows, std::int64_t pad_id,
                       torch::Device device) {
  std::vector<std::int64_t> lengths;
  for (const auto& row : rows) lengths.push_back(static_cast<std::int64_t>(row.size()));
  const auto [shortest, longest] = std::minmax_element(lengths.begin(), lengths.end());
  const auto width = std::max<std::int64_t>(*longest, 1);
  auto tokens = torch::full({static_cast<std::int64_t>(rows.size()), width}, pad_id, torch::kInt64);
  auto* at = tokens.data_ptr<std::int64_t>();
  for (const auto& row : rows) {
    std::copy(row.begin(), row.end(), at);
    at += width;
  }
  PaddedRows padded{tokens.to(device), {}};
  if (*shortest < width) padded.lengths = torch::tensor(lengths, torch::kInt64).to(device);
  return padded;
}

Inputs inputs_of(const TrainedModel& trained, const std::vector<std::string>& texts,
                 const std::string& what, bool cut) {
  const bool reads_source = trained.architecture().reads_source;
  const auto& tokenizer = reads_source ? trained.vocabulary.source() : trained.vocabulary.target();
  const auto frame = frame_of(trained);
  const auto block = trained.block_size();
  const auto room = block - frame.tokens();
  std::vector<std::vector<std::int64_t>> rows;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::vector<std::int64_t> row;
    try {
      row = tokenizer.encode(texts[i]);
    } catch (const UserError& error) {
      throw UserError(text_of(what, " ", i + 1, ": ", error.what()));
    }
    const auto length = static_cast<std::int64_t>(row.size());
    if (block > 0 && length > room) {
      require<UserError>(cut, what, " ", i + 1, ": has ", length,
                         " tokens and the model reads at most ", room, "; shorten it");
      row.resize(static_cast<std::size_t>(room));
    }
    if (frame.first >= 0) row.insert(row.begin(), frame.first);
    if (frame.last >= 0) row.push_back(frame.last);
    require<UserError>(!row.empty(), what, " ", i + 1, ": is empty");
    rows.push_back(std::move(row));
  }
  const auto& facts = trained.facts;
  const auto padded =
      padded_rows(rows, reads_source ? facts.source_pad_id : facts.pad_id, trained.device);
  Inputs inputs;
  (reads_source ? inputs.source : inputs.tokens) = padded.tokens;
  (reads_source ? inputs.source_lengths : inputs.lengths) = padded.lengths;
  return inputs;
}

}  // namespace zoo
