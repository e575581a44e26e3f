#pragma once

// Hides which Catch2 is installed: Debian 12 has 2.13 (one header), Debian 13 has 3.
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_approx.hpp>
#include <catch2/catch_message.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
namespace zoo {
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
}  // namespace zoo
#else
#include <catch2/catch.hpp>
namespace zoo {
using Catch::Detail::Approx;
inline auto ContainsSubstring(const std::string& text) { return Catch::Contains(text); }
}  // namespace zoo
#endif
