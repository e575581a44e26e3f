#include "text/token_stream.h"

namespace zoo {

TokenStream::TokenStream(std::vector<std::int32_t> tokens)
    : size_(static_cast<std::int64_t>(tokens.size())) {
  const auto kept = std::make_shared<const std::vector<std::int32_t>>(std::move(tokens));
  data_ = kept->data();
  owner_ = kept;
}

std::int64_t TokenStream::operator[](std::int64_t index) const {
  switch (width_) {
    case 1:
      return static_cast<const std::uint8_t*>(data_)[index];
    case 2:
      return static_cast<const std::uint16_t*>(data_)[index];
    default:
      return static_cast<const std::int32_t*>(data_)[index];
  }
}

std::vector<std::int64_t> TokenStream::range(std::int64_t begin, std::int64_t end) const {
  std::vector<std::int64_t> ids;
  ids.reserve(static_cast<std::size_t>(end - begin));
  for (auto i = begin; i < end; ++i) ids.push_back((*this)[i]);
  return ids;
}

}  // namespace zoo
