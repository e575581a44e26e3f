#include "inference/beam_search.h"

#include <algorithm>
#include <cmath>

#include "core/errors.h"

namespace zoo {
namespace {

/// A hypothesis that goes on, and whose it is.
struct Live {
  std::size_t row = 0;
  std::vector<std::int64_t> ids;
  double log_probability = 0.0;
};

/// A token that a live hypothesis may go on with.
struct Candidate {
  std::size_t parent = 0;  ///< among the live ones
  std::int64_t id = 0;
  double log_probability = 0.0;  ///< of the whole
};

/// The likeliest tokens after each live hypothesis: log-probabilities and ids, [2, R, K] float64.
torch::Tensor likeliest(Decoding& decoding, const std::vector<std::int64_t>& last,
                        std::int64_t count, std::int64_t step, torch::Device device) {
  const auto logits = decoding.step(torch::tensor(last, torch::kInt64).to(device));  // [R, V]
  const auto scores = logits.to(torch::kFloat64).log_softmax(-1);
  const auto [values, ids] = scores.topk(std::min(count, logits.size(1)), -1);  // [R, K]
  auto both = torch::stack({values, ids.to(torch::kFloat64)}).cpu();  // the one host sync of a step
  require<UserError>(both.isfinite().all().item<bool>(), "beam search step ", step + 1,
                     ": the model's logits are not finite; its training diverged or its checkpoint "
                     "is damaged");
  return both;
}

/// The candidates of live[begin, end), best first, at most `count`.
std::vector<Candidate> best_candidates(const std::vector<Live>& live, std::size_t begin,
                                       std::size_t end, const torch::Tensor& found,
                                       std::size_t count) {
  const auto values = found.accessor<double, 3>();
  std::vector<Candidate> candidates;
  for (auto parent = begin; parent < end; ++parent) {
    const auto r = static_cast<std::int64_t>(parent);
    for (std::int64_t k = 0; k < values.size(2); ++k) {
      candidates.push_back({parent, static_cast<std::int64_t>(values[1][r][k]),
                            live[parent].log_probability + values[0][r][k]});
    }
  }
  std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
    if (a.log_probability != b.log_probability) return a.log_probability > b.log_probability;
    return a.parent != b.parent ? a.parent < b.parent : a.id < b.id;
  });
  candidates.resize(std::min(candidates.size(), count));
  return candidates;
}

Hypothesis ended(std::vector<std::int64_t> ids, double log_probability, bool stopped,
                 double length_penalty) {
  const auto tokens = static_cast<double>(ids.size() + (stopped ? 1 : 0));
  const auto score = log_probability / std::pow(std::max(tokens, 1.0), length_penalty);
  return {std::move(ids), log_probability, stopped, score};
}

/// Where the live hypotheses of the row of live[begin] end.
std::size_t end_of_row(const std::vector<Live>& live, std::size_t begin) {
  auto end = begin;
  while (end < live.size() && live[end].row == live[begin].row) ++end;
  return end;
}

}  // namespace

std::vector<std::vector<Hypothesis>> beam_search(Decoding& decoding,
                                                 const std::vector<std::int64_t>& starts,
                                                 const BeamOptions& options,
                                                 std::int64_t max_new_tokens, std::int64_t stop_id,
                                                 torch::Device device) {
  const auto width = static_cast<std::size_t>(options.beams);
  std::vector<std::vector<Hypothesis>> done(starts.size());
  std::vector<Live> live;
  auto last = starts;
  for (std::size_t row = 0; row < starts.size(); ++row) live.push_back({row, {}, 0.0});

  for (std::int64_t step = 0; step < max_new_tokens && !live.empty(); ++step) {
    const auto found = likeliest(decoding, last, options.beams, step, device);
    std::vector<Live> next;
    std::vector<std::int64_t> parents;
    last.clear();
    for (std::size_t begin = 0; begin < live.size();) {
      const auto end = end_of_row(live, begin);
      auto& finished = done[live[begin].row];
      for (const auto& one : best_candidates(live, begin, end, found, width - finished.size())) {
        auto ids = live[one.parent].ids;
        if (one.id == stop_id) {
          finished.push_back(
              ended(std::move(ids), one.log_probability, true, options.length_penalty));
          continue;
        }
        ids.push_back(one.id);
        next.push_back({live[begin].row, std::move(ids), one.log_probability});
        parents.push_back(static_cast<std::int64_t>(one.parent));
        last.push_back(one.id);
      }
      begin = end;
    }
    live = std::move(next);
    if (!live.empty()) decoding.select_rows(torch::tensor(parents, torch::kInt64).to(device));
  }
  for (auto& one : live) {
    done[one.row].push_back(
        ended(std::move(one.ids), one.log_probability, false, options.length_penalty));
  }
  for (auto& hypotheses : done) {
    std::stable_sort(hypotheses.begin(), hypotheses.end(),
                     [](const Hypothesis& a, const Hypothesis& b) { return a.score > b.score; });
  }
  return done;
}

}  // namespace zoo
