#pragma once

#include <string>
#include <vector>

namespace zoo {

/// Puts names of classes in their order: whole numbers (digits only) by their value, where all are
/// such, else by their bytes.
void sort_class_names(std::vector<std::string>& names);

}  // namespace zoo
