#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "core/errors.h"
#include "core/names.h"

namespace zoo {

/// The split of that name among train, val and test. Throws UserError for an unknown name and for a
/// split without data, naming those that there are.
template <class Split>
const Split& split_named(const std::string& name, std::initializer_list<const Split*> splits) {
  std::vector<std::string> there;
  const Split* found = nullptr;
  for (const auto* split : splits) {
    if (!split->empty()) there.push_back(split->name);
    if (split->name == name) found = split;
  }
  const auto has = "; the data has " + join(there, ", ");
  require<UserError>(found != nullptr, "split ", name, ": unknown", has,
                     did_you_mean(name, {"train", "val", "test"}));
  require<UserError>(!found->empty(), "split ", name, ": there is none", has, "; set data.", name,
                     "_fraction or data.", name, "_path");
  return *found;
}

}  // namespace zoo
