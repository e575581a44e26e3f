#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/model.h"

namespace zoo {

inline constexpr std::int64_t kBatch = 3;

/// An architecture with one of its inputs and output layers: tokens to tokens, tokens to classes,
/// or images to classes.
struct Variant {
  const Architecture& row;
  Example (*example)(std::int64_t batch);
  bool text_classes;
  std::string name;

  bool reads_text() const { return !example(1).inputs.images.defined(); }
};

/// Every one that there is.
std::vector<Variant> variants();

/// A tiny model with what it needs, in evaluation mode; one that counts has counted its own inputs.
struct Subject {
  Example example;
  std::shared_ptr<Model> model;
};

Subject subject_of(const Variant& variant, std::int64_t batch = kBatch);

}  // namespace zoo
