// Every kind of data trains, is cut into batches that are a function of seed and step, and resumes
// bit for bit.
#include <cstdlib>

#include <torch/types.h>
#include <torch/utils.h>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/mo_file.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_training.h"
#include "training/checkpoint.h"

namespace zoo {
namespace {

using Settings = std::vector<std::string>;

struct DataKind {
  const char* name;
  Settings settings;
};

/// What every kind reads; written into a folder.
void write_data(const std::filesystem::path& folder) {
  make_folders(folder);
  std::string table, sources, targets, text;
  MoStrings messages = {mo_header("UTF-8")};
  for (int i = 0; i < 40; ++i) {
    const std::string word(static_cast<std::size_t>(1 + i % 9), static_cast<char>('a' + i % 7));
    const auto number = std::to_string(i);
    table += (i % 2 == 0 ? "even\t" : "odd\t") + word + number + "\n";
    sources += word + number + "\n";
    targets += number + "ğ\n";
    text += "the " + word + " said " + number + ".\n";
    messages.emplace_back("File " + number + " " + word, "Dosya " + number);
  }
  write_file_synced(folder / "table.tsv", table);
  write_file_synced(folder / "sources.txt", sources);
  write_file_synced(folder / "targets.txt", targets);
  write_file_synced(folder / "text.txt", text);
  make_folders(folder / "tr/LC_MESSAGES");
  write_file_synced(folder / "tr/LC_MESSAGES/files.mo", mo_file(messages));
}

const Settings kPairTask = {"task=sequence_to_sequence", "tokenizer.unknown=replace",
                            "model.block_size=48"};

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

std::vector<DataKind> data_kinds(const std::filesystem::path& folder) {
  const auto file = [&](const char* option, const char* name) {
    return "data." + std::string(option) + "=" + (folder / name).string();
  };
  const Settings pairs = with(kPairTask, {"data.path=null", "data.format=pairs"});
  return {
      {"lines by WordPieces", {"tokenizer.type=wordpiece", "tokenizer.vocab_size=60"}},
      {"lines by byte pairs over characters",
       {"tokenizer.type=bpe", "tokenizer.vocab_size=60", "tokenizer.unknown=replace"}},
      {"running text by byte pairs",
       {file("path", "text.txt"), "data.format=text", "tokenizer.type=byte_bpe",
        "tokenizer.vocab_size=280"}},
      {"running text in a token file",
       {file("path", "text.txt"), "data.format=text", "data.token_file=true",
        "tokenizer.unknown=replace"}},
      {"two columns", with(pairs, {file("path", "table.tsv")})},
      {"parallel files",
       with(pairs, {file("path", "sources.txt"), file("target_path", "targets.txt")})},
      {"labelled lines", with(kPairTask, {file("path", "table.tsv"), "data.format=labelled"})},
      {"gettext catalogues", with(pairs, {"data.catalogues=tr", file("catalogue_folder", ".")})},
      {"a synthetic task", with(pairs, {"data.synthetic=sort", "data.examples=60"})},
      {"pairs for a language model",
       with(pairs, {"task=language_model", file("path", "table.tsv")})},
  };
}

TEST_CASE("every kind of data trains and resumes bit for bit") {
  const TemporaryFolder folder;
  ::setenv("ZOO_CACHE", (folder / "cache").c_str(), 1);
  write_data(folder.path());
  for (const auto& kind : data_kinds(folder.path())) {
    INFO(kind.name);
    const auto place = folder / kind.name;
    const auto raw = tiny_config(place, find_architecture("gpt"), kind.settings);
    auto whole = make_tiny_experiment(raw);
    train_tiny(place / "whole", whole, 12);
    auto first = make_tiny_experiment(raw);
    train_tiny(place / "stopped", first, 12, 5);
    torch::manual_seed(12345);  // another process has other random numbers
    auto second = make_tiny_experiment(raw);
    train_tiny(place / "stopped", second, 12);
    const auto identity = first.config.identity();
    const auto expected = read_newest_checkpoint(place / "whole", identity);
    const auto actual = read_newest_checkpoint(place / "stopped", identity);
    CHECK(expected.step == 12);
    CHECK(actual.file("model.safetensors") == expected.file("model.safetensors"));
    CHECK(actual.file("optimizer.safetensors") == expected.file("optimizer.safetensors"));
  }
}

}  // namespace
}  // namespace zoo
