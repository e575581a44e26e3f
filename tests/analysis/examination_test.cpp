// What the doctor finds in data and runs that are there.
#include "analysis/examination.h"

#include "analysis/advice.h"
#include "analysis/cost.h"
#include "analysis/machine.h"
#include "core/errors.h"
#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_allocations.h"
#include "tests/support/torch_training.h"
#include "text/text_data.h"

namespace zoo {
namespace {

constexpr double kSeconds = 0.02;

Examination examined(const RawConfig& raw) {
  auto config = resolve_config(raw);
  locate_data(raw, config);
  return examine(config, {}, kSeconds);
}

/// A config of names on lines, with settings.
Examination examined_names(const std::vector<std::string>& settings,
                           const std::string& architecture = "gpt") {
  const TemporaryFolder folder;
  return examined(tiny_config(folder / "data", find_architecture(architecture), settings));
}

/// The same of lines that are written into files, train before val.
Examination examined_lines(const std::string& train, const std::string& val,
                           std::vector<std::string> settings) {
  const TemporaryFolder folder;
  write_file_synced(folder / "train", train);
  write_file_synced(folder / "val", val);
  settings.insert(settings.end(),
                  {"data.path=null", "data.train_path=" + (folder / "train").string(),
                   "data.val_path=" + (folder / "val").string()});
  return examined(tiny_config(folder / "data", find_architecture("gpt"), settings));
}

bool advises(const Examination& found, const std::string& id) {
  for (const auto& advice : advice_for(found)) {
    if (advice.id == id) return true;
  }
  return false;
}

TEST_CASE("every architecture is examined with every task that it learns") {
  for (const auto& architecture : architectures()) {
    for (const auto& task : architecture.tasks) {
      const TemporaryFolder folder;
      const auto found = examined(tiny_config(folder / "data", architecture, {}, task));
      INFO(architecture.name << ", " << task);
      REQUIRE(found.splits.size() == 2);
      CHECK(found.train().name == "train");
      CHECK(found.judging().name == "val");
      CHECK(found.train().examples > found.judging().examples);
      CHECK(found.refusal.empty());
      CHECK((found.tokens.used > 0) == !found.config.reads_images());
      CHECK(found.classes.empty() == !tells_classes(found.config.general.task));
      if (found.order) {
        CHECK_FALSE(found.trial.has_value());
        continue;
      }
      REQUIRE(found.trial.has_value());
      CHECK(found.trial->steps > 0);
      CHECK(found.trial->step_milliseconds > 0.0);
      CHECK(found.trial->evaluation_seconds > 0.0);
      CHECK(found.trial->finite);
      CHECK(found.steps == 12);
      CHECK(found.parameters > 0);
      CHECK(found.memory.training > 16 * found.parameters);
      CHECK(found.memory.available > found.memory.process);
    }
  }
}

TEST_CASE("counts of data and run are those of training") {
  const auto found = examined_names({"training.max_steps=null", "training.epochs=3",
                                     "training.accumulate=2", "model.block_size=8"});
  CHECK(found.unit == std::string("lines"));
  CHECK(found.device == "cpu");
  CHECK(found.train().examples == 24);
  CHECK(found.judging().examples == 8);
  CHECK(found.rows_are_examples);
  CHECK(found.block_size == 8);
  CHECK(found.longest == 6);  // $lucas
  CHECK(found.batches == 6);
  CHECK(found.steps == 9);
  CHECK(found.passes() == Approx(3.0));
  CHECK(found.tokens.vocab_size == found.tokens.used);
  CHECK(found.tokens.rare > 0);
}

TEST_CASE("an example that is too long is told, and cut for the rest") {
  const auto found = examined_names({"model.block_size=4"});
  CHECK_THAT(found.refusal, ContainsSubstring("model.block_size is 4; set model.block_size to 6"));
  CHECK(advises(found, "refused-example"));
  CHECK(found.longest == 4);
  REQUIRE(found.trial.has_value());
  CHECK_FALSE(advises(examined_names({"model.block_size=6"}), "refused-example"));
  CHECK_FALSE(
      advises(examined_names({"model.block_size=4", "data.long_lines=cut"}), "refused-example"));
  // Of train none is too long.
  const auto in_val = examined_lines("anna\nbea\nbob\n", "annabeabob\n", {"model.block_size=5"});
  CHECK_THAT(in_val.refusal, ContainsSubstring("(val) needs 11 positions"));
}

TEST_CASE("pairs whose target alone is too long are left out of the examination") {
  const TemporaryFolder folder;
  const auto raw = tiny_config(folder / "data", find_architecture("gpt"), {"model.block_size=8"},
                               "sequence_to_sequence");
  std::string pairs;
  for (char source = 'a'; source <= 'p'; ++source) {
    pairs += std::string(1, source) + "\t" + std::string(source < 'e' ? 12 : 2, 'q') + "\n";
  }
  replace_file(folder / "data/pairs.tsv", pairs);
  const auto found = examined(raw);
  CHECK_THAT(found.refusal, ContainsSubstring("model.block_size is 8"));
  CHECK(found.longest == 5);  // $a[SEP]qq
  CHECK(found.trial.has_value());
}

TEST_CASE("where no example fits, the error is that of training") {
  const TemporaryFolder folder;
  const auto raw = tiny_config(folder / "data", find_architecture("gpt"), {"model.block_size=4"},
                               "sequence_to_sequence");
  CHECK_THAT(message_of<UserError>([&] { examined(raw); }),
             ContainsSubstring("model.block_size is 4; set model.block_size to 12"));
}

TEST_CASE("examples that are left out are counted") {
  const auto found = examined_lines("anna\nbea\nbob\nmaximilian\nalexandra\n", "anne\n",
                                    {"model.block_size=6", "data.long_lines=skip"});
  CHECK(found.left_out == 2);
  CHECK(found.refusal.empty());
  CHECK(found.longest == 5);
  CHECK(advises(found, "left-out"));
}

TEST_CASE("characters that training would refuse are told, and skipped for the rest") {
  const auto found = examined_lines("anna\nbea\nbob\n", "anne\nzoë\n", {});
  CHECK(found.judging().unseen_characters == 2);  // z and ë
  CHECK(advises(found, "unseen-characters"));
  CHECK(found.trial.has_value());
  const auto replaced =
      examined_lines("anna\nbea\nbob\n", "anne\nzoë\n", {"tokenizer.unknown=replace"});
  CHECK_FALSE(advises(replaced, "unseen-characters"));
}

TEST_CASE("duplicates and near duplicates are counted") {
  const auto found = examined_lines(
      "anna marie\nbea\nbea\nbob\n", "Anna-Marie\nbea\n",
      {"data.deduplicate=false", "tokenizer.unknown=replace", "model.block_size=16"});
  CHECK(found.train().repeated == 1);
  CHECK(found.judging().in_train == 1);
  CHECK(found.judging().near_train == 1);
  CHECK(advises(found, "duplicates"));
  CHECK(advises(found, "near-duplicates"));
}

TEST_CASE("windows of running text are not taken for examples") {
  const auto found = examined_names({"data.format=text", "model.block_size=16"});
  CHECK_FALSE(found.rows_are_examples);
  CHECK(found.longest == 0);
  CHECK_FALSE(advises(found, "long-block"));
  CHECK(found.trial.has_value());
}

TEST_CASE("a loss that is no number is seen in the trial") {
  const auto found = examined_names({"optimizer.type=sgd", "optimizer.learning_rate=1e30",
                                     "training.grad_clip=0", "training.max_steps=1000"});
  REQUIRE(found.trial.has_value());
  CHECK_FALSE(found.trial->finite);
  CHECK(advises(found, "diverging"));
}

TEST_CASE("a run that counts is examined without a trial") {
  const auto found = examined_names({"model.order=5"}, "ngram");
  CHECK(found.order == 5);
  CHECK(advises(found, "order"));
  CHECK_FALSE(advises(examined_names({"model.order=2"}, "ngram"), "order"));
}

TEST_CASE("data that cannot be read is an error, and so is an impossible view") {
  CHECK_THROWS_AS(examined_lines("", "anna\n", {}), UserError);
  CHECK_THROWS_AS(examined_names({"data.view=prefixes", "data.format=text"}, "bert"), ConfigError);
}

TEST_CASE("the memory of a batch that may not fit is foretold from a few of its rows") {
  const TemporaryFolder folder;
  const auto experiment = make_tiny_experiment(
      tiny_config(folder / "data", find_architecture("gpt"),
                  {"model.d_model=64", "model.dropout=0", "training.batch_size=256"}));
  auto& model = *experiment.model;
  const auto inputs = experiment.training_batches()->at(0).inputs;
  const auto whole = measure_cost(model, inputs, OptimizerType::kSgd);
  const AllocationWatch watch;
  const auto foretold = foretell_cost(model, inputs, 256, OptimizerType::kSgd, whole.memory_bytes);
  CHECK(watch.peak_bytes() < whole.activation_bytes / 2);
  const auto enough =
      foretell_cost(model, inputs, 256, OptimizerType::kSgd, 3 * whole.memory_bytes);
  CHECK(static_cast<double>(foretold.memory_bytes) ==
        Approx(static_cast<double>(whole.memory_bytes)).epsilon(0.05));
  CHECK(foretold.batch_bytes == whole.batch_bytes);
  CHECK(foretold.lasting_bytes() == whole.lasting_bytes());
  CHECK(enough.memory_bytes == whole.memory_bytes);
  // More rows than there are.
  auto few = inputs;
  few.tokens = few.tokens.narrow(0, 0, 3);
  few.lengths = few.lengths.narrow(0, 0, 3);
  CHECK(foretell_cost(model, few, 256, OptimizerType::kSgd, 3 * whole.memory_bytes).memory_bytes ==
        whole.memory_bytes);
}

TEST_CASE("the machine tells how much memory there is") {
  CHECK(available_memory() > 1 << 20);
  CHECK(held_memory() > 1 << 20);
}

}  // namespace
}  // namespace zoo
