#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/model.h"

namespace zoo {

/// Rectangular images of two channels and three classes, and some of them: for tiny models.
DataFacts tiny_image_facts();
Inputs tiny_images(std::int64_t batch);

/// An Example of them for a model that tells their classes apart.
Example example_on_images(nlohmann::json options, std::int64_t batch);

/// The registry row of an architecture whose options struct is Options and whose module is Impl.
template <class Options, class Impl>
Architecture make_architecture(std::string name, std::string summary,
                               std::vector<std::string> tasks, Example (*tiny)(std::int64_t)) {
  Architecture row;
  row.name = std::move(name);
  row.summary = std::move(summary);
  row.tasks = std::move(tasks);
  row.describe = &describe_options<Options>;
  row.resolve = [](const nlohmann::json& options) {
    return write_options(read_options<Options>(options, "model"));
  };
  row.block_size = [](const nlohmann::json& options) -> std::int64_t {
    if constexpr (requires(const Options& o) { o.block_size; }) {
      return read_options<Options>(options, "model").block_size;
    } else {
      return 0;
    }
  };
  row.build = [](const nlohmann::json& options, const DataFacts& facts) -> std::shared_ptr<Model> {
    return std::make_shared<Impl>(read_options<Options>(options, "model"), facts);
  };
  row.tiny = tiny;
  return row;
}

}  // namespace zoo
