#pragma once

#include "models/model.h"
#include "training/batch.h"

namespace zoo {

/// Fits a model that counts: one pass over every batch of the source.
void count_batches(Counted& model, BatchSource& source);

}  // namespace zoo
