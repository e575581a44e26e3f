#include "tests/support/program.h"

#include <chrono>
#include <csignal>
#include <thread>

namespace zoo {

ProgramResult run_zoo(const std::vector<std::string>& arguments, const std::string& interrupt_when,
                      const std::string& input, std::int64_t most_file_bytes) {
  ChildProgram zoo(ZOO_PROGRAM, arguments, {.input = input, .most_file_bytes = most_file_bytes});
  while (!interrupt_when.empty() && zoo.runs()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (zoo.error_so_far().find(interrupt_when) == std::string::npos) continue;
    zoo.send(SIGINT);
    break;
  }
  return zoo.result();
}

}  // namespace zoo
