#pragma once

#include <string>

namespace zoo {

/// The message of the Error that the call throws. Other exceptions pass, and fail the test.
template <class Error, class Call>
std::string message_of(Call&& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "(nothing was thrown)";
}

}  // namespace zoo
