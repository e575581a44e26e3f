#include "text/tokenizers/normalizer.h"

#include "text/tokenizers/bert_normalizer.h"
#include "text/utf8.h"

namespace zoo {

Normalizer::Normalizer(const JsonNode& json) {
  if (json.is_null()) return;
  if (json.type() != "Sequence") {
    steps_.push_back(step_of(json));
    return;
  }
  for (const auto& item : json.at("normalizers").items()) steps_.push_back(step_of(item));
}

Normalizer::Step Normalizer::step_of(const JsonNode& json) {
  const auto type = json.type();
  if (type == "BertNormalizer") {
    BertNormalizerOptions options;
    options.clean_text = json.at("clean_text").boolean();
    options.handle_chinese_chars = json.at("handle_chinese_chars").boolean();
    options.lowercase = json.at("lowercase").boolean();
    const auto strip = json.find("strip_accents");
    options.strip_accents = strip.is_null() ? options.lowercase : strip.boolean();
    return [options](CodePoints& text) { normalize_as_bert(text, options); };
  }
  if (type == "NFD") return [](CodePoints& text) { decompose(text, false); };
  if (type == "NFKD") return [](CodePoints& text) { decompose(text, true); };
  if (type == "NFC" || type == "NFKC") {
    return [compatible = type == "NFKC"](CodePoints& text) {
      decompose(text, compatible);
      compose(text);
    };
  }
  if (type == "Lowercase") return lower_case;
  json.fail(in_quotes(type),
            " is not supported; supported: null, BertNormalizer, NFC, NFD, NFKC, NFKD, Lowercase, "
            "one Sequence of those");
}

std::string Normalizer::apply(std::string_view text) const {
  auto code_points = decode_utf8(text, "the text");
  for (const auto& step : steps_) step(code_points);
  return to_utf8(code_points);
}

}  // namespace zoo
