#pragma once

#include <cstdint>
#include <optional>
#include <ostream>

#include "training/console.h"

namespace zoo {

/// What stderr can show: a bar on a terminal, color unless NO_COLOR is set.
ConsoleStyle style_of_stderr();

/// Columns of the terminal that stdout is; unset where it is none.
std::optional<std::int64_t> columns_of_stdout();

/// Columns that sentences are wrapped at: 100, or those of a narrower terminal.
std::int64_t columns_of_sentences();

/// stderr for what moves the cursor: std::cerr shows control characters instead.
std::ostream& terminal_stderr();

/// Makes Ctrl-C and SIGTERM ask for a stop; a second one ends the process at once.
void listen_for_stop();

/// Whether a stop was asked for.
bool stop_requested();

}  // namespace zoo
