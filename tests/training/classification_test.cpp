#include "training/classification_task.h"

#include <cmath>

#include <torch/types.h>

#include "core/errors.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/torch_checks.h"
#include "training/config.h"

namespace zoo {
namespace {

TEST_CASE("loss, accuracy and the confusion matrix add up over batches") {
  const ClassificationTask task(/*label_smoothing=*/0.0);
  Figures figures;
  Batch batch;
  batch.targets = torch::tensor({0, 1, 1}, torch::kInt64);
  task.measure(torch::tensor({{2.0F, 0.0F, 0.0F}, {0.0F, 2.0F, 0.0F}, {2.0F, 0.0F, 0.0F}}), batch,
               figures);
  batch.targets = torch::tensor({2}, torch::kInt64);
  task.measure(torch::tensor({{0.0F, 2.0F, 0.0F}}), batch, figures);
  const auto read = figures.read();
  CHECK(read.at("accuracy").mean() == 0.5);
  CHECK(read.at("loss").count == 4.0);
  const auto right = -std::log(std::exp(2.0) / (std::exp(2.0) + 2.0));
  CHECK(std::abs(read.at("loss").sum - (2 * right + 2 * (right + 2.0))) < 1e-5);
  CHECK(figures.confusion() == Confusion{{1, 0, 0}, {1, 1, 0}, {0, 1, 0}});
}

TEST_CASE("the right class is looked for among the five likeliest where there are more") {
  Figures figures;
  Batch batch;
  batch.targets = torch::tensor({0, 5, 3}, torch::kInt64);
  const auto rising = torch::arange(6, torch::kFloat32).expand({3, 6});
  ClassificationTask(0.0).measure(rising, batch, figures);
  CHECK(figures.read().at("top5_accuracy").sum == 2.0);
  CHECK(figures.read().at("accuracy").sum == 1.0);
}

TEST_CASE("the calibration error is what confidence and accuracy differ by") {
  // Two rows of confidence 0.9, one of them right; one of 0.6, right: by hand.
  const auto sure = std::log(0.9F / 0.1F);
  const auto unsure = std::log(0.6F / 0.4F);
  Figures figures;
  Batch batch;
  batch.targets = torch::tensor({0, 1, 0}, torch::kInt64);
  ClassificationTask(0.0).measure(torch::tensor({{sure, 0.0F}, {sure, 0.0F}, {unsure, 0.0F}}),
                                  batch, figures);
  const auto by_hand = (std::abs(0.9 - 0.5) * 2.0 + std::abs(0.6 - 1.0) * 1.0) / 3.0;
  CHECK(std::abs(figures.calibration_error().value() - by_hand) < 1e-6);
  CHECK(!Figures().calibration_error().has_value());
}

TEST_CASE("precision is of answers, recall of rows") {
  const Confusion confusion = {{8, 2}, {1, 4}};
  CHECK(std::abs(precision(confusion, 0) - 8.0 / 9.0) < 1e-12);
  CHECK(std::abs(recall(confusion, 0) - 8.0 / 10.0) < 1e-12);
  CHECK(precision({{0, 3}, {0, 4}}, 0) == 0.0);
}

TEST_CASE("macro F1 is the mean of every class's own") {
  const Confusion confusion = {{8, 2}, {1, 4}};
  CHECK(std::abs(f1(confusion, 0) - 16.0 / 19.0) < 1e-12);
  CHECK(std::abs(f1(confusion, 1) - 8.0 / 11.0) < 1e-12);
  CHECK(std::abs(macro_f1(confusion) - (16.0 / 19.0 + 8.0 / 11.0) / 2.0) < 1e-12);
  CHECK(macro_f1({{3, 0}, {0, 0}}) == 0.5);
}

TEST_CASE("the training loss counts texts and knows label smoothing") {
  Batch batch;
  batch.targets = torch::tensor({0, 1}, torch::kInt64);
  const auto logits = torch::zeros({2, 4});
  const auto loss = ClassificationTask(0.1).training_loss(logits, batch);
  CHECK(largest_difference(loss.count, torch::tensor({1, 1})) == 0.0);
  CHECK(largest_difference(loss.sum, torch::full({2}, std::log(4.0))) < 1e-6);
}

TEST_CASE("classes are learned from labelled lines alone") {
  RawConfig raw;
  raw.document = {
      {"architecture", "bert"}, {"task", "text_classification"}, {"data", {{"path", "x.txt"}}}};
  CHECK_THAT(message_of<ConfigError>([&] { resolve_config(raw); }),
             ContainsSubstring("set data.format to labelled, it is lines"));
}

}  // namespace
}  // namespace zoo
