#include <charconv>
#include <iostream>

#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/table.h"
#include "core/errors.h"
#include "core/files.h"
#include "core/names.h"
#include "text/running_text.h"
#include "text/tokenizers/tokenizer.h"

namespace zoo {
namespace {

using Strings = std::vector<std::string>;

Strings rest_of(const cxxopts::ParseResult& arguments) {
  return arguments.count("text") > 0 ? arguments["text"].as<Strings>() : Strings{};
}

std::shared_ptr<const Tokenizer> loaded(const cxxopts::ParseResult& arguments) {
  return load_tokenizer(positional(arguments, "file"), TokenRoles{});
}

/// Calls `visit` with each argument, or with each line of stdin where there are none.
template <class Visit>
void for_each_input(const Strings& given, const Visit& visit) {
  for (const auto& text : given) visit(text);
  if (!given.empty()) return;
  for (std::string line; std::getline(std::cin, line);) visit(line);
}

TokenizerOptions training_options(const cxxopts::ParseResult& arguments) {
  TokenizerOptions options;
  nlohmann::json given = nlohmann::json::object();
  given["type"] = arguments["type"].as<std::string>();
  given["vocab_size"] = arguments["vocab-size"].as<std::int64_t>();
  given["min_frequency"] = arguments["min-frequency"].as<std::int64_t>();
  given["unknown"] = arguments["unknown"].as<std::string>();
  given["lowercase"] = arguments.count("cased") == 0;
  for (const auto* role : {"boundary", "separator"}) {
    if (arguments.count(role) > 0) given[role] = arguments[role].as<std::string>();
  }
  return read_options<TokenizerOptions>(given, "tokenizer");
}

int train(const cxxopts::ParseResult& arguments) {
  const auto options = training_options(arguments);
  require<UserError>(arguments.count("file") > 0, "zoo tokenizer train: no text file given");
  Strings paths = {arguments["file"].as<std::string>()};
  for (const auto& path : rest_of(arguments)) paths.push_back(path);
  require<UserError>(arguments.count("out") > 0,
                     "zoo tokenizer train: --out is missing, the tokenizer.json to write");
  const TokenRoles roles = {arguments.count("boundary") > 0 ? options.boundary : "",
                            arguments.count("separator") > 0 ? options.separator : ""};
  require<UserError>(roles.separator.empty() || !roles.boundary.empty(),
                     "--separator: needs --boundary, which starts and ends a pair");
  Strings notes;
  std::vector<RunningText> texts;
  for (const auto& path : paths) texts.push_back(scan_running_text("text", path, notes));
  for (const auto& note : notes) std::cerr << "note: " << note << "\n";
  const auto tokenizer = train_tokenizer(
      options,
      [&](const auto& visit) {
        for (const auto& text : texts) {
          for_each_part({&text, 0, text.characters},
                        [&](std::string_view part, std::int64_t) { visit(part); });
        }
      },
      roles);
  const auto out = arguments["out"].as<std::string>();
  replace_file(out, tokenizer->to_json().dump(2) + "\n");
  std::cout << out << ": " << name_of(options.type) << ", " << with_commas(tokenizer->vocab_size())
            << " tokens\n";
  return kDone;
}

int encode(const cxxopts::ParseResult& arguments) {
  const auto tokenizer = loaded(arguments);
  const bool json_lines = arguments.count("json-lines") > 0;
  std::int64_t number = 0;
  for_each_input(rest_of(arguments), [&](const std::string& input) {
    ++number;
    auto text = input;
    if (json_lines) {
      const auto json = nlohmann::json::parse(input, nullptr, /*allow_exceptions=*/false);
      require<UserError>(json.is_string(), "text ", number, ": is not a JSON string");
      text = json.get<std::string>();
    }
    const auto ids = tokenizer->encode(text);
    if (json_lines) {
      std::cout << nlohmann::json(ids).dump() << "\n";
      return;
    }
    Strings shown;
    for (const auto id : ids) shown.push_back(std::to_string(id));
    std::cout << join(shown, " ") << "\n";
    if (arguments.count("tokens") == 0) return;
    shown.clear();
    for (const auto id : ids) shown.push_back(quoted(tokenizer->token(id)));
    std::cout << join(shown, " ") << "\n";
  });
  return kDone;
}

/// "12 5,7" or "[12, 5, 7]" -> ids.
std::vector<std::int64_t> ids_of(const std::string& text, const Tokenizer& tokenizer) {
  std::vector<std::int64_t> ids;
  constexpr std::string_view kBetween = " ,[]\t\r\n";
  for (auto at = text.find_first_not_of(kBetween); at != std::string::npos;
       at = text.find_first_not_of(kBetween, at)) {
    const auto end = std::min(text.find_first_of(kBetween, at), text.size());
    std::int64_t id = -1;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, id);
    require<UserError>(error == std::errc() && stop == text.data() + end,
                       "zoo tokenizer decode: ", quoted(text.substr(at, end - at)),
                       " is not a token id");
    require<UserError>(id >= 0 && id < tokenizer.vocab_size(),
                       "zoo tokenizer decode: no token has ", "the id ", id, "; ids are 0 to ",
                       tokenizer.vocab_size() - 1);
    ids.push_back(id);
    at = end;
  }
  return ids;
}

int decode(const cxxopts::ParseResult& arguments) {
  const auto tokenizer = loaded(arguments);
  const auto given = rest_of(arguments);
  const bool json_lines = arguments.count("json-lines") > 0;
  const auto print = [&](const std::string& line) {
    const auto text = tokenizer->decode(ids_of(line, *tokenizer));
    std::cout << (json_lines ? quoted(text) : text) << "\n";
  };
  if (given.empty()) {
    for_each_input(given, print);
  } else {
    print(join(given, " "));
  }
  return kDone;
}

int run(const cxxopts::ParseResult& arguments) {
  const auto action = positional(arguments, "action");
  if (action == "train") return train(arguments);
  if (action == "encode") return encode(arguments);
  if (action == "decode") return decode(arguments);
  throw UserError(text_of("zoo tokenizer: got ", action, "; choose train, encode or decode",
                          did_you_mean(action, {"train", "encode", "decode"})));
}

}  // namespace

Command tokenizer_command() {
  return {
      "tokenizer",
      "train|encode|decode FILE [TEXT...]",
      "Learns a tokenizer from text files; encodes text and decodes ids with any tokenizer.json",
      "zoo tokenizer train data/names.txt --type byte_bpe --vocab-size 512 --out names.json",
      [](cxxopts::Options& options) {
        using cxxopts::value;
        options.add_options()("action", "train, encode or decode", value<std::string>())(
            "file",
            "train: a text file, more may follow; else a tokenizer.json, vocab.json, vocab.txt or "
            "a folder with one of them",
            value<std::string>())("text", "encode: texts; decode: ids; without any, lines of stdin",
                                  value<Strings>())(
            "type", "train: character, bpe, byte_bpe or wordpiece",
            value<std::string>()->default_value("byte_bpe"),
            "TYPE")("vocab-size", "train: tokens to learn, special ones included",
                    value<std::int64_t>()->default_value("8000"),
                    "N")("min-frequency", "train: pieces are joined only if they meet this often",
                         value<std::int64_t>()->default_value("2"), "N")(
            "unknown",
            "train: an unknown character is an error, nothing or [UNK]: refuse, skip or "
            "replace",
            value<std::string>()->default_value("refuse"),
            "RULE")("cased", "train: a wordpiece keeps case and accents")(
            "boundary", "train: the token that starts and ends a line", value<std::string>(),
            "TOKEN")("separator", "train: the token between a source and its target",
                     value<std::string>(),
                     "TOKEN")("out", "train: the tokenizer.json to write", value<std::string>(),
                              "FILE")("tokens", "encode: show the tokens below the ids")(
            "json-lines", "encode: a JSON string a line to a JSON array; decode: the other way");
        options.parse_positional({"action", "file", "text"});
      },
      run};
}

}  // namespace zoo
