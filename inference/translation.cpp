#include "inference/translation.h"

#include <algorithm>
#include <memory>
#include <numeric>

#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"

namespace zoo {
namespace {

/// Rows in one batch: however many sources there are, memory is bounded.
constexpr std::size_t kRowsAtOnce = 256;

/// How many tokens of a source the model reads; 0: any number.
std::int64_t room_for_source(const TrainedModel& trained) {
  const auto block = trained.block_size();
  // Its end stands beside it; boundary and separator, where it is a part of the row.
  return block > 0 ? block - (trained.architecture().reads_source ? 1 : 2) : 0;
}

std::vector<std::int64_t> encode_source(const TrainedModel& trained, const std::string& source,
                                        std::size_t number, bool cut) {
  std::vector<std::int64_t> ids;
  try {
    ids = trained.vocabulary.source().encode(source);
  } catch (const UserError& error) {
    throw UserError(text_of("source ", number + 1, ": ", error.what()));
  }
  const auto room = room_for_source(trained);
  const auto length = static_cast<std::int64_t>(ids.size());
  if (room > 0 && length > room) {
    require<UserError>(cut, "source ", number + 1, ": has ", length,
                       " tokens and the model reads at most ", room,
                       " of a source; shorten it, or let --cut take its end off");
    ids.resize(static_cast<std::size_t>(room));
  }
  if (trained.architecture().reads_source) ids.push_back(trained.facts.source_pad_id);
  return ids;
}

/// Encoded sources that are translated together.
struct SourceBatch {
  std::vector<std::size_t> numbers;
  std::vector<std::vector<std::int64_t>> sources;
};

/// The shortest sources first; a model that reads them as a part of its text gets those of one
/// length together, so that nothing is padded.
std::vector<SourceBatch> batches_of(std::vector<std::vector<std::int64_t>> sources,
                                    bool same_length) {
  std::vector<std::size_t> order(sources.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return sources[a].size() < sources[b].size();
  });
  std::vector<SourceBatch> batches;
  for (const auto number : order) {
    const auto size = sources[number].size();
    const bool full = batches.empty() || batches.back().numbers.size() == kRowsAtOnce ||
                      (same_length && batches.back().sources.back().size() != size);
    if (full) batches.emplace_back();
    batches.back().numbers.push_back(number);
    batches.back().sources.push_back(std::move(sources[number]));
  }
  return batches;
}

/// Rows ready to be written: all start with the separator, before which the source was read.
struct Started {
  std::unique_ptr<Decoding> decoding;
  std::int64_t room = 0;  ///< most tokens of a target, its end included
};

Started start(const TrainedModel& trained, const SourceBatch& batch, std::int64_t most) {
  const auto& facts = trained.facts;
  const auto block = trained.block_size();
  if (trained.architecture().reads_source) {
    auto* decoder = dynamic_cast<Decoder*>(&trained.model);
    require<std::logic_error>(decoder != nullptr, trained.config.general.architecture,
                              " reads sources and is no Decoder");
    const auto padded = padded_rows(batch.sources, facts.source_pad_id, trained.device);
    Inputs inputs;
    inputs.source = padded.tokens;
    inputs.source_lengths = padded.lengths;
    return {decoder->start(inputs, FullBlock::kReread), block > 0 ? std::min(most, block) : most};
  }
  auto prompts = batch.sources;
  for (auto& prompt : prompts) prompt.insert(prompt.begin(), facts.boundary_id);
  const auto used = static_cast<std::int64_t>(prompts.front().size());
  return {
      start_decoding(trained.model, prompts,
                     {facts.vocab_size, facts.pad_id, block, trained.architecture().fixed_length},
                     FullBlock::kReread),
      block > 0 ? std::min(most, block - used) : most};
}

Translation translation_of(const TrainedModel& trained, const std::vector<std::int64_t>& ids,
                           double log_probability, bool finished) {
  return {trained.vocabulary.target().decode(ids), log_probability, finished};
}

/// The translations of a batch, best first for each of its sources.
std::vector<std::vector<Translation>> translate_batch(const TrainedModel& trained,
                                                      const SourceBatch& batch,
                                                      const TranslationOptions& options) {
  const auto& facts = trained.facts;
  const auto started = start(trained, batch, options.generation.max_new_tokens);
  const auto count = batch.sources.size();
  std::vector<std::vector<Translation>> translations(count);
  if (options.beams.beams > 1) {
    const std::vector<std::int64_t> starts(count, facts.separator_id);
    const auto found = beam_search(*started.decoding, starts, options.beams, started.room,
                                   facts.boundary_id, trained.device);
    for (std::size_t i = 0; i < count; ++i) {
      for (const auto& one : found[i]) {
        translations[i].push_back(
            translation_of(trained, one.ids, one.log_probability, one.stopped));
      }
    }
    return translations;
  }
  auto bounded = options.generation;
  bounded.max_new_tokens = started.room;
  std::vector<DecodingRow> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back({i, {facts.separator_id}});
  std::vector<Generation> generations(count);
  sample_rows(*started.decoding, std::move(rows), bounded, facts.boundary_id, trained.device,
              generations);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& one = generations[i];
    translations[i] = {translation_of(trained, one.ids, one.log_probability, one.stopped)};
  }
  return translations;
}

}  // namespace

std::vector<std::vector<Translation>> translate(const TrainedModel& trained,
                                                const std::vector<std::string>& sources,
                                                const TranslationOptions& options) {
  options.generation.validate("generation");
  std::vector<std::vector<std::int64_t>> encoded;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    encoded.push_back(encode_source(trained, sources[i], i, options.cut));
  }
  const c10::InferenceMode inference_mode;
  const EvaluationMode evaluation_mode(trained.model);
  const bool same_length = !trained.architecture().reads_source;
  std::vector<std::vector<Translation>> translations(sources.size());
  for (const auto& batch : batches_of(std::move(encoded), same_length)) {
    auto written = translate_batch(trained, batch, options);
    for (std::size_t i = 0; i < written.size(); ++i) {
      translations[batch.numbers[i]] = std::move(written[i]);
    }
  }
  return translations;
}

}  // namespace zoo
