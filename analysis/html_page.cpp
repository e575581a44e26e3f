#include "analysis/html_page.h"

#include <cstddef>

#include "core/errors.h"
#include "core/sha256.h"
#include "text/character_at.h"
#include "text/utf8.h"

namespace zoo {
namespace {

constexpr char32_t kReplacement = 0xFFFD;

/// What all pages look like.
constexpr std::string_view kPageStyle = R"css(
:root{color-scheme:light dark;--page:#f6f7f9;--panel:#fff;--ink:#1c2128;--soft:#5b6573;--line:#d5dae1;
--mark:#d9480f}
@media (prefers-color-scheme:dark){:root{--page:#0f1216;--panel:#171b21;--ink:#e6e9ee;--soft:#9aa5b4;
--line:#2e3640;--mark:#ffa94d}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
main{max-width:90rem;margin:auto;padding:1rem clamp(.75rem,2vw,2rem) 2rem}
h1,h2,h3,p{margin:0;overflow-wrap:anywhere}
h1{font-size:1.4rem;line-height:1.3}h2{font-size:1.05rem}h3{font-size:.85rem;font-weight:600}
bdi{white-space:pre-wrap}
.text{margin:.4rem 0;max-height:4.7rem;overflow:auto;white-space:pre-wrap}
section{background:var(--panel);border:1px solid var(--line);border-radius:.6rem;padding:.8rem}
)css";

/// How a content security policy names the one inline text that it allows.
std::string hash_source(std::string_view text) {
  return "'sha256-" + base64(from_hex(sha256(text))) + "'";
}

}  // namespace

bool disturbs_text(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x61C || c == 0x200E || c == 0x200F ||
         (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == kNoCharacter;
}

std::string displayable(std::string_view text) {
  std::string shown;
  for (std::size_t at = 0; at < text.size();) {
    const auto [c, size] = character_at(text, at);
    const bool kept = c == '\n' || c == '\t' || !disturbs_text(c);
    append_utf8(shown, kept ? c : kReplacement);
    at += size;
  }
  return shown;
}

std::string html_escaped(std::string_view text) {
  std::string html;
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c;
    }
  }
  return html;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    unsigned group = 0;
    for (std::size_t i = at; i < at + 3; ++i) {
      group = group << 8 | (i < bytes.size() ? static_cast<unsigned char>(bytes[i]) : 0U);
    }
    for (unsigned i = 0; i < 4; ++i) {
      text += at + i > bytes.size() ? '=' : kAlphabet[group >> (18 - 6 * i) & 63];
    }
  }
  return text;
}

std::string html_head(const HtmlHead& head) {
  const auto style = text_of(kPageStyle, head.style);
  return text_of(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n",
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ", "script-src ",
      hash_source(head.script), "; style-src ", hash_source(style),
      head.has_images ? "; img-src data:" : "", "; base-uri 'none'; form-action 'none'\">\n",
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n", "<title>",
      html_escaped(head.title), "</title>\n<style>", style, "</style>\n</head>\n");
}

}  // namespace zoo
