#include "text/translation_scores.h"

#include <cmath>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "core/json_file.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"

namespace zoo {
namespace {

using Sentences = std::vector<std::string>;

}  // namespace

TEST_CASE("BLEU and chrF are sacreBLEU's") {
  const auto golden = read_json_file("tests/golden/translation_scores.json");
  REQUIRE(golden.at("cases").size() >= 40);
  for (const auto& item : golden.at("cases")) {
    INFO(item.at("name").get<std::string>());
    const auto hypotheses = item.at("hypotheses").get<Sentences>();
    const auto references = item.at("references").get<Sentences>();
    CHECK(std::abs(bleu(hypotheses, references) - item.at("bleu").get<double>()) < 1e-6);
    CHECK(std::abs(chrf(hypotheses, references) - item.at("chrf").get<double>()) < 1e-6);
  }
}

TEST_CASE("BLEU of a sentence is what its definition gives by hand") {
  // 5 of 6 words, 3 of 5 pairs, 1 of 4 triples, none of 3 fours, which counts as a half; one
  // hypothesis word fewer than the reference's seven.
  const auto expected =
      100 * std::exp(1 - 7.0 / 6) * std::pow(5.0 / 6 * 3 / 5 * 1 / 4 * (0.5 / 3), 0.25);
  CHECK(bleu({"a b c x d e"}, {"a b c d e f g"}) == Approx(expected));
}

TEST_CASE("chrF of a sentence is what its definition gives by hand") {
  // Orders 1 and 2: precision 2/2 and 1/1, recall 2/3 and 1/2; the hypothesis has no longer ones.
  const auto precision = 1.0, recall = (2.0 / 3 + 1.0 / 2) / 2;
  CHECK(chrf({"a b"}, {"abc"}) == Approx(100 * 5 * precision * recall / (4 * precision + recall)));
}

TEST_CASE("equal corpora score 100 and the order of their sentences does not matter") {
  const Sentences references{"kırk iki bin yüz beş", "the cat sat on the mat .", "a b c d e f"};
  CHECK(bleu(references, references) == Approx(100));
  CHECK(chrf(references, references) == Approx(100));
  const Sentences hypotheses{"kırk iki bin beş", "the cat on the mat .", "a b c x e f"};
  const Sentences turned{hypotheses[2], hypotheses[0], hypotheses[1]};
  const Sentences turned_references{references[2], references[0], references[1]};
  CHECK(bleu(hypotheses, references) == Approx(bleu(turned, turned_references)));
  CHECK(chrf(hypotheses, references) == Approx(chrf(turned, turned_references)));
}

TEST_CASE("bytes that are not UTF-8 are scored, as a model may write them") {
  const std::string damaged = "the cat sat on the m\xC3 \x85 \xFF\xFE";
  CHECK(bleu({damaged}, {damaged}) == Approx(100));
  CHECK(chrf({damaged}, {damaged}) == Approx(100));
  CHECK(chrf({damaged}, {"the cat sat on the mat"}) < 100);
}

TEST_CASE("corpora of different or no size are refused") {
  CHECK(message_of<std::invalid_argument>([] { bleu({"a"}, {"a", "b"}); }) ==
        "1 hypotheses for 2 references; as many are needed, and at least one");
  CHECK_THROWS_AS(chrf({"a"}, {}), std::invalid_argument);
  CHECK_THROWS_AS(bleu({}, {}), std::invalid_argument);
}

}  // namespace zoo
