#include "training/sequence_to_sequence_task.h"

#include <torch/types.h>

namespace zoo {

void SequenceToSequenceTask::measure(const torch::Tensor& logits, const Batch& batch,
                                     Figures& figures) const {
  LanguageModelTask::measure(logits, batch, figures);
  if (batch.targets.dim() == 1) return;
  const auto right = logits.argmax(-1).eq(batch.targets).logical_or(batch.targets.eq(kIgnored));
  figures.add("exact_match", right.all(1).sum(),
              torch::full({}, batch.targets.size(0), batch.targets.options()));
}

}  // namespace zoo
