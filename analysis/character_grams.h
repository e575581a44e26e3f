#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace zoo {

/// Visits every n-gram of 1 to `highest_order` characters of a text whose start and end are marked,
/// as its order and its hash; the mark alone is no gram. A byte that is not UTF-8 is a character.
/// Returns how many characters there are. 64 bits: ten million distinct grams collide with a
/// probability of 3e-6.
std::size_t for_each_gram(std::string_view text, std::size_t highest_order,
                          const std::function<void(std::size_t order, std::uint64_t hash)>& visit);

}  // namespace zoo
