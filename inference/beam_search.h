#pragma once

#include <cstdint>
#include <vector>

#include <torch/types.h>

#include "core/options.h"
#include "models/model.h"

namespace zoo {

struct BeamOptions {
  std::int64_t beams = 1;
  double length_penalty = 1.0;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("beams", self.beams, "Hypotheses that are followed at a time.", at_least(1));
    visit(
        "length_penalty", self.length_penalty,
        "Hypotheses rank by log-probability / length^this: 0 prefers short ones, 1 is the mean of "
        "a token.",
        at_least(0));
  }
  void validate(const std::string& /*path*/) const {}
};

/// One way to write a row.
struct Hypothesis {
  std::vector<std::int64_t> ids;  ///< without the stop token
  double log_probability = 0.0;   ///< nats, sum over the tokens, the stop token included
  bool stopped = false;           ///< ended at the stop token, not at the most tokens
  double score = 0.0;             ///< what hypotheses are ranked by
};

/// Beam search (Sutskever et al., 2014): of all continuations of the live hypotheses of a row the
/// most probable are kept; one that stops is done and takes its place in the beam with it, so that
/// the search ends by itself, and a beam of 1 is greedy. The width bounds what is missed: where it
/// covers all that can be written, the best is exact.
///
/// `starts` has the first token of each row; -> for each row its hypotheses, best first. Throws
/// UserError for logits that are not finite, naming the step.
std::vector<std::vector<Hypothesis>> beam_search(Decoding& decoding,
                                                 const std::vector<std::int64_t>& starts,
                                                 const BeamOptions& options,
                                                 std::int64_t max_new_tokens, std::int64_t stop_id,
                                                 torch::Device device);

}  // namespace zoo
