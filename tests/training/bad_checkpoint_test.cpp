// The files of a checkpoint that are whole by their manifest and say what cannot be: hostile ones.
#include <functional>
#include <string>

#include <torch/utils.h>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "core/plain_text.h"
#include "core/safetensors.h"
#include "tests/support/catch.h"
#include "tests/support/forked.h"
#include "tests/support/sanitized.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_training.h"
#include "training/checkpoint_observer.h"
#include "training/vocabulary.h"

namespace zoo {
namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostKib = 64 << 10;

/// A run of a few steps and its checkpoint, whose files tests replace.
struct TrainedRun {
  explicit TrainedRun(const std::string& task)
      : experiment(make_tiny_experiment(tiny_config(folder / "data", find_architecture("mlp"),
                                                    {"training.max_steps=2"}, task))) {
    torch::set_num_threads(1);  // a forked process has no other threads
    train_tiny(folder / "run", experiment, 2);
    checkpoint = read_checkpoint(folder / "run", "last", experiment.config.identity());
  }

  /// Everything that resuming reads of a checkpoint.
  void read(const Checkpoint& from) {
    const auto vocabulary = vocabulary_of(from);
    const auto facts = facts_of(vocabulary);
    const auto model = experiment.architecture.build(experiment.config.model, facts);
    Optimizer optimizer(*model, experiment.config.optimizer);
    (void)restore_checkpoint(from, *model, &optimizer, torch::kCPU);
  }

  Json state() const { return Json::parse(checkpoint.files.at("state.json")); }

  TemporaryFolder folder;
  Experiment experiment;
  Checkpoint checkpoint;
};

struct BadContent {
  std::string kind;
  std::string file;
  std::string says;
  std::function<std::string()> bytes;
};

void check_refused(TrainedRun& run, const std::vector<BadContent>& kinds) {
  const auto read = [&](const Checkpoint& checkpoint) {
    return forked([&] {
      try {
        run.read(checkpoint);
        return std::string("accepted");
      } catch (const UserError& error) {
        return std::string("refused: ") + error.what();
      }
    });
  };
  const auto good = read(run.checkpoint);
  INFO(good.text);
  REQUIRE(good.text == "accepted");
  for (const auto& bad : kinds) {
    auto checkpoint = run.checkpoint;
    checkpoint.files.at(bad.file) = bad.bytes();
    const auto result = read(checkpoint);
    INFO(bad.file << ", " << bad.kind << ": " << result.text.substr(0, 500));
    CHECK(result.signal == 0);
    CHECK(result.code == 0);
    CHECK(result.text.starts_with("refused: "));
    CHECK(is_plain_text(result.text));
    CHECK(result.text.size() < 2'000);
    CHECK_THAT(result.text, ContainsSubstring(run.checkpoint.folder.string() + "/"));
    CHECK_THAT(result.text, ContainsSubstring(bad.says));
    if (!kSanitized) {
      CHECK(result.peak_kib - good.peak_kib <= kMostKib);
      CHECK(result.cpu_seconds < 1.0);
    }
  }
}

/// state.json with the value at a place replaced.
BadContent state(const TrainedRun& run, const std::string& kind, const std::string& place,
                 const Json& value, const std::string& says = "") {
  auto json = run.state();
  json[Json::json_pointer(place)] = value;
  return {kind, "state.json", says, [json] { return json.dump(); }};
}

BadContent without(const TrainedRun& run, const std::string& key, const std::string& says = "") {
  auto json = run.state();
  json.erase(key);
  return {"without " + key, "state.json", says, [json] { return json.dump(); }};
}

BadContent text(const std::string& kind, const std::string& file, const std::string& bytes) {
  return {kind, file, "", [bytes] { return bytes; }};
}

TEST_CASE("a state.json of text that says what cannot be is refused in one line") {
  TrainedRun run("language_model");
  std::vector<BadContent> kinds = {
      text("empty", "state.json", ""),
      text("array", "state.json", "[]"),
      BadContent{"null", "state.json", "is not the state of a run", [] { return "null"; }},
      text("text", "state.json", "\"state\""),
      text("number", "state.json", "7"),
      text("cut", "state.json", run.checkpoint.files.at("state.json").substr(0, 200)),
      text("zeros", "state.json", std::string(4096, '\0')),
      text("empty object", "state.json", "{}"),
      text("a key twice", "state.json", R"({"progress":{},"progress":{}})"),
      {"101 levels", "state.json", "nested deeper", [] { return std::string(101, '['); }},
      {"12 MiB of objects", "state.json", "",
       [] {
         std::string objects = R"({"x":[{})";
         for (int i = 0; i < 4 << 20; ++i) objects += ",{}";
         return objects + "]}";
       }},
      without(run, "tokenizer"),
      without(run, "progress", "is not the state of a run"),
      without(run, "random", "is not the state of a run"),
      state(run, "random null", "/random", nullptr),
      state(run, "random text", "/random", "cafe"),
      state(run, "random array", "/random", Json::array({"cpu"})),
      state(run, "generator number", "/random/cpu", 7, "random.cpu"),
      state(run, "generator of 4 digits", "/random/cpu", "cafe", "random.cpu"),
      state(run, "generator of odd length", "/random/cpu", "caf", "random.cpu"),
      state(run, "generator of other characters", "/random/cpu", std::string(10'112, 'x'),
            "random.cpu"),
      state(run, "generator of 500 KB", "/random/cpu", std::string(500'000, '0'), "random.cpu"),
      state(run, "progress null", "/progress", nullptr),
      state(run, "progress array", "/progress", Json::array()),
      state(run, "step text", "/progress/step", "2"),
      state(run, "step null", "/progress/step", nullptr),
      state(run, "seconds object", "/progress/seconds", Json::object()),
      state(run, "window_loss array", "/progress/window_loss", Json::array()),
      state(run, "best_loss text", "/progress/best_loss", "low"),
      state(run, "tokenizer null", "/tokenizer", nullptr, "is not described by"),
      state(run, "tokenizer text", "/tokenizer", "none", "is not described by"),
      state(run, "tokenizer array", "/tokenizer", Json::array({1})),
      state(run, "hash number", "/tokenizer/sha256", 7, "is not described by"),
      state(run, "hash null", "/tokenizer/sha256", nullptr, "is not described by"),
      state(run, "hash of control characters", "/tokenizer/sha256", "\n\x1B[2J\x07\n\n\n\n\n\n"),
      state(run, "hash cut in a character", "/tokenizer/sha256", "abcdefghijk\xC3\xB6pek"),
      state(run, "another hash", "/tokenizer/sha256", std::string(64, '0'), "does not fit"),
      state(run, "size text", "/tokenizer/vocab_size", "many", "is not described by"),
      state(run, "images beside text", "/images", Json::object()),
      state(run, "a tokenizer of sources that is not there", "/source_tokenizer", Json::object()),
      state(run, "classes text", "/classes", "a", "classes"),
      state(run, "classes of numbers", "/classes", Json::array({1, 2}), "classes"),
  };
  check_refused(run, kinds);
}

TEST_CASE("a state.json of images that says what cannot be is refused in one line") {
  TrainedRun run("image_classification");
  check_refused(
      run,
      {
          without(run, "images"),
          state(run, "images null", "/images", nullptr),
          state(run, "images array", "/images", Json::array()),
          state(run, "no channels", "/images/channels", 0),
          state(run, "channels text", "/images/channels", "1"),
          state(run, "2^62 channels", "/images/channels", std::int64_t{1} << 62),
          state(run, "100,000 channels", "/images/channels", 100'000, "do not fit together"),
          state(run, "height -1", "/images/height", -1),
          state(run, "height 2^40", "/images/height", std::int64_t{1} << 40, "sides of at most"),
          state(run, "width 2^62", "/images/width", std::int64_t{1} << 62),
          state(run, "width 1.5", "/images/width", "1.5"),
          state(run, "two means", "/images/mean", Json::array({1.0, 2.0}), "do not fit together"),
          state(run, "mean number", "/images/mean", 1.0),
          state(run, "deviation of text", "/images/deviation", Json::array({"1"})),
          state(run, "no deviation", "/images/deviation", Json::array()),
          state(run, "classes null", "/classes", nullptr, "classes"),
      });
}

/// How many changed copies of state.json were taken, and what was no answer to the others.
std::string answers_to(TrainedRun& run, const std::vector<std::string>& copies) {
  Optimizer optimizer(*run.experiment.model, run.experiment.config.optimizer);
  std::size_t accepted = 0;
  for (const auto& bytes : copies) {
    auto checkpoint = run.checkpoint;
    checkpoint.files["state.json"] = bytes;
    try {
      (void)vocabulary_of(checkpoint);
      (void)restore_checkpoint(checkpoint, *run.experiment.model, &optimizer, torch::kCPU);
      ++accepted;
    } catch (const UserError& error) {
      if (!is_plain_text(error.what())) return std::string("more than a line: ") + error.what();
    }
  }
  return std::to_string(accepted) + " taken";
}

TEST_CASE("a state.json that is cut, or has any bit of its start flipped, is taken or refused") {
  for (const char* task : {"language_model", "image_classification"}) {
    TrainedRun run(task);
    const auto text = run.state().dump();
    std::vector<std::string> copies;
    for (std::size_t size = 0; size < text.size(); size += size < 400 ? 1 : 97) {
      copies.push_back(text.substr(0, size));
    }
    // The generator's long state stands between what the rest says.
    const auto generator = text.find("\"random\"");
    for (std::size_t at = 0; at < text.size(); ++at) {
      if (at > generator + 100 && at + 300 < text.size()) continue;
      for (int bit = 0; bit < 8; ++bit) {
        copies.push_back(text);
        copies.back()[at] = static_cast<char>(text[at] ^ (1 << bit));
      }
    }
    const auto result = forked([&] { return answers_to(run, copies); }, 60);
    INFO(task << ": " << copies.size() << " copies, " << result.text);
    CHECK(result.signal == 0);
    CHECK(result.code == 0);
    CHECK(result.text.ends_with(" taken"));
  }
}

/// The weights with one of their tensors changed.
BadContent weights(const TrainedRun& run, const std::string& file, const std::string& kind,
                   const std::string& says,
                   const std::function<void(std::vector<TensorEntry>&)>& change) {
  const auto& bytes = run.checkpoint.files.at(file);
  return {kind, file, says, [=] {
            auto tensors = parse_safetensors(bytes, "good").tensors;
            change(tensors);
            return write_safetensors(std::move(tensors), {});
          }};
}

TEST_CASE("tensors that are not the model's are refused in one line") {
  TrainedRun run("language_model");
  static const std::string zeros(1 << 16, '\0');
  std::vector<BadContent> kinds;
  for (const auto* file : {"model.safetensors", "optimizer.safetensors"}) {
    const auto add = [&](const std::string& kind, const std::string& says, const auto& change) {
      kinds.push_back(weights(run, file, kind, says, change));
    };
    add("one less", "is missing", [](auto& tensors) { tensors.pop_back(); });
    add("none", "is missing", [](auto& tensors) { tensors.clear(); });
    add("one more", "does not have", [](auto& tensors) {
      tensors.push_back({"another", "U8", {1}, std::string_view(zeros).substr(0, 1)});
    });
    add("one more with a terminal escape", "does not have", [](auto& tensors) {
      tensors.push_back({"\x1B[2J\n", "U8", {1}, std::string_view(zeros).substr(0, 1)});
    });
    add("one more with a name of 1 MiB", "does not have", [](auto& tensors) {
      tensors.push_back(
          {std::string(1 << 20, 'n'), "U8", {1}, std::string_view(zeros).substr(0, 1)});
    });
    add("another type", "the model needs", [](auto& tensors) { tensors.front().dtype = "I32"; });
    add("another shape", "the model needs",
        [](auto& tensors) { tensors.front().shape.insert(tensors.front().shape.begin(), 1); });
    add("no elements", "the model needs", [](auto& tensors) {
      tensors.front().shape = {0};
      tensors.front().bytes = {};
    });
    kinds.push_back(text("empty", file, ""));
    kinds.push_back(text("cut", file, run.checkpoint.files.at(file).substr(0, 500)));
  }
  check_refused(run, kinds);
}

TEST_CASE("a tokenizer that is not the one of the weights is refused in one line") {
  TrainedRun run("language_model");
  auto other = Json::parse(run.checkpoint.files.at("tokenizer.json"));
  other["added_tokens"][0]["special"] = false;
  check_refused(
      run, {text("empty", "tokenizer.json", ""),
            text("array", "tokenizer.json", "[]"),
            text("cut", "tokenizer.json", run.checkpoint.files.at("tokenizer.json").substr(0, 300)),
            text("changed", "tokenizer.json", other.dump()),
            text("33 levels", "tokenizer.json", std::string(33, '[')),
            {"16 MiB of zeros", "tokenizer.json", "", [] {
               std::string zeros = R"({"version":[0)";
               for (int i = 0; i < 8 << 20; ++i) zeros += ",0";
               return zeros + "]}";
             }}});
}

}  // namespace
}  // namespace zoo
