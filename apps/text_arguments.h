#pragma once

#include <functional>
#include <string>
#include <vector>

#include "apps/command.h"

namespace zoo {

/// Adds the positional TEXT... after RUN.
void add_text_arguments(cxxopts::Options& options, const char* what);

/// Whether texts were given as arguments rather than on stdin.
bool texts_are_given(const cxxopts::ParseResult& arguments);

/// Calls `use` with the texts: those given as arguments, or the lines of stdin, some thousand at a
/// time.
void for_texts(const cxxopts::ParseResult& arguments,
               const std::function<void(const std::vector<std::string>&)>& use);

/// The value of a whole-number option. Throws UserError below 1.
std::int64_t at_least_one(const cxxopts::ParseResult& arguments, const char* name);

}  // namespace zoo
