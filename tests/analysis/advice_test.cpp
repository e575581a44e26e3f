// Each advice of the doctor, with an examination that calls for it and one that just does not.
#include "analysis/advice.h"

#include <algorithm>
#include <limits>

#include "core/files.h"
#include "tests/support/catch.h"

namespace zoo {
namespace {

using Change = void (*)(Examination& found);

/// A run in which nothing is wrong.
Examination sound() {
  Examination found;
  found.config.model = {{"dropout", 0.0}, {"block_size", 16}};
  found.config.training.batch_size = 32;
  found.config.training.evaluate_every = 500;
  found.config.schedule.warmup_steps = 100;
  found.unit = "lines";
  found.splits = {{"train", 20'000, 140'000}, {"val", 2'000, 14'000}};
  found.rows_are_examples = true;
  found.block_size = 16;
  found.longest = 15;
  found.tokens = {27, 27, 0};
  found.parameters = 200'000;
  found.batches = 625;
  found.steps = 5'000;
  found.memory = {std::int64_t{1} << 28, std::int64_t{1} << 28, std::int64_t{1} << 33};
  found.trial = Trial{100, 10.0, 0.2, true};
  return found;
}

void read_images(Examination& found) {
  found.config.general.task = TaskType::kImageClassification;
  found.unit = "images";
  found.classes = {"a", "b"};
  for (auto& split : found.splits) {
    split.tokens = 0;
    split.class_counts = {split.examples / 2, split.examples - split.examples / 2};
  }
  found.rows_are_examples = false;
  found.tokens = {};
}

void tell_classes(Examination& found, std::int64_t of_second) {
  found.config.general.task = TaskType::kTextClassification;
  found.classes = {"a", "b"};
  for (auto& split : found.splits) {
    split.class_counts = {split.examples * (100 - of_second) / 100,
                          split.examples * of_second / 100};
  }
}

void read_running_text(Examination& found, std::int64_t train, std::int64_t val) {
  found.config.data.format = TextFormat::kText;
  found.rows_are_examples = false;
  found.splits[0].tokens = train;
  found.splits[1].tokens = val;
}

void learn_pieces(Examination& found, TokenUse use) {
  found.config.tokenizer.type = TokenizerType::kByteBpe;
  found.tokens = use;
}

void count_grams(Examination& found, std::int64_t order) {
  found.order = order;
  found.trial = std::nullopt;
  found.steps = 0;
  found.batches = 0;
}

/// A run of 90 steps over a split of so many batches.
void make_short(Examination& found, std::int64_t batches) {
  found.batches = batches;
  found.steps = 90;
  found.config.schedule.warmup_steps = 0;
  found.config.training.evaluate_every = 10;
}

struct Case {
  std::string id;
  Change calls;   ///< for the advice
  Change spares;  ///< it, if only just
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"refused-example", [](auto& found) { found.refusal = "data: line 3 needs 20 positions"; },
       [](auto& found) { found.longest = found.block_size; }},
      {"unseen-characters", [](auto& found) { found.splits[1].unseen_characters = 1; },
       [](auto& found) {
         found.splits[1].unseen_characters = 3;
         found.config.tokenizer.unknown = UnknownCharacter::kReplace;
       }},
      {"no-validation", [](auto& found) { found.splits.pop_back(); },
       [](auto& found) { found.splits.push_back({"test", 10, 70}); }},
      {"small-validation", [](auto& found) { found.splits[1].examples = 99; },
       [](auto& found) { found.splits[1].examples = 100; }},
      {"small-validation", [](auto& found) { read_running_text(found, 1'000'000, 9'999); },
       [](auto& found) { read_running_text(found, 1'000'000, 10'000); }},
      {"large-validation", [](auto& found) { found.splits[1].examples = 20'000; },
       [](auto& found) { found.splits[1].examples = 9'000; }},
      {"large-validation",
       [](auto& found) {
         found.splits[0].examples = 34'000;
         found.splits[1].examples = 15'000;
       },
       [](auto& found) {
         found.splits[0].examples = 36'000;
         found.splits[1].examples = 15'000;
       }},
      {"large-validation", [](auto& found) { read_running_text(found, 2'000'000, 1'500'000); },
       [](auto& found) { read_running_text(found, 1'000'000, 900'000); }},
      {"duplicates",
       [](auto& found) {
         found.config.data.deduplicate = false;
         found.splits[1].in_train = 1;
       },
       [](auto& found) { found.config.data.deduplicate = false; }},
      {"duplicates",
       [](auto& found) {
         read_images(found);
         found.config.images.deduplicate = false;
         found.splits[0].repeated = 7;
       },
       [](auto& found) { read_images(found); }},
      {"near-duplicates", [](auto& found) { found.splits[1].near_train = 401; },
       [](auto& found) { found.splits[1].near_train = 400; }},
      {"missing-class",
       [](auto& found) {
         tell_classes(found, 50);
         found.splits[1].class_counts = {2'000, 0};
       },
       [](auto& found) {
         tell_classes(found, 50);
         found.splits[1].class_counts = {1'999, 1};
       }},
      {"largest-class", [](auto& found) { tell_classes(found, 81); },
       [](auto& found) { tell_classes(found, 80); }},
      {"left-out", [](auto& found) { found.left_out = 2'001; },
       [](auto& found) { found.left_out = 2'000; }},
      {"long-block", [](auto& found) { found.block_size = 64; },
       [](auto& found) { found.block_size = 29; }},
      {"long-block",
       [](auto& found) {
         found.longest = 100;
         found.block_size = 200;
       },
       [](auto& found) {
         found.longest = 100;
         found.block_size = 199;
       }},
      {"long-block",
       [](auto& found) {
         found.longest = 10;
         found.block_size = 26;
       },
       [](auto& found) {
         found.longest = 10;
         found.block_size = 25;
       }},
      {"unused-vocabulary", [](auto& found) { found.tokens = {50'000, 5'000, 0}; },
       [](auto& found) { found.tokens = {512, 256, 0}; }},
      {"rare-vocabulary", [](auto& found) { learn_pieces(found, {8'000, 8'000, 4'001}); },
       [](auto& found) { learn_pieces(found, {8'000, 8'000, 4'000}); }},
      {"diverging", [](auto& found) { found.trial->finite = false; }, [](auto& /*found*/) {}},
      {"memory", [](auto& found) { found.memory.available = found.memory.in_all(); },
       [](auto& found) { found.memory.available = 0; }},
      {"idle-gpu", [](auto& found) { found.gpu_idle = true; },
       [](auto& found) { found.config.general.device = "cpu"; }},
      {"too-long", [](auto& found) { found.trial->step_milliseconds = 800.0; },
       [](auto& found) { found.trial->step_milliseconds = 700.0; }},
      {"evaluation-time", [](auto& found) { found.trial->evaluation_seconds = 1.6; },
       [](auto& found) { found.trial->evaluation_seconds = 1.4; }},
      {"evaluation-time", [](auto& found) { found.trial->evaluation_seconds = 3.0; },
       [](auto& found) {
         found.trial->evaluation_seconds = 3.0;
         found.steps = 900;
       }},
      {"late-evaluation", [](auto& found) { found.config.training.evaluate_every = 5'000; },
       [](auto& found) { found.config.training.evaluate_every = 4'999; }},
      {"parameters", [](auto& found) { found.parameters = 3'000'000; },
       [](auto& found) {
         found.parameters = 3'000'000;
         found.config.model["dropout"] = 0.1;
       }},
      {"parameters",
       [](auto& found) {
         read_images(found);
         found.parameters = 5'000'000;
       },
       [](auto& found) {
         read_images(found);
         found.parameters = 5'000'000;
         found.config.augmentation.shift = 1;
       }},
      {"passes", [](auto& found) { found.batches = 49; }, [](auto& found) { found.batches = 50; }},
      {"passes", [](auto& found) { found.batches = 10; },
       [](auto& found) {
         found.batches = 10;
         found.config.training.patience = 3;
       }},
      {"part-of-a-pass", [](auto& found) { found.batches = 5'001; },
       [](auto& found) { found.batches = 5'000; }},
      {"whole-batch", [](auto& found) { make_short(found, 1); },
       [](auto& found) { make_short(found, 2); }},
      {"warm-up", [](auto& found) { found.config.schedule.warmup_steps = 2'501; },
       [](auto& found) { found.config.schedule.warmup_steps = 2'500; }},
      {"decay", [](auto& found) { found.config.schedule.decay_steps = 6'000; },
       [](auto& found) { found.config.schedule.decay_steps = 5'000; }},
      {"decay", [](auto& found) { found.config.schedule.decay_steps = 4'000; },
       [](auto& found) {
         found.config.schedule.decay_steps = 4'000;
         found.config.schedule.type = ScheduleType::kConstant;
       }},
      {"learning-rate", [](auto& found) { found.config.optimizer.learning_rate = 0.02; },
       [](auto& found) { found.config.optimizer.learning_rate = 0.01; }},
      {"learning-rate", [](auto& found) { found.config.optimizer.learning_rate = 1e-6; },
       [](auto& found) {
         found.config.optimizer.learning_rate = 0.05;
         found.parameters = 729;
       }},
      {"learning-rate",
       [](auto& found) {
         found.config.optimizer.type = OptimizerType::kSgd;
         found.config.optimizer.learning_rate = 1e-5;
       },
       [](auto& found) {
         found.config.optimizer.type = OptimizerType::kSgd;
         found.config.optimizer.learning_rate = 0.5;
       }},
      {"order", [](auto& found) { count_grams(found, 5); },
       [](auto& found) { count_grams(found, 4); }},
  };
  return all;
}

std::vector<std::string> ids_of(const Examination& found) {
  std::vector<std::string> ids;
  for (const auto& advice : advice_for(found)) ids.push_back(advice.id);
  return ids;
}

TEST_CASE("a sound run is left as it is") { CHECK(ids_of(sound()).empty()); }

TEST_CASE("each advice is given where it is called for, and nowhere else") {
  for (const auto& one : cases()) {
    INFO(one.id);
    auto found = sound();
    one.calls(found);
    const auto advice = advice_for(found);
    CHECK(ids_of(found) == std::vector<std::string>{one.id});
    CHECK((!advice.empty() && advice.front().sentence.ends_with(".")));
    auto spared = sound();
    one.spares(spared);
    CHECK(ids_of(spared).empty());
  }
}

TEST_CASE("every advice has a case, and a line in the documentation") {
  const auto page = read_file("docs/doctor.md");
  for (const auto& id : advice_ids()) {
    INFO(id);
    CHECK(
        std::any_of(cases().begin(), cases().end(), [&](const auto& one) { return one.id == id; }));
    CHECK_THAT(page, ContainsSubstring("| `" + id + "` |"));
  }
}

std::string sentence_of(const Examination& found) {
  const auto all = advice_for(found);
  REQUIRE(all.size() == 1);
  return all.front().sentence;
}

TEST_CASE("an advice names the setting that would mend it") {
  auto found = sound();
  found.trial->step_milliseconds = 1e4;
  found.trial->evaluation_seconds = 0.0;
  CHECK_THAT(sentence_of(found), ContainsSubstring("about 13.9 hours"));
  CHECK_THAT(sentence_of(found), ContainsSubstring("--set training.max_steps=350"));
  found.config.training.epochs = 8;
  CHECK_THAT(sentence_of(found),
             ContainsSubstring("--set training.epochs=null --set training.max_steps=350"));

  found = sound();
  found.trial->evaluation_seconds = 5.0;  // 11 of them beside 50 s of training
  CHECK_THAT(sentence_of(found), ContainsSubstring("11 evaluations would take 52 %"));
  CHECK_THAT(sentence_of(found), ContainsSubstring("--set training.evaluate_every=2143"));
  found.config.training.evaluate_every = 2'143;
  CHECK(advice_for(found).empty());

  found = sound();
  found.config.training.batch_size = 64;
  found.memory.training = std::int64_t{16} << 30;
  found.memory.available = found.memory.process + (std::int64_t{8} << 30);
  CHECK_THAT(sentence_of(found),
             ContainsSubstring("--set training.batch_size=25 --set training.accumulate=3"));
  found.config.training.batch_size = 1;
  CHECK_THAT(sentence_of(found), ContainsSubstring("make the model smaller"));

  found = sound();
  count_grams(found, 6);
  CHECK_THAT(sentence_of(found), ContainsSubstring("1.4e+07 possible contexts"));
  CHECK_THAT(sentence_of(found), ContainsSubstring("--set model.order=4"));
}

TEST_CASE("what follows from an examination is counted as a run does it") {
  auto found = sound();
  found.steps = 1'000;
  found.config.training.evaluate_every = 300;
  found.config.training.accumulate = 2;
  CHECK(found.evaluations() == 5);  // at 0, 300, 600, 900 and 1000
  CHECK(found.passes() == Approx(3.2));
  CHECK(found.evaluation_seconds() == Approx(1.0));
  CHECK(found.seconds() == Approx(11.0));
  found.config.training.evaluate_every = std::numeric_limits<std::int64_t>::max();
  CHECK(found.evaluations() == 2);
}

}  // namespace
}  // namespace zoo
