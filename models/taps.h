#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <torch/types.h>

namespace zoo {

/// Receives what blocks report while it lives, on the thread that made it. C++ modules have no
/// hooks; attention maps and activation statistics hang on this instead.
class TapListener {
 public:
  using Function = std::function<void(const std::string& name, const torch::Tensor& value)>;

  explicit TapListener(Function function);
  ~TapListener();
  TapListener(const TapListener&) = delete;
  TapListener& operator=(const TapListener&) = delete;

 private:
  friend void tap(const char*, const torch::Tensor&);
  Function function_;
  TapListener* outer_;
};

/// Whether anybody listens: a block asks before it computes something only for a listener.
bool tap_is_open();

/// Reports an intermediate value, e.g. tap("attention.weights", weights); free when nobody listens.
void tap(const char* name, const torch::Tensor& value);

/// Where in a model what is reported comes from: while it lives, taps are called
/// "layer 2/attention.weights". Scopes do not nest.
class TapScope {
 public:
  TapScope(const char* part, std::size_t number);
  ~TapScope();
  TapScope(const TapScope&) = delete;
  TapScope& operator=(const TapScope&) = delete;
};

}  // namespace zoo
