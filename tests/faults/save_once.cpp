// usage: save_once RUN STEP
// Saves a run once, without the time that LibTorch takes to start.
#include <exception>
#include <iostream>
#include <string>

#include "core/errors.h"
#include "tests/faults/one_save.h"

int main(int argc, char** argv) {
  if (argc != 3) return 3;
  try {
    zoo::save_once(argv[1], std::stoll(argv[2]));
    return 0;
  } catch (const zoo::UserError& error) {
    std::cerr << "error: " << error.what() << "\n";
    return 2;
  } catch (const std::exception& error) {
    std::cerr << "fault: " << error.what() << "\n";
    return 1;
  }
}
