#include "apps/generated.h"

#include <nlohmann/json.hpp>

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

nlohmann::json translations_json(const std::vector<TranslatedPair>& pairs) {
  auto json = nlohmann::json::array();
  for (const auto& pair : pairs) {
    json.push_back({{"source", pair.source},
                    {"text", pair.translation.text},
                    {"target", pair.target},
                    {"score", pair.translation.log_probability}});
  }
  return json;
}

void print_translations(const std::vector<TranslatedPair>& pairs, std::ostream& out) {
  for (const auto& pair : pairs) {
    out << "  " << pair.source << " → " << pair.translation.text;
    if (pair.translation.text != pair.target) out << "   (wanted: " << pair.target << ")";
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

}  // namespace zoo
