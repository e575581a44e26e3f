#pragma once

#include <ATen/record_function.h>

namespace zoo {

/// While it lives somebody watches the dispatcher, and blocks use plain operators.
class OperatorWatcher {
 public:
  OperatorWatcher() : handle_(at::addThreadLocalCallback(at::RecordFunctionCallback(nullptr))) {}
  ~OperatorWatcher() { at::removeCallback(handle_); }
  OperatorWatcher(const OperatorWatcher&) = delete;
  OperatorWatcher& operator=(const OperatorWatcher&) = delete;

 private:
  at::CallbackHandle handle_;
};

}  // namespace zoo
