#include "apps/generated.h"

#include <cmath>
#include <numbers>

#include <nlohmann/json.hpp>

#include "apps/table.h"
#include "core/format.h"

namespace zoo {

nlohmann::json samples_json(const std::vector<GeneratedText>& texts,
                            const TrainingTextIndex* index) {
  auto samples = nlohmann::json::array();
  for (const auto& text : texts) {
    nlohmann::json sample = {{"text", text.text}, {"log_probability", text.log_probability}};
    if (index != nullptr) sample["in_training_data"] = index->contains(text.text);
    samples.push_back(std::move(sample));
  }
  return samples;
}

nlohmann::json tokens_json(const std::vector<DrawnToken>& tokens, const Tokenizer& tokenizer) {
  auto json = nlohmann::json::array();
  for (const auto& token : tokens) {
    json.push_back({{"token", tokenizer.token(token.id)},
                    {"probability", std::exp(token.log_probability)},
                    {"entropy_bits", token.entropy / std::numbers::ln2}});
  }
  return json;
}

nlohmann::json answers_json(const std::vector<Answer>& answers) {
  auto json = nlohmann::json::array();
  for (const auto& answer : answers) {
    json.push_back({{"source", answer.source},
                    {"text", answer.given.text},
                    {"target", answer.wanted},
                    {"score", answer.given.log_probability}});
  }
  return json;
}

void print_answers(const std::vector<Answer>& answers, std::ostream& out) {
  for (const auto& answer : answers) {
    out << "  " << answer.source << " → " << answer.given.text;
    if (answer.given.text != answer.wanted) out << "   (wanted: " << answer.wanted << ")";
    out << "\n";
  }
}

void print_samples(const std::vector<GeneratedText>& texts, const TrainingTextIndex* index,
                   std::ostream& out) {
  bool marked = false;
  bool first = true;
  for (const auto& text : texts) {
    const bool several_lines = text.text.find('\n') != std::string::npos;
    const bool known = index != nullptr && index->contains(text.text);
    if (several_lines && !first) out << "\n--------\n\n";
    out << (several_lines ? "" : "  ") << text.text << (known ? " *" : "") << "\n";
    marked = marked || known;
    first = false;
  }
  if (marked) out << "\n  * stands in the training data\n";
}

void print_tokens(const std::vector<DrawnToken>& tokens, const Tokenizer& tokenizer,
                  std::ostream& out) {
  Table table({"token", "probability", "entropy, bits"});
  for (const auto& token : tokens) {
    table.add({quoted(tokenizer.token(token.id)), fixed_digits(std::exp(token.log_probability), 4),
               fixed_digits(token.entropy / std::numbers::ln2, 2)});
  }
  table.print(out);
}

}  // namespace zoo
