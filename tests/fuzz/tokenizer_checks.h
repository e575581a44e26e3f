#pragma once

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "tests/fuzz/fuzz_target.h"
#include "text/tokenizers/tokenizer.h"

namespace zoo {

/// Whatever a tokenizer was made from, its ids are those of its tokens, and decoding takes them.
inline std::vector<std::int64_t> checked_ids(const Tokenizer& tokenizer, std::string_view text) {
  std::vector<std::int64_t> ids;
  try {
    ids = tokenizer.encode(text);
  } catch (const UserError&) {
    return ids;  // a text that the tokenizer refuses
  }
  for (const auto id : ids) {
    expect(id >= 0 && id < tokenizer.vocab_size(), "an id is below the vocabulary's size");
    (void)tokenizer.token(id);
  }
  (void)tokenizer.decode(ids);
  return ids;
}

/// Uses a tokenizer on the text, and one made from what it writes, which has to do the same.
inline void check_tokenizer(const std::shared_ptr<const Tokenizer>& tokenizer,
                            std::string_view text) {
  std::shared_ptr<const Tokenizer> again;
  try {
    again = tokenizer_from_json(tokenizer->to_json(), "again");
  } catch (const UserError& error) {
    expect(false, std::string("a tokenizer reads what it wrote: ") + error.what());
  }
  expect(again->vocab_size() == tokenizer->vocab_size(), "the vocabulary survives writing");
  expect(again->boundary_id() == tokenizer->boundary_id(), "the boundary survives writing");
  expect(again->separator_id() == tokenizer->separator_id(), "the separator survives writing");
  expect(again->mask_id() == tokenizer->mask_id(), "the mask survives writing");
  expect(again->padding_id() == tokenizer->padding_id(), "the padding survives writing");
  for (const auto part : {text, std::string_view("The İstanbul cat's  42 \U0001F600 e\u0301!\n")}) {
    expect(checked_ids(*again, part) == checked_ids(*tokenizer, part), "the ids survive writing");
  }
}

}  // namespace zoo
