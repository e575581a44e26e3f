#include "core/safetensors.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/json_mutator.h"

namespace zoo {
namespace {

constexpr std::size_t kLengthBytes = 8;
constexpr std::uint64_t kMostData = 512;

/// Bytes of a tensor as the header describes it; 0 where it does so wrongly or it is large.
std::uint64_t size_of(const nlohmann::json& tensor) {
  if (!tensor.is_object() || !tensor.contains("dtype") || !tensor.contains("shape")) return 0;
  const auto& dtype = tensor["dtype"];
  auto size =
      static_cast<std::uint64_t>(dtype.is_string() ? bytes_of_dtype(dtype.get<std::string>()) : 0);
  for (const auto& extent : tensor["shape"]) {
    if (!extent.is_number_integer()) return 0;
    size *= std::min(extent.get<std::uint64_t>(), kMostData);
    if (size > kMostData) return 0;
  }
  return size;
}

/// Lays the tensors of a header one behind the other and gives the file as many bytes.
std::string laid_out(const std::string& header, std::string data) {
  auto json = nlohmann::json::parse(header);
  std::uint64_t at = 0;
  if (json.is_object()) {
    for (auto& tensor : json) {
      if (!tensor.is_object() || !tensor.contains("data_offsets")) continue;
      const auto begin = at;
      at += size_of(tensor);
      tensor["data_offsets"] = {begin, at};
    }
  }
  data.resize(at);
  return json.dump() + data;
}

std::string with_length(std::uint64_t length, const std::string& rest) {
  std::string file;
  for (std::size_t i = 0; i < kLengthBytes; ++i) file += static_cast<char>(length >> 8 * i & 0xFF);
  return file + rest;
}

}  // namespace

void fuzz_one(std::string_view bytes) {
  const auto file = parse_safetensors(bytes, "weights.safetensors");
  const auto written = write_safetensors(file.tensors, file.metadata);
  const auto again = parse_safetensors(written, "again");
  expect(again.metadata == file.metadata, "metadata survives writing");
  expect(again.tensors.size() == file.tensors.size(), "tensors survive writing");
  for (const auto& tensor : file.tensors) {
    bool found = false;
    for (const auto& other : again.tensors) {
      found = found || (other.name == tensor.name && other.dtype == tensor.dtype &&
                        other.shape == tensor.shape && other.bytes == tensor.bytes);
    }
    expect(found, "a tensor survives writing: " + tensor.name);
  }
}

}  // namespace zoo

/// Changes the header as JSON and its length with it, half the time the data too.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto end = std::min(bytes.rfind('}') + 1, size);
  std::string header;
  if (seed % 16 != 0 && size > zoo::kLengthBytes && end > zoo::kLengthBytes) {
    header = zoo::mutated_json(bytes.substr(zoo::kLengthBytes, end - zoo::kLengthBytes), seed / 32);
  }
  if (header.empty()) return LLVMFuzzerMutate(data, size, max_size);
  auto length = header.size();
  const std::string tail(bytes.substr(end));
  auto rest = header + tail;
  if (seed / 16 % 2 == 0) {
    rest = zoo::laid_out(header, tail);
    length = rest.rfind('}') + 1;
  }
  const auto file = zoo::with_length(length, rest);
  if (file.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(file.begin(), file.end(), data);
  return file.size();
}
