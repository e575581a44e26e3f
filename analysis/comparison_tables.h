#pragma once

#include <string>
#include <vector>

#include "analysis/comparison_results.h"

namespace zoo {

/// Rows of cells, the first one the headings.
using TextTable = std::vector<std::vector<std::string>>;

/// "no difference shown", or by how much a contender is worse than the best: "+0.012 to +0.034".
std::string behind_text(const ContenderResult& contender);

/// A row a contender, the best first, then what needs no training.
TextTable score_table(const ComparisonResults& results);

/// A row an option in which the contenders differ; empty: there is none.
TextTable option_table(const ComparisonResults& results);

/// How far back gradients reach: a row a contender, a column a power of two of tokens back; empty:
/// it was not measured.
TextTable reach_table(const ComparisonResults& results);

/// A figure of every contender on every problem.
struct Matrix {
  std::string name;
  TextTable table;  ///< a row a contender, a column a problem
};

/// Of several problems the scores, with a star at the best and at those to which no difference to
/// it is shown, the milliseconds of a step and the parameters.
std::vector<Matrix> matrices(const std::vector<ComparisonResults>& problems);

}  // namespace zoo
