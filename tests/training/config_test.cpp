#include "training/config.h"

#include <sys/stat.h>

#include "core/errors.h"
#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "training/experiment.h"
#include "training/run_folder.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

/// Reads the text as a config file, with settings over it, and resolves it.
Config resolved(const std::string& text, const std::vector<std::string>& settings = {}) {
  const TemporaryFolder folder;
  write_file_synced(folder / "config.json", text);
  return resolve_config(read_config(folder / "config.json", settings));
}

constexpr const char* kSmall = R"({
  // comments are fine
  "architecture": "gpt",
  "data": {"path": "names.txt"},
  "training": {"max_steps": 10}
})";

TEST_CASE("a config is resolved with every default, and comes back from its own JSON") {
  const auto config = resolved(kSmall);
  CHECK(config.model.at("n_layers") == 4);
  CHECK(config.training.batch_size == 32);
  CHECK(!config.to_json().at("training").contains("epochs"));  // no nulls
  const auto again = resolved(config.to_json().dump());
  CHECK(again.to_json() == config.to_json());
  CHECK(again.identity() == config.identity());
}

TEST_CASE("settings from the command line beat the file, and null takes a value away") {
  const auto config =
      resolved(kSmall, {"model.d_model=128", "optimizer.betas=[0.8,0.9]", "training.max_steps=null",
                        "training.epochs=3", "data.path=a,b.txt"});
  CHECK(config.model.at("d_model") == 128);
  CHECK(config.optimizer.betas[0] == 0.8);
  CHECK(!config.training.max_steps);
  CHECK(config.training.epochs == 3);
  CHECK(config.data.path == "a,b.txt");
  CHECK_THROWS_WITH(resolved(kSmall, {"training.epochs=3"}), ContainsSubstring("both set"));
  CHECK_THROWS_WITH(resolved(kSmall, {"d_model"}), ContainsSubstring("expected KEY=VALUE"));
  CHECK_THROWS_WITH(resolved(kSmall, {"architecture.x=1"}), ContainsSubstring("not a section"));
}

TEST_CASE("unknown keys are refused with the nearest name or the section where they belong") {
  const auto message = [](const std::string& setting) {
    try {
      resolved(kSmall, {setting});
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK_THAT(message("model.n_head=2"), ContainsSubstring("did you mean n_heads?"));
  CHECK_THAT(message("model.learning_rate=1"), ContainsSubstring("it belongs in optimizer"));
  CHECK_THAT(message("batch_size=1"), ContainsSubstring("it belongs in training"));
  CHECK_THAT(message("model.seed=1"), ContainsSubstring("it belongs at the top"));
  CHECK_THAT(message("trainning.max_steps=1"), ContainsSubstring("did you mean training?"));
  CHECK_THAT(message("architecture=gtp"), ContainsSubstring("did you mean gpt?"));
  CHECK_THAT(message("task=translate"), ContainsSubstring("choose one of language_model"));
  CHECK_THAT(message("model.dropout=1.0"),
             ContainsSubstring("model.dropout: 1.0 is outside [0, 1)"));
  CHECK_THAT(message("model.d_model=12.5"), ContainsSubstring("expected an integer"));
  CHECK_THAT(message("training.batch_size=true"), ContainsSubstring("expected an integer"));
  CHECK_THAT(message("device=gpu"), ContainsSubstring("choose auto, cpu, cuda or cuda:N"));
  CHECK_THAT(message("data.train_path=x"), ContainsSubstring("data."));
  CHECK_THAT(message("model.n_layers=1001"), ContainsSubstring("is outside [1, 1000]"));
  CHECK_THAT(message("training.accumulate=1000000001"),
             ContainsSubstring("training.accumulate: 1000000001 is beyond 1,000,000,000"));
  CHECK_THAT(message("optimizer.betas=[0.8,-2000000000]"),
             ContainsSubstring("optimizer.betas.1: -2000000000 is beyond"));
  CHECK(message("seed=9000000000000000000") == "accepted");
  CHECK(message("data.split_seed=9000000000000000000") == "accepted");
}

TEST_CASE("a message says whether the file or the command line is to blame") {
  CHECK_THROWS_WITH(resolved(kSmall, {"model.n_heads=3"}),
                    ContainsSubstring("--set: model.n_heads: 3 does not divide d_model 64"));
  CHECK_THROWS_WITH(resolved(R"({"architecture": "gpt", "model": {"n_heads": 3},
                                 "data": {"path": "x"}})"),
                    ContainsSubstring("config.json: model.n_heads: 3"));
  const TemporaryFolder folder;
  write_file_synced(folder / "config.json", kSmall);
  const auto raw = read_config(folder / "config.json", {"model.d_model=32"});
  CHECK(origin_of(raw, "model", "d_model") == "--set");
  CHECK(origin_of(raw, "training", "max_steps") == "file");
  CHECK(origin_of(raw, "training", "batch_size") == "default");
}

TEST_CASE("data paths are found from the config's folder and those above it, or from here") {
  const TemporaryFolder folder;
  make_folders(folder / "configs" / "names");
  make_folders(folder / "data");
  write_file_synced(folder / "data" / "names.txt", "emma\n");
  write_file_synced(folder / "configs" / "names" / "gpt.json",
                    R"({"architecture": "gpt", "data": {"path": "data/names.txt"}})");
  const auto raw = read_config(folder / "configs" / "names" / "gpt.json", {});
  auto config = resolve_config(raw);
  locate_data(raw, config);
  CHECK(fs::equivalent(config.data.path, folder / "data" / "names.txt"));

  const auto missing =
      read_config(folder / "configs" / "names" / "gpt.json", {"data.path=data/no-such.txt"});
  auto other = resolve_config(missing);
  CHECK_THROWS_WITH(locate_data(missing, other),
                    ContainsSubstring("data.path: no file or folder data/no-such.txt"));

  const auto pipe = (folder / "pipe").string();
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const auto once = read_config(folder / "configs" / "names" / "gpt.json", {"data.path=" + pipe});
  auto read_once = resolve_config(once);
  CHECK_THROWS_WITH(locate_data(once, read_once),
                    ContainsSubstring("data.path: " + pipe + " is a pipe or a device"));
}

TEST_CASE("a device that is not there is refused with what there is") {
  CHECK(choose_device("cpu").is_cpu());
  CHECK_NOTHROW(choose_device("auto"));
  if (choose_device("auto").is_cpu()) {
    CHECK_THROWS_WITH(choose_device("cuda"), ContainsSubstring("has no CUDA"));
  } else {
    CHECK_THROWS_WITH(choose_device("cuda:99"), ContainsSubstring("GPUs"));
  }
}

TEST_CASE("the schema names every section, architecture and option") {
  const auto schema = config_schema();
  CHECK(schema.at("$schema") == "https://json-schema.org/draft/2020-12/schema");
  CHECK(schema.at("properties").at("training").at("properties").contains("max_steps"));
  CHECK(schema.at("properties").at("architecture").at("enum").size() == architectures().size());
  // One condition for each architecture, and one for what only text or only images have.
  REQUIRE(schema.at("allOf").size() == architectures().size() + 1);
  const auto& kinds = schema.at("allOf").back();
  const auto has = [&](const char* kind, const char* section, const char* option) {
    const auto& properties = kinds.at(kind).at("properties");
    return properties.contains(section) && properties.at(section).at("properties").contains(option);
  };
  CHECK(has("then", "data", "largest_value"));
  CHECK(has("then", "augmentation", "cutout"));
  CHECK(!has("then", "tokenizer", "type"));
  CHECK(has("else", "data", "catalogues"));
  CHECK(has("else", "tokenizer", "type"));
  CHECK(schema.at("additionalProperties") == false);
}

TEST_CASE("a run folder keeps its data, is not made twice, and notices data that changed") {
  const TemporaryFolder folder;
  write_file_synced(folder / "names.txt",
                    "emma\nava\nnoah\nliam\nolivia\nsada\njohn\nmia\nzoe\nida\n");
  write_file_synced(folder / "config.json", kSmall);
  const auto raw = read_config(folder / "config.json", {});
  auto config = resolve_config(raw);
  locate_data(raw, config);
  const auto experiment = make_experiment(std::move(config));
  create_run_folder(folder / "run", experiment);
  CHECK_THROWS_WITH(create_run_folder(folder / "run", experiment),
                    ContainsSubstring("exists already"));

  fs::rename(folder / "run", folder / "moved");
  fs::remove(folder / "names.txt");
  const auto run_raw = read_config(folder / "moved" / "config.json", {});
  auto run_config = resolve_config(run_raw);
  CHECK(run_config.data.path == "data/names.txt");
  locate_data(run_raw, run_config);
  const auto known = [&] {
    return with_known_data(run_raw, run_config, [&] {
      return make_experiment(run_config, experiment.vocabulary.tokenizers);
    });
  };
  CHECK_NOTHROW(known());
  const auto change = [&](const std::string& text) {
    write_file_synced(folder / "moved" / "data" / "names.txt", text);
  };
  change("emma\nava\nnoah\nliam\nolivia\nsada\njohn\nmia\nzoe\nada\n");
  CHECK_THROWS_WITH(known(), ContainsSubstring("was changed since the run started"));
  change("emma\nava\nnoah\nliam\nolivia\nsada\njohn\nmia\nzo\u00eb\nida\n");  // a new character
  CHECK_THROWS_WITH(known(), ContainsSubstring("was changed since the run started"));
}

}  // namespace
}  // namespace zoo
