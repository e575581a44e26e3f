#pragma once

#include <string>
#include <vector>

namespace zoo {

/// Corpus BLEU in percent (Papineni et al., 2002) as sacreBLEU 2 has it by default (Post, 2018):
/// n-grams up to 4, tokenizer 13a, exponential smoothing, case-sensitive, one reference each. 0
/// where no hypothesis has four tokens. Throws std::invalid_argument where the numbers of
/// hypotheses and references differ or are 0.
double bleu(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references);

/// Corpus chrF2 in percent (Popović, 2015) as sacreBLEU 2 has it by default: character n-grams up
/// to 6 without white space, recall counting twice as much as precision, averaged over the orders
/// that both sides have. A byte that is not UTF-8 is a character. Throws as bleu does.
double chrf(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references);

}  // namespace zoo
