#include "text/tokenizers/added_tokens.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include "text/character_at.h"
#include "text/tokenizers/unicode_forms.h"

namespace zoo {
namespace {

constexpr std::size_t kLongestContent = 1024;  // matching takes time in proportion

bool is_space_at(std::string_view text, std::size_t offset) {
  const auto character = character_at(text, offset).code_point;
  return character != kNoCharacter && is_white_space(character);
}

/// Where the white space that ends at `end` starts, not before `least`.
std::size_t start_of_spaces(std::string_view text, std::size_t least, std::size_t end) {
  while (end > least) {
    auto start = end - 1;
    while (start > least && (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80) --start;
    if (!is_space_at(text.substr(0, end), start)) break;
    end = start;
  }
  return end;
}

std::size_t end_of_spaces(std::string_view text, std::size_t start) {
  while (start < text.size() && is_space_at(text, start)) {
    start += character_at(text, start).size;
  }
  return start;
}

bool flag(const JsonNode& json, const char* key) {
  const auto value = json.find(key);
  return !value.is_null() && value.boolean();
}

AddedToken token_from_json(const JsonNode& json) {
  AddedToken token;
  token.id = json.at("id").integer(0, std::numeric_limits<std::int32_t>::max());
  const auto content = json.at("content");
  token.content = content.text();
  if (token.content.empty() || token.content.size() > kLongestContent) {
    content.expected(text_of("1 to ", kLongestContent, " bytes"));
  }
  token.left_strip = flag(json, "lstrip");
  token.right_strip = flag(json, "rstrip");
  token.normalized = flag(json, "normalized");
  token.special = flag(json, "special");
  if (flag(json, "single_word")) {
    json.at("single_word").fail("true is not supported for ", in_quotes(token.content));
  }
  return token;
}

}  // namespace

std::vector<AddedToken> added_tokens_from_json(const JsonNode& json) {
  std::vector<AddedToken> tokens;
  if (json.is_null()) return tokens;
  std::unordered_set<std::int64_t> ids;
  std::unordered_set<std::string> contents;
  for (const auto& item : json.items()) {
    tokens.push_back(token_from_json(item));
    const auto& token = tokens.back();
    if (!ids.insert(token.id).second) item.at("id").fail("the id ", token.id, " is given twice");
    if (!contents.insert(token.content).second) {
      item.at("content").fail(in_quotes(token.content), " is given twice");
    }
  }
  return tokens;
}

nlohmann::json special_token_json(const std::string& content, std::int64_t id) {
  return {{"id", id},        {"content", content},  {"single_word", false}, {"lstrip", false},
          {"rstrip", false}, {"normalized", false}, {"special", true}};
}

TokenFinder::TokenFinder(std::vector<AddedToken> tokens) : tokens_(std::move(tokens)) {
  std::sort(tokens_.begin(), tokens_.end(),
            [](const AddedToken& a, const AddedToken& b) { return a.content < b.content; });
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    auto& [begin, end] = by_first_byte_[static_cast<unsigned char>(tokens_[i].content.front())];
    if (begin == end) begin = i;
    end = i + 1;
  }
}

/// Narrows the sorted tokens down byte by byte to those that start as the text does.
const AddedToken* TokenFinder::match(std::string_view text, std::size_t offset) const {
  auto [begin, end] = by_first_byte_[static_cast<unsigned char>(text[offset])];
  const AddedToken* longest = nullptr;
  for (std::size_t size = 1; begin < end; ++size) {
    // The shortest token comes first, and all from begin to end share `size` bytes with the text.
    if (tokens_[begin].content.size() == size) longest = &tokens_[begin++];
    if (offset + size >= text.size()) break;
    const auto byte = static_cast<unsigned char>(text[offset + size]);
    const auto byte_of = [&](const AddedToken& token) {
      return static_cast<unsigned char>(token.content[size]);
    };
    const auto first = tokens_.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto last = tokens_.begin() + static_cast<std::ptrdiff_t>(end);
    const auto low = std::partition_point(
        first, last, [&](const AddedToken& token) { return byte_of(token) < byte; });
    const auto high = std::partition_point(
        low, last, [&](const AddedToken& token) { return byte_of(token) == byte; });
    begin = static_cast<std::size_t>(low - tokens_.begin());
    end = static_cast<std::size_t>(high - tokens_.begin());
  }
  return longest;
}

void TokenFinder::split(std::string_view text,
                        const std::function<void(std::string_view)>& text_between,
                        const std::function<void(std::int64_t)>& token) const {
  std::size_t done = 0;
  if (!tokens_.empty()) {
    for (std::size_t at = 0; at < text.size();) {
      const auto* found = match(text, at);
      if (found == nullptr) {
        ++at;
        continue;
      }
      const auto start = found->left_strip ? start_of_spaces(text, done, at) : at;
      if (done < start) text_between(text.substr(done, start - done));
      token(found->id);
      at += found->content.size();
      done = found->right_strip ? end_of_spaces(text, at) : at;
      at = std::max(at, done);
    }
  }
  if (done < text.size()) text_between(text.substr(done));
}

}  // namespace zoo
