#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <nlohmann/json.hpp>

#include "text/tokenizers/added_tokens.h"
#include "text/tokenizers/normalizer.h"
#include "text/tokenizers/pre_tokenizer.h"
#include "text/tokenizers/subword_model.h"
#include "text/tokenizers/token_decoder.h"
#include "text/tokenizers/tokenizer.h"
#include "text/tokenizers/tokenizer_roles.h"
#include "text/tokenizers/word_cache.h"

namespace zoo {

/// Hugging Face's pipeline: added tokens are taken out of the text, what is left is normalized, cut
/// into words, and each word into the pieces of a model.
class SubwordTokenizer : public Tokenizer {
 public:
  /// `frame`: a tokenizer.json without its model. The ids of model and added tokens are 0 to V-1.
  /// Throws UserError naming `source` and the place of what is not supported or damaged.
  SubwordTokenizer(nlohmann::json frame, std::shared_ptr<const SubwordModel> model,
                   const std::string& source);

  std::vector<std::int64_t> encode(std::string_view text) const override;
  std::string decode(const std::vector<std::int64_t>& ids) const override;
  std::int64_t vocab_size() const override;
  std::string token(std::int64_t id) const override;
  std::int64_t boundary_id() const override { return roles_.boundary; }
  std::int64_t separator_id() const override { return roles_.separator; }
  std::int64_t mask_id() const override { return roles_.mask; }
  std::int64_t padding_id() const override { return roles_.padding; }
  nlohmann::json to_json() const override;

 private:
  void add_tokens(const std::vector<AddedToken>& tokens);
  void set_roles(const std::string& source);

  /// The id of an added token or one of the model, or -1.
  std::int64_t id_of(const std::string& token) const;
  void check(std::int64_t id) const;

  /// A text that is being encoded.
  struct Encoding {
    std::string_view text;
    std::vector<std::int64_t> ids;
    WordCache cache;
  };
  /// Encodes what stands between added tokens.
  void encode_part(std::string_view part, Encoding& encoding) const;
  void encode_words(std::string_view normalized, Encoding& encoding) const;
  [[noreturn]] void refuse(std::string_view word, std::size_t offset, std::string_view text) const;

  nlohmann::json frame_;
  std::shared_ptr<const SubwordModel> model_;
  Normalizer normalizer_;
  PreTokenizer pre_tokenizer_;
  TokenDecoder decoder_;
  struct Added {
    std::string content;
    std::string text;  ///< normalized like the text that it was found in
  };
  std::unordered_map<std::int64_t, Added> added_;
  std::unordered_map<std::string, std::int64_t> added_ids_;
  TokenFinder literal_tokens_;
  TokenFinder normalized_tokens_;
  std::int64_t vocab_size_ = 0;
  RoleIds roles_;
};

}  // namespace zoo
