#pragma once

#include "training/language_model_task.h"

namespace zoo {

/// Write the target of a source: the loss of the target's tokens, its end included, their accuracy,
/// and exact_match, the share of examples that are right as a whole.
///
/// A target whose every token is the likeliest one after the right tokens before it is what greedy
/// decoding writes, so exact_match needs no decoding. Of prefixes, whose targets stand in rows of
/// their own, it is left out.
class SequenceToSequenceTask : public LanguageModelTask {
 public:
  using LanguageModelTask::LanguageModelTask;

  /// logits [B, T, V], targets [B, T] with the source ignored; or [B, V] and [B] of prefixes.
  void measure(const torch::Tensor& logits, const Batch& batch, Figures& figures) const override;
};

}  // namespace zoo
