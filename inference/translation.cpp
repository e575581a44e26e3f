#include "inference/translation.h"

#include <algorithm>
#include <map>

#include "core/errors.h"
#include "text/translation_scores.h"

namespace zoo {
namespace {

/// Tokens before the target: boundary, source, separator.
std::vector<std::int64_t> prompt_of(const Translator& translator, const std::string& source,
                                    std::size_t number) {
  const auto& tokenizer = translator.tokenizer;
  std::vector<std::int64_t> prompt;
  try {
    prompt = tokenizer.encode(source);
  } catch (const UserError& error) {
    throw UserError(text_of("source ", number + 1, ": ", error.what()));
  }
  const auto room = translator.block_size - 2;  // boundary and separator
  const auto length = static_cast<std::int64_t>(prompt.size());
  if (translator.block_size > 0 && length > room) {
    require<UserError>(translator.cut, "source ", number + 1, ": has ", length,
                       " tokens and the model reads at most ", room,
                       " of a source; shorten it, or let --cut take its end off");
    prompt.resize(static_cast<std::size_t>(room));
  }
  prompt.insert(prompt.begin(), tokenizer.boundary_id());
  prompt.push_back(tokenizer.separator_id());
  return prompt;
}

}  // namespace

Translator translator_of(Model& model, const Tokenizer& tokenizer, const Config& config) {
  const auto& architecture = find_architecture(config.general.architecture);
  return {model, tokenizer, architecture.block_size(config.model),
          config.data.long_lines == LongLines::kCut};
}

std::vector<Translation> translate(const Translator& translator,
                                   const std::vector<std::string>& sources,
                                   const GenerationOptions& options) {
  const auto& tokenizer = translator.tokenizer;
  std::map<std::size_t, std::vector<std::size_t>> by_length;
  std::vector<std::vector<std::int64_t>> prompts;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    prompts.push_back(prompt_of(translator, sources[i], i));
    by_length[prompts.back().size()].push_back(i);
  }
  std::vector<Translation> translations(sources.size());
  for (const auto& [length, numbers] : by_length) {
    std::vector<std::vector<std::int64_t>> batch;
    for (const auto number : numbers) batch.push_back(prompts[number]);
    auto bounded = options;
    if (translator.block_size > 0) {
      const auto room = translator.block_size - static_cast<std::int64_t>(length) + 1;
      bounded.max_new_tokens = std::min(options.max_new_tokens, room);
    }
    const auto rows = generate(translator.model, batch, bounded, facts_of(tokenizer),
                               translator.block_size, /*fixed_length=*/false);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      translations[numbers[i]] = {tokenizer.decode(rows[i].ids), rows[i].log_probability,
                                  rows[i].stopped};
    }
  }
  return translations;
}

std::vector<TranslatedPair> translate_split(const Experiment& experiment, const std::string& name,
                                            std::int64_t count, const GenerationOptions& options) {
  const auto& split = experiment.data.split(name);
  const auto& tokenizer = *experiment.data.tokenizer;
  const auto translator = translator_of(*experiment.model, tokenizer, experiment.config);
  std::vector<TranslatedPair> pairs;
  std::vector<std::string> sources;
  for (std::size_t i = 0; i < split.separators.size() && count != 0; ++i, --count) {
    const auto begin = split.starts[i] + 1;
    const auto separator = split.separators[i];
    const auto end = split.starts[i + 1];
    const bool skipped = experiment.config.data.long_lines == LongLines::kSkip &&
                         translator.block_size > 0 && end - begin + 1 > translator.block_size;
    if (skipped) continue;
    sources.push_back(tokenizer.decode(split.tokens.range(begin, separator)));
    pairs.push_back({sources.back(), tokenizer.decode(split.tokens.range(separator + 1, end)), {}});
  }
  auto translations = translate(translator, sources, options);
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].translation = std::move(translations[i]);
  return pairs;
}

TranslationScores score(const std::vector<TranslatedPair>& pairs) {
  TranslationScores scores;
  scores.pairs = static_cast<std::int64_t>(pairs.size());
  if (pairs.empty()) return scores;
  std::vector<std::string> written, wanted;
  std::int64_t exact = 0;
  for (const auto& pair : pairs) {
    written.push_back(pair.translation.text);
    wanted.push_back(pair.target);
    exact += pair.translation.text == pair.target && pair.translation.finished ? 1 : 0;
  }
  scores.exact_match = static_cast<double>(exact) / static_cast<double>(pairs.size());
  scores.bleu = bleu(written, wanted);
  scores.chrf = chrf(written, wanted);
  return scores;
}

}  // namespace zoo
