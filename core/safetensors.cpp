#include "core/safetensors.h"

#include <algorithm>
#include <array>
#include <deque>
#include <limits>
#include <set>
#include <stdexcept>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/json_file.h"
#include "core/plain_text.h"

namespace zoo {
namespace {

constexpr std::uint64_t kMaxHeader = 16 << 20;
constexpr std::size_t kMaxToken = kMaxHeader / 4;
constexpr std::size_t kMaxTensors = 65'536;
constexpr std::size_t kMaxRank = 8;
constexpr std::size_t kMaxMetadata = 65'536;
constexpr std::size_t kLengthBytes = 8;
constexpr const char* kMetadataKey = "__metadata__";

/// The keys of a tensor, each a bit of Declared::keys.
constexpr std::array<const char*, 3> kKeys = {"dtype", "shape", "data_offsets"};

/// A tensor as the header describes it, before its bytes are looked at. Small: a header of a few
/// MiB may describe tens of thousands.
struct Declared {
  std::string name;
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::array<std::int64_t, 2> offsets = {};
  std::uint8_t offset_count = 0;
  std::uint8_t keys = 0;
};

std::string in_quotes(const std::string& text) { return shown_json(text); }

/// Bytes of a tensor, or -1 when there is no such number of 63 bits.
std::int64_t size_of(const std::string& dtype, const std::vector<std::int64_t>& shape) {
  std::int64_t size = bytes_of_dtype(dtype);
  for (const auto extent : shape) {
    if (extent < 0 || __builtin_mul_overflow(size, extent, &size)) return -1;
  }
  return size;
}

/// Takes the header one token at a time, so that no hostile document is ever built in memory.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(std::string source) : source_(std::move(source)) {}

  std::deque<Declared> tensors;  // a growing vector would hold them twice
  std::map<std::string, std::string> metadata;

  bool start_object(std::size_t) override {
    if (place_ == Place::kStart) return enter(Place::kTop);
    if (place_ != Place::kTop) refuse("an object");
    if (key_ == kMetadataKey) return enter(Place::kMetadata);
    if (tensors.size() == kMaxTensors) fail(text_of("more than ", kMaxTensors, " tensors"));
    tensors.emplace_back();
    tensors.back().name = key_;
    names_.insert(tensors.back().name);
    return enter(Place::kTensor);
  }

  bool key(std::string& text) override {
    key_ = text;
    if (place_ == Place::kTop) {
      tensor_ = text;
      const bool twice = names_.contains(text) || (has_metadata_ && text == kMetadataKey);
      if (twice) fail("the name stands twice in the header");
      has_metadata_ = has_metadata_ || text == kMetadataKey;
    } else if (place_ == Place::kMetadata) {
      if (metadata.contains(text)) fail("the key " + in_quotes(text) + " stands twice");
      if (metadata.size() == kMaxMetadata) fail(text_of("more than ", kMaxMetadata, " keys"));
    } else {
      const auto known = std::find(kKeys.begin(), kKeys.end(), text);
      if (known == kKeys.end()) {
        fail("unknown key " + in_quotes(text) + "; known: dtype, shape, data_offsets");
      }
      const auto bit = 1 << (known - kKeys.begin());
      auto& keys = tensors.back().keys;
      if ((keys & bit) != 0) fail(text + " stands twice");
      keys = static_cast<std::uint8_t>(keys | bit);
    }
    return true;
  }

  bool end_object() override {
    if (place_ == Place::kTensor) {
      for (std::size_t i = 0; i < kKeys.size(); ++i) {
        if ((tensors.back().keys & 1 << i) == 0) fail(text_of(kKeys[i], " is missing"));
      }
    }
    return enter(Place::kTop);
  }

  bool start_array(std::size_t) override {
    if (place_ == Place::kTensor && key_ == "shape") return enter(Place::kShape);
    if (place_ == Place::kTensor && key_ == "data_offsets") return enter(Place::kOffsets);
    refuse("an array");
  }

  bool end_array() override {
    if (place_ == Place::kOffsets && tensors.back().offset_count != 2) {
      fail("data_offsets are not two numbers");
    }
    return enter(Place::kTensor);
  }

  bool number_unsigned(number_unsigned_t value) override {
    expect_numbers();
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) {
      fail(text_of(value, " in ", key_, " does not fit in 63 bits"));
    }
    auto& tensor = tensors.back();
    const bool shape = place_ == Place::kShape;
    const auto most = shape ? kMaxRank : tensor.offsets.size();
    const bool full = (shape ? tensor.shape.size() : tensor.offset_count) == most;
    if (full) fail(text_of(key_, " has more than ", most, " numbers"));
    const auto number = static_cast<std::int64_t>(value);
    if (shape) {
      tensor.shape.push_back(number);
    } else {
      tensor.offsets[tensor.offset_count++] = number;
    }
    return true;
  }

  bool string(std::string& text) override {
    if (place_ == Place::kMetadata) {
      metadata[key_] = std::move(text);
    } else if (place_ == Place::kTensor && key_ == "dtype") {
      if (bytes_of_dtype(text) == 0) fail("the dtype " + in_quotes(text) + " is not supported");
      tensors.back().dtype = text;
    } else {
      refuse("a string");
    }
    return true;
  }

  bool null() override { refuse("null"); }
  bool boolean(bool) override { refuse("a boolean"); }
  bool number_integer(number_integer_t value) override {
    expect_numbers();
    fail(text_of(value, " is negative"));
  }
  bool number_float(number_float_t, const std::string& text) override {
    expect_numbers();
    fail(shown_text(text) + " is not a whole number of 63 bits");
  }
  bool binary(nlohmann::json::binary_t&) override { refuse("binary data"); }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::json::exception&) override {
    throw UserError(text_of(source_, ": the header is not JSON at its byte ", position));
  }

 private:
  enum class Place { kStart, kTop, kTensor, kShape, kOffsets, kMetadata };

  bool enter(Place place) {
    place_ = place;
    return true;
  }

  void expect_numbers() const {
    if (place_ != Place::kShape && place_ != Place::kOffsets) refuse("a number");
  }

  [[noreturn]] void refuse(const char* value) const {
    const auto place = place_ == Place::kTop ? "here" : "in " + in_quotes(key_);
    fail(text_of(value, " is not allowed ", place));
  }

  [[noreturn]] void fail(const std::string& rule) const {
    if (place_ == Place::kStart) throw UserError(source_ + ": the header is not an object");
    const auto owner = tensor_ == kMetadataKey ? tensor_ : "tensor " + in_quotes(tensor_);
    throw UserError(text_of(source_, ": ", owner, ": ", rule));
  }

  std::string source_;
  Place place_ = Place::kStart;
  std::string tensor_;                // the top-level key
  std::string key_;                   // the last key of any level
  std::set<std::string_view> names_;  // of the tensors
  bool has_metadata_ = false;
};

std::string_view header_of(std::string_view bytes, const std::string& source) {
  require<UserError>(bytes.size() >= kLengthBytes, source, ": ", bytes.size(),
                     " bytes are too few for a safetensors file; is it whole?");
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  require<UserError>(length <= kMaxHeader, source, ": the header claims ", length,
                     " bytes; at most ", kMaxHeader, " are read");
  require<UserError>(length <= bytes.size() - kLengthBytes, source, ": the header claims ", length,
                     " bytes, the file has ", bytes.size() - kLengthBytes, " after its length");
  const auto header = bytes.substr(kLengthBytes, length);
  require<UserError>(header.starts_with('{'), source, ": the header does not begin with {");
  require_short_tokens(header, source, kMaxToken);
  return header;
}

/// Sorts by place and checks that the tensors lie one after the other over all of `size` bytes.
void check_places(std::deque<Declared>& tensors, std::size_t size, const std::string& source) {
  std::sort(tensors.begin(), tensors.end(), [](const Declared& a, const Declared& b) {
    return std::tie(a.offsets, a.name) < std::tie(b.offsets, b.name);
  });
  std::int64_t end = 0;
  for (const auto& tensor : tensors) {
    const auto where = source + ": tensor " + in_quotes(tensor.name);
    const auto needed = size_of(tensor.dtype, tensor.shape);
    require<UserError>(needed >= 0, where, ": its size overflows 63 bits");
    require<UserError>(tensor.offsets[0] == end, where, ": begins at byte ", tensor.offsets[0],
                       " of the data, the one before ends at ", end);
    require<UserError>(tensor.offsets[1] >= end && tensor.offsets[1] - end == needed, where,
                       ": data_offsets [", end, ", ", tensor.offsets[1], "] do not hold the ",
                       needed, " bytes of its dtype and shape");
    end = tensor.offsets[1];
  }
  require<UserError>(static_cast<std::uint64_t>(end) == size, source, ": the tensors fill ", end,
                     " bytes of data, the file has ", size);
}

/// A tensor or a name that no reader would accept is a mistake of the caller.
void check_writable(const std::vector<TensorEntry>& tensors) {
  require<std::invalid_argument>(tensors.size() <= kMaxTensors, "too many tensors");
  std::set<std::string> names = {kMetadataKey};
  for (const auto& tensor : tensors) {
    require<std::invalid_argument>(names.insert(tensor.name).second, tensor.name,
                                   ": the name is taken");
    require<std::invalid_argument>(bytes_of_dtype(tensor.dtype) > 0, tensor.name,
                                   ": unknown dtype ", tensor.dtype);
    require<std::invalid_argument>(tensor.shape.size() <= kMaxRank, tensor.name,
                                   ": too many dimensions");
    const auto size = size_of(tensor.dtype, tensor.shape);
    require<std::invalid_argument>(
        size >= 0 && static_cast<std::uint64_t>(size) == tensor.bytes.size(), tensor.name, ": ",
        tensor.bytes.size(), " bytes do not match its dtype and shape");
  }
}

}  // namespace

std::int64_t bytes_of_dtype(std::string_view dtype) {
  static constexpr std::array<std::pair<std::string_view, std::int64_t>, 10> kSizes = {{
      {"BOOL", 1},
      {"U8", 1},
      {"I8", 1},
      {"I16", 2},
      {"I32", 4},
      {"I64", 8},
      {"F16", 2},
      {"BF16", 2},
      {"F32", 4},
      {"F64", 8},
  }};
  for (const auto& [name, size] : kSizes) {
    if (name == dtype) return size;
  }
  return 0;
}

Safetensors parse_safetensors(std::string_view bytes, const std::string& source) {
  const auto header = header_of(bytes, source);
  HeaderReader reader(source);
  nlohmann::json::sax_parse(header, &reader);
  const auto data = bytes.substr(kLengthBytes + header.size());
  check_places(reader.tensors, data.size(), source);

  Safetensors file;
  file.metadata = std::move(reader.metadata);
  file.tensors.reserve(reader.tensors.size());
  for (auto& tensor : reader.tensors) {
    const auto begin = static_cast<std::size_t>(tensor.offsets[0]);
    const auto end = static_cast<std::size_t>(tensor.offsets[1]);
    file.tensors.push_back({std::move(tensor.name), std::move(tensor.dtype),
                            std::move(tensor.shape), data.substr(begin, end - begin)});
  }
  return file;
}

std::string write_safetensors(std::vector<TensorEntry> tensors,
                              const std::map<std::string, std::string>& metadata) {
  check_writable(tensors);
  std::sort(tensors.begin(), tensors.end(), [](const TensorEntry& a, const TensorEntry& b) {
    const auto size_a = bytes_of_dtype(a.dtype);
    const auto size_b = bytes_of_dtype(b.dtype);
    return std::tie(size_b, a.name) < std::tie(size_a, b.name);
  });
  auto header = nlohmann::json::object();
  if (!metadata.empty()) header[kMetadataKey] = metadata;
  std::size_t end = 0;
  for (const auto& tensor : tensors) {
    const auto begin = end;
    end += tensor.bytes.size();
    header[tensor.name] = {
        {"dtype", tensor.dtype}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
  }
  auto text = header.dump();
  text.append((8 - text.size() % 8) % 8, ' ');
  require<std::invalid_argument>(text.size() <= kMaxHeader, "the header is too large");

  std::string file;
  file.reserve(kLengthBytes + text.size() + end);
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    file += static_cast<char>(std::uint64_t{text.size()} >> (8 * i) & 0xFF);
  }
  file += text;
  for (const auto& tensor : tensors) file += tensor.bytes;
  return file;
}

}  // namespace zoo
