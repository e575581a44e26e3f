#include "text/tokenized_text.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/sha256.h"
#include "text/token_file.h"

namespace zoo {
namespace {

/// Text up to this size has its tokens in memory.
constexpr std::int64_t kLargestInMemory = std::int64_t{64} << 20;

/// Throws for the first line of a part that cannot be encoded.
[[noreturn]] void refuse_line(const TextRange& range, const char* split, std::string_view part,
                              std::int64_t line, const Tokenizer& tokenizer,
                              const UserError& of_part) {
  const auto where = [&](std::int64_t number, const UserError& error) {
    return UserError(text_of(range.text->source.path, ", line ", number, " (", split,
                             "): ", error.what(), "; set tokenizer.unknown to skip or replace"));
  };
  for (auto rest = part; !rest.empty(); ++line) {
    const auto text = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
    try {
      tokenizer.encode(text);
    } catch (const UserError& error) {
      throw where(line, error);
    }
    rest.remove_prefix(text.size());
  }
  throw where(line, of_part);
}

void encode_parts(const TextRange& range, const char* split, const Tokenizer& tokenizer,
                  const std::function<void(const std::vector<std::int64_t>&)>& take) {
  for_each_part(range, [&](std::string_view part, std::int64_t line) {
    std::vector<std::int64_t> ids;
    try {
      ids = tokenizer.encode(part);
    } catch (const UserError& error) {
      refuse_line(range, split, part, line, tokenizer, error);
    }
    take(ids);
  });
}

std::string key_of(const TextRange& range, const Tokenizer& tokenizer) {
  return sha256(text_of(range.text->source.sha256, " ", range.begin, " ", range.end, " ",
                        tokenizer.to_json().dump()));
}

}  // namespace

TokenStream tokenize(const TextRange& range, const char* split, const Tokenizer& tokenizer,
                     std::optional<bool> in_file) {
  if (!in_file.value_or(range.text->source.bytes > kLargestInMemory)) {
    std::vector<std::int32_t> tokens;
    encode_parts(range, split, tokenizer, [&](const std::vector<std::int64_t>& ids) {
      for (const auto id : ids) tokens.push_back(static_cast<std::int32_t>(id));
    });
    return TokenStream(std::move(tokens));
  }
  const auto key = key_of(range, tokenizer);
  const auto path = cache_folder() / "tokens" / key;
  if (auto found = open_token_file(path, key)) return *found;
  TokenFileWriter writer(path, tokenizer.vocab_size(), key);
  encode_parts(range, split, tokenizer,
               [&](const std::vector<std::int64_t>& ids) { writer.append(ids); });
  writer.finish();
  auto made = open_token_file(path, key);
  require<UserError>(made.has_value(), path.string(),
                     ": cannot be read back; set ZOO_CACHE to another folder");
  return *made;
}

}  // namespace zoo
