#include "analysis/advice.h"

#include <utility>

#include "analysis/advice_list.h"

namespace zoo {
namespace {

std::vector<AdviceRule> rules() {
  auto all = data_rules();
  for (const auto& rule : training_rules()) all.push_back(rule);
  return all;
}

}  // namespace

std::vector<Advice> advice_for(const Examination& found) {
  std::vector<Advice> all;
  for (const auto& rule : rules()) {
    auto sentence = rule.sentence(found);
    if (!sentence.empty()) all.push_back({rule.id, std::move(sentence)});
  }
  return all;
}

std::vector<std::string> advice_ids() {
  std::vector<std::string> ids;
  for (const auto& rule : rules()) ids.emplace_back(rule.id);
  return ids;
}

}  // namespace zoo
