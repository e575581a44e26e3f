#pragma once

#include <torch/utils.h>

namespace zoo {

/// As many threads of LibTorch for a scope.
class Threads {
 public:
  explicit Threads(int count) { torch::set_num_threads(count); }
  ~Threads() { torch::set_num_threads(before_); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

 private:
  int before_ = torch::get_num_threads();
};

}  // namespace zoo
