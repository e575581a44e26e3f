#pragma once

#include <memory>
#include <string>

#include "inference/export/torchscript_file.h"
#include "models/model.h"

namespace zoo {

/// An export as a model: what it answers is what its program answers. Of encoder-decoders it is a
/// Decoder too, which reads the source once and the target again for each token.
std::shared_ptr<Model> scripted_model(std::shared_ptr<TorchscriptFile> file,
                                      const Architecture& architecture);

}  // namespace zoo
