#include "text/translation_scores.h"

#include <vector>

#include "tests/fuzz/fuzz_target.h"

namespace zoo {

/// Lines, in turn a hypothesis and its reference; they may be no UTF-8, as a model's output may.
void fuzz_one(std::string_view bytes) {
  bytes = bytes.substr(0, 160);  // longer ones take longer and show nothing else
  std::vector<std::string> hypotheses, references;
  while (!bytes.empty()) {
    const auto end = bytes.find('\n');
    auto& side = hypotheses.size() == references.size() ? hypotheses : references;
    side.emplace_back(bytes.substr(0, end));
    bytes = end == std::string_view::npos ? "" : bytes.substr(end + 1);
  }
  if (hypotheses.size() > references.size()) references.emplace_back();
  if (hypotheses.empty()) return;
  for (const auto score : {bleu(hypotheses, references), chrf(hypotheses, references)}) {
    expect(score >= 0 && score < 100.0001, "a score is a percentage");
  }
  const auto same = chrf(references, references);
  expect(same == 0 || same > 99.9999, "a text agrees with itself");
}

}  // namespace zoo
