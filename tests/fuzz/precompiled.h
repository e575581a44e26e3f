#pragma once

// What takes longest to read and instantiate, once for all sources of the fuzz build.
#include <algorithm>
#include <filesystem>
#include <functional>
#include <sstream>
#include <string>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>
