#include "tests/faults/tiny_runs.h"

#include <chrono>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "core/names.h"
#include "tests/support/catch.h"
#include "training/checkpoint.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kNames =
    "ada\nanna\nava\nbea\nbob\ncara\ndana\ndora\nella\nemma\nevan\nfinn\ngina\nhans\nida\nivan\n"
    "jana\njohn\nkai\nlara\nlea\nleo\nlina\nlucas\nmaia\nmax\nmia\nnina\nnoah\nola\notto\npaul\n";

Json config_of(const std::string& name) {
  const Json names = {{"path", "names.txt"}, {"val_fraction", 0.2}};
  Json config;
  if (name == "gpt") {
    config = {{"architecture", "gpt"},
              {"model", {{"d_model", 8}, {"n_heads", 2}, {"n_layers", 1}, {"dropout", 0.2}}},
              {"data", names}};
  } else if (name == "lstm") {
    config = {{"architecture", "rnn"},
              {"model", {{"cell", "lstm"}, {"d_model", 8}, {"d_hidden", 12}, {"dropout", 0.2}}},
              {"optimizer", {{"type", "sgd"}, {"learning_rate", 0.1}}},
              {"data", names}};
  } else if (name == "mlp") {
    config = {{"architecture", "mlp"},
              {"model", {{"block_size", 3}, {"d_model", 6}, {"d_hidden", 16}}},
              {"schedule", {{"type", "cosine"}, {"warmup_steps", 20}}},
              {"data", names}};
    config["training"]["accumulate"] = 2;
  } else if (name == "bert") {
    config = {
        {"architecture", "bert"},
        {"task", "masked_language_model"},
        {"tokenizer", {{"boundary", "[CLS]"}}},
        {"model",
         {{"block_size", 8}, {"d_model", 8}, {"n_heads", 2}, {"n_layers", 1}, {"dropout", 0.2}}},
        {"data", names}};
  } else {
    config = {
        {"architecture", "encoder_decoder"},
        {"task", "sequence_to_sequence"},
        {"model",
         {{"block_size", 8}, {"d_model", 8}, {"n_heads", 2}, {"n_layers", 1}, {"dropout", 0.2}}},
        {"data",
         {{"format", "pairs"},
          {"synthetic", "copy"},
          {"examples", 60},
          {"min_length", 3},
          {"max_length", 3},
          {"symbols", 4},
          {"val_fraction", 0.2}}}};
  }
  config["device"] = "cpu";
  config["training"].update({{"max_steps", TinyRuns::kSteps},
                             {"save_every", TinyRuns::kSaveEvery},
                             {"evaluate_every", 10},
                             {"report_every", 1},
                             {"batch_size", 8},
                             {"samples", 1},
                             {"sample_length", 8}});
  return config;
}

/// Every line of metrics.jsonl that is whole.
std::vector<Json> lines_of(const fs::path& run) {
  std::vector<Json> parsed;
  if (!fs::exists(run / "metrics.jsonl")) return parsed;
  std::istringstream lines(read_file(run / "metrics.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    parsed.push_back(Json::parse(line, nullptr, /*allow_exceptions=*/false));
    if (parsed.back().is_discarded()) parsed.pop_back();
  }
  return parsed;
}

Json without(Json object, const std::vector<std::string>& keys) {
  for (const auto& key : keys) object.erase(key);
  return object;
}

}  // namespace

TinyRuns::TinyRuns() {
  write_file_synced(folder_ / "names.txt", kNames);
  for (const auto& name : names()) {
    write_file_synced(folder_ / (name + ".json"), config_of(name).dump(2));
  }
}

TinyRuns& TinyRuns::shared() {
  static TinyRuns runs;
  return runs;
}

const std::vector<std::string>& TinyRuns::names() {
  static const std::vector<std::string> kAll = {"gpt", "lstm", "mlp", "bert", "encoder_decoder"};
  return kAll;
}

fs::path TinyRuns::fresh(const std::string& name) const {
  fs::remove_all(folder_ / name);
  return folder_ / name;
}

void TinyRuns::add(const std::string& name, const std::string& base,
                   const std::string& patch) const {
  auto config = config_of(base);
  config.merge_patch(Json::parse(patch));
  write_file_synced(folder_ / (name + ".json"), config.dump(2));
}

void TinyRuns::add_many_names(const std::string& file, int count) const {
  const std::string syllables[] = {"an", "be", "co", "da", "el", "fi", "go", "ha",
                                   "in", "jo", "ka", "li", "mo", "na", "or", "pe"};
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += syllables[i % 16] + syllables[i / 16 % 16] + syllables[i / 256 % 16] + "\n";
  }
  write_file_synced(folder_ / file, text);
}

std::unique_ptr<ChildProgram> TinyRuns::go_on(const std::string& config, const fs::path& run,
                                              const Environment& more) const {
  Environment environment = {{"OMP_NUM_THREADS", "1"}};
  environment.insert(more.begin(), more.end());
  std::vector<std::string> arguments = {"resume", run.string(), "--quiet"};
  if (newest_step(run) < 0) {
    fs::remove_all(run);
    arguments = {"train", (folder_ / (config + ".json")).string(), "--out", run.string(),
                 "--quiet"};
  }
  return std::make_unique<ChildProgram>(ZOO_PROGRAM, arguments, ChildSettings{environment});
}

ProgramResult TinyRuns::finish(const std::string& config, const fs::path& run,
                               const Environment& more) const {
  return go_on(config, run, more)->result();
}

bool TinyRuns::end(const std::string& config, const fs::path& run) const {
  const auto result = finish(config, run);
  return result.code == 0 ||
         (result.code == 2 && result.error.find("is finished") != std::string::npos);
}

const std::vector<FileCall>& TinyRuns::calls(const std::string& config) {
  whole(config);
  return calls_.at(config);
}

const fs::path& TinyRuns::whole(const std::string& config) {
  auto& run = whole_[config];
  if (run.empty()) {
    run = folder_ / ("whole-" + config);
    const auto start = std::chrono::steady_clock::now();
    const auto log = folder_ / ("calls-" + config);
    const auto result = finish(config, run, with_fault({}, run, log));
    calls_[config] = calls_in(log);
    seconds_[config] =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    INFO(result.error);
    REQUIRE(result.code == 0);
  }
  return run;
}

double TinyRuns::seconds(const std::string& config) {
  whole(config);
  return seconds_.at(config);
}

ProgramResult zoo_result(const std::vector<std::string>& arguments, const Environment& more) {
  Environment environment = {{"OMP_NUM_THREADS", "1"}};
  environment.insert(more.begin(), more.end());
  return run_program(ZOO_PROGRAM, arguments, environment);
}

std::int64_t newest_step(const fs::path& run) {
  std::int64_t newest = -1;
  for (const auto& name : names_in(run / "checkpoints")) {
    if (!name.starts_with("step-") || name.ends_with(".tmp")) continue;
    newest = std::max<std::int64_t>(newest, std::stoll(name.substr(5)));
  }
  return newest;
}

std::string identity_of_run(const fs::path& run) {
  const auto step = "step-" + std::to_string(newest_step(run));
  const auto manifest = read_file(run / "checkpoints" / step / "manifest.json");
  return Json::parse(manifest).at("identity").get<std::string>();
}

std::int64_t newest_whole_step(const fs::path& run) {
  if (newest_step(run) < 0) return -1;
  return read_newest_checkpoint(run, identity_of_run(run)).step;
}

bool has_line(const fs::path& run, const std::string& kind, std::int64_t step) {
  for (const auto& line : lines_of(run)) {
    if (line.at("kind") == kind && line.at("step") == step) return true;
  }
  return false;
}

std::int64_t last_reported_step(const fs::path& run) {
  std::int64_t last = 0;
  for (const auto& line : lines_of(run)) {
    if (line.at("kind") == "train") last = line.at("step").get<std::int64_t>();
  }
  return last;
}

std::vector<std::string> differences(const fs::path& run, const fs::path& whole) {
  std::vector<std::string> found;
  const auto compare = [&](const std::string& what, const auto& a, const auto& b) {
    if (!(a == b)) found.push_back(what);
  };
  const auto identity = identity_of_run(whole);
  for (const std::string name : {"last", "best"}) {
    const auto a = read_checkpoint(run, name, identity), b = read_checkpoint(whole, name, identity);
    compare(name + ": step", a.step, b.step);
    compare(name + ": files", a.files.size(), b.files.size());
    for (const auto& [file, bytes] : b.files) {
      if (file != "state.json") compare(name + ": " + file, a.file(file), bytes);
    }
    const auto state = Json::parse(a.file("state.json"));
    const auto expected = Json::parse(b.file("state.json"));
    compare(name + ": random", state.at("random"), expected.at("random"));
    compare(name + ": progress", without(state.at("progress"), {"seconds"}),
            without(expected.at("progress"), {"seconds"}));
  }
  const auto lines = lines_of(run), expected = lines_of(whole);
  compare("metrics.jsonl: lines", lines.size(), expected.size());
  for (std::size_t i = 0; i < std::min(lines.size(), expected.size()); ++i) {
    const std::vector<std::string> times = {"seconds", "tokens_per_second"};
    const auto a = without(lines[i], times), b = without(expected[i], times);
    if (a != b) found.push_back(text_of("metrics.jsonl: line ", i + 1, ": ", a.dump()));
    if (found.size() > 8) break;
  }
  const std::vector<std::string> own = {"run", "seconds", "step_ms", "tokens_per_second"};
  compare("summary.json", without(Json::parse(read_file(run / "summary.json")), own),
          without(Json::parse(read_file(whole / "summary.json")), own));
  return found;
}

void check_same_result(const fs::path& run, const fs::path& whole) {
  CHECK(join(differences(run, whole), "; ") == "");
}

}  // namespace zoo
