#pragma once

#include "training/console.h"

namespace zoo {

/// What stderr can show: a bar on a terminal, color unless NO_COLOR is set.
ConsoleStyle style_of_stderr();

/// Makes Ctrl-C and SIGTERM ask for a stop; a second one ends the process at once.
void listen_for_stop();

/// Whether a stop was asked for.
bool stop_requested();

}  // namespace zoo
