#include "text/tokenizers/pre_tokenizer.h"

#include <algorithm>
#include <string>

#include "text/character_at.h"
#include "text/tokenizers/byte_alphabet.h"
#include "text/tokenizers/unicode_forms.h"
#include "text/tokenizers/word_splitter.h"

namespace zoo {
namespace {

constexpr std::size_t kMostSteps = 16;  // run() calls itself once a step

void expect_gpt2_split(const JsonNode& json) {
  const auto pattern = json.at("pattern").find("Regex");
  if (pattern.is_null() || pattern.text() != kGpt2Pattern) {
    json.at("pattern").fail("is not supported; supported: GPT-2's, {\"Regex\": ",
                            nlohmann::json(kGpt2Pattern).dump(), "}");
  }
  const auto behavior = json.at("behavior");
  if (behavior.text() != "Isolated") behavior.expected("\"Isolated\"");
  const auto invert = json.find("invert");
  if (!invert.is_null() && invert.boolean()) invert.expected("false");
}

/// Cuts at white space, which belongs to no word, and around punctuation if that is isolated.
template <class Visitor>
void split_at_white_space(std::string_view text, bool isolate_punctuation, const Visitor& visit) {
  std::size_t start = 0;
  const auto end_word = [&](std::size_t end) {
    if (start < end) visit(text.substr(start, end - start));
  };
  for (std::size_t at = 0; at < text.size();) {
    const auto [code_point, size] = character_at(text, at);
    const bool space = code_point != kNoCharacter && is_white_space(code_point);
    const bool isolated =
        isolate_punctuation && code_point != kNoCharacter && is_punctuation(code_point);
    if (space || isolated) {
      end_word(at);
      start = at + (isolated ? 0 : size);
      if (isolated) end_word(at + size);
      start = at + size;
    }
    at += size;
  }
  end_word(text.size());
}

}  // namespace

PreTokenizer::PreTokenizer(const JsonNode& json) {
  if (json.is_null()) return;
  if (json.type() != "Sequence") {
    steps_.push_back(step_of(json));
    return;
  }
  const auto list = json.at("pretokenizers");
  for (const auto& item : list.items()) steps_.push_back(step_of(item));
  if (steps_.size() > kMostSteps) list.expected(text_of("at most ", kMostSteps, " of them"));
}

PreTokenizer::Step PreTokenizer::step_of(const JsonNode& json) {
  const auto type = json.type();
  if (type == "ByteLevel") {
    const auto cut_words = json.find("use_regex");
    return {Kind::kByteLevel, json.at("add_prefix_space").boolean(),
            cut_words.is_null() || cut_words.boolean()};
  }
  if (type == "Split") {
    expect_gpt2_split(json);
    return {Kind::kGpt2Words};
  }
  if (type == "BertPreTokenizer") return {Kind::kBertWords};
  if (type == "WhitespaceSplit") return {Kind::kWhiteSpace};
  json.fail(in_quotes(type),
            " is not supported; supported: null, ByteLevel, Split (GPT-2's pattern), "
            "BertPreTokenizer, WhitespaceSplit, one Sequence of those");
}

bool PreTokenizer::keeps_text() const {
  return std::none_of(steps_.begin(), steps_.end(),
                      [](const Step& step) { return step.kind == Kind::kByteLevel; });
}

bool PreTokenizer::takes_any_bytes() const {
  return !keeps_text() && std::all_of(steps_.begin(), steps_.end(), [](const Step& step) {
    return step.kind == Kind::kByteLevel || step.kind == Kind::kGpt2Words;
  });
}

void PreTokenizer::run(std::size_t step, std::string_view text, const WordVisitor& visit) const {
  if (step == steps_.size()) {
    if (!text.empty()) visit(text);
    return;
  }
  const auto& [kind, prefix_space, cut_words] = steps_[step];
  const auto next = [&](std::string_view word) { run(step + 1, word, visit); };
  const auto next_in_alphabet = [&](std::string_view word) { next(to_byte_alphabet(word)); };
  switch (kind) {
    case Kind::kGpt2Words:
      return split_words(text, next);
    case Kind::kBertWords:
      return split_at_white_space(text, /*isolate_punctuation=*/true, next);
    case Kind::kWhiteSpace:
      return split_at_white_space(text, /*isolate_punctuation=*/false, next);
    case Kind::kByteLevel:
      break;
  }
  const bool prefixed = prefix_space && !text.empty() && text.front() != ' ';
  const auto with_prefix = prefixed ? " " + std::string(text) : std::string();
  const auto whole = prefixed ? std::string_view(with_prefix) : text;
  if (cut_words) {
    split_words(whole, next_in_alphabet);
  } else {
    next_in_alphabet(whole);
  }
}

}  // namespace zoo
