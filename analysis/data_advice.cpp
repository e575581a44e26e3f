#include <algorithm>
#include <numeric>

#include "analysis/advice_list.h"
#include "core/errors.h"
#include "core/format.h"

namespace zoo {
namespace {

/// A block is too long where it has so many times the tokens of the longest row, and so many more.
constexpr std::int64_t kBlockTimes = 2, kBlockMore = 16;
constexpr double kMostLeftOut = 0.1;
/// A vocabulary is too large where so many of its tokens are used, and so many are not.
constexpr double kFewestUsed = 0.5;
constexpr std::int64_t kMostUnused = 300;
constexpr double kMostRare = 0.5;
constexpr std::int64_t kFewestJudged = 100, kFewestJudgedTokens = 10'000;
constexpr double kMostJudged = 0.3;
constexpr std::int64_t kManyJudged = 10'000, kManyJudgedTokens = 1'000'000;
constexpr double kMostNear = 0.2;
constexpr double kLargestClass = 0.8;

double share(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string percent(std::int64_t part, std::int64_t whole) {
  return fixed_digits(100.0 * share(part, whole), 1) + " %";
}

bool is_running_text(const Examination& found) {
  return !found.config.reads_images() && found.config.data.format == TextFormat::kText;
}

/// Whether the project's own options cut the data into splits.
bool splits_by_fraction(const Examination& found) {
  const auto& config = found.config;
  return config.reads_images() ? config.images.val_path.empty() : config.data.train_path.empty();
}

std::string refused_example(const Examination& found) {
  if (found.refusal.empty()) return "";
  return text_of("Training would stop before its first step: ", found.refusal,
                 ", e.g. --set data.long_lines=skip.");
}

std::string long_block(const Examination& found) {
  const bool wasted = found.rows_are_examples && found.block_size >= kBlockTimes * found.longest &&
                      found.block_size - found.longest >= kBlockMore;
  if (!wasted || !found.refusal.empty()) return "";
  return text_of("model.block_size is ", found.block_size, " and the longest example takes ",
                 found.longest,
                 " tokens: the positions after them are never trained. Set it to what you will "
                 "write or read, e.g. --set model.block_size=",
                 found.longest, ".");
}

std::string left_out(const Examination& found) {
  const auto examples = found.train().examples;
  if (share(found.left_out, examples) <= kMostLeftOut) return "";
  return text_of("data.long_lines=skip leaves out ", with_commas(found.left_out), " of ",
                 with_commas(examples), " ", found.unit, " of train (",
                 percent(found.left_out, examples), "), which are longer than model.block_size ",
                 found.block_size,
                 ". The model never learns long ones; raise the block, e.g. "
                 "--set model.block_size=",
                 2 * found.block_size, ".");
}

std::string unseen_characters(const Examination& found) {
  const auto& options = found.config.tokenizer;
  const bool learned = options.path.empty() && (options.type == TokenizerType::kCharacter ||
                                                options.type == TokenizerType::kBpe);
  for (const auto& split : found.splits) {
    if (split.unseen_characters == 0 || !learned) continue;
    if (options.unknown != UnknownCharacter::kRefuse) continue;
    return text_of(split.name, " has ", split.unseen_characters,
                   split.unseen_characters == 1 ? " character" : " characters",
                   " that train does not have, and tokenizer.unknown is refuse: training would "
                   "stop before its first step. --set tokenizer.unknown=replace makes [UNK] of "
                   "them, skip leaves them out; `zoo data audit` names them.");
  }
  return "";
}

std::string unused_vocabulary(const Examination& found) {
  const auto& tokens = found.tokens;
  const auto unused = tokens.vocab_size - tokens.used;
  if (unused <= kMostUnused || share(tokens.used, tokens.vocab_size) >= kFewestUsed) return "";
  return text_of("The vocabulary has ", with_commas(tokens.vocab_size),
                 " tokens, of which train uses ", with_commas(tokens.used),
                 ": the others cost parameters and time in the output layer and are never learned. "
                 "Learn a tokenizer from the data instead, e.g. --set tokenizer.path=\"\" --set "
                 "tokenizer.type=byte_bpe --set tokenizer.vocab_size=",
                 std::max<std::int64_t>(tokens.used, 300), ".");
}

std::string rare_vocabulary(const Examination& found) {
  const auto& options = found.config.tokenizer;
  const auto& tokens = found.tokens;
  const bool pieces = options.path.empty() && options.type != TokenizerType::kCharacter;
  if (!pieces || share(tokens.rare, tokens.used) <= kMostRare) return "";
  return text_of(with_commas(tokens.rare), " of the ", with_commas(tokens.used),
                 " tokens that train uses stand there fewer than ", kRareToken,
                 " times, too few to learn them by. A smaller vocabulary has fewer of them: --set "
                 "tokenizer.vocab_size=",
                 std::max<std::int64_t>(tokens.vocab_size / 4, 300), ".");
}

std::string no_validation(const Examination& found) {
  if (found.judging().name != "train") return "";
  const auto setting =
      splits_by_fraction(found) ? "--set data.val_fraction=0.1" : "set data.val_path";
  return text_of(
      "There is no val split: the best checkpoint is chosen by what the model was "
      "trained on, which rewards learning by heart. Hold some data back: ",
      setting, ".");
}

std::string small_validation(const Examination& found) {
  const auto& judging = found.judging();
  const bool running = is_running_text(found);
  const auto size = running ? judging.tokens : judging.examples;
  const auto fewest = running ? kFewestJudgedTokens : kFewestJudged;
  if (judging.name == "train" || size >= fewest) return "";
  return text_of(
      "val has ", with_commas(size), " ", running ? "tokens" : found.unit, ", fewer than ",
      with_commas(fewest),
      ": its loss moves by chance, and so does the choice of the best checkpoint. ",
      splits_by_fraction(found) ? "Raise data.val_fraction, e.g. to 0.2" : "Give it more",
      ", and compare runs by several seeds.");
}

std::string large_validation(const Examination& found) {
  const auto& judging = found.judging();
  const bool running = is_running_text(found);
  const auto size = running ? judging.tokens : judging.examples;
  const auto learned = running ? found.train().tokens : found.train().examples;
  const auto many = running ? kManyJudgedTokens : kManyJudged;
  const bool large =
      judging.name != "train" && size > many && share(size, size + learned) > kMostJudged;
  if (!large || !splits_by_fraction(found)) return "";
  return text_of("val takes ", percent(size, size + learned), " of the data, ", with_commas(size),
                 " ", running ? "tokens" : found.unit,
                 ", more than a loss needs to be known well; the model learns more from them: "
                 "--set data.val_fraction=0.1.");
}

std::string duplicates(const Examination& found) {
  for (const auto& split : found.splits) {
    const bool repeats = split.repeated > 0;
    if (!repeats && split.in_train == 0) continue;
    // The loader drops these unless it is told not to.
    const auto& config = found.config;
    if (config.reads_images() ? config.images.deduplicate : config.data.deduplicate) return "";
    const auto count = repeats ? split.repeated : split.in_train;
    return text_of(
        with_commas(count), " ", found.unit, " of ", split.name,
        repeats ? " repeat an earlier one" : " stand in train as well", " (",
        percent(count, split.examples),
        "): what is learned by heart then counts as learned. --set data.deduplicate=true "
        "keeps each once, in one split.");
  }
  return "";
}

std::string near_duplicates(const Examination& found) {
  const auto& judging = found.judging();
  const auto near = judging.near_train.value_or(0);
  if (share(near, judging.examples) <= kMostNear) return "";
  return text_of(percent(near, judging.examples), " of val (", with_commas(near), " ", found.unit,
                 ") nearly stand in train, so that its loss says little about new data. Split by "
                 "where the data came from, with data.train_path and data.val_path; `zoo data "
                 "audit` shows which they are.");
}

std::string largest_class(const Examination& found) {
  const auto& counts = found.train().class_counts;
  if (counts.empty() || !tells_classes(found.config.general.task)) return "";
  const auto largest = std::max_element(counts.begin(), counts.end());
  const auto total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  if (share(*largest, total) <= kLargestClass) return "";
  const auto& name = found.classes[static_cast<std::size_t>(largest - counts.begin())];
  return text_of("Class ", name, " is ", percent(*largest, total),
                 " of train: who always answers it is right as often, so accuracy misleads. Judge "
                 "by macro_f1, which `zoo eval` prints, and collect more of the other classes.");
}

std::string missing_class(const Examination& found) {
  if (!tells_classes(found.config.general.task)) return "";
  for (const auto& split : found.splits) {
    const auto& counts = split.class_counts;
    const auto missing = std::find(counts.begin(), counts.end(), 0);
    if (missing == counts.end()) continue;
    const auto& name = found.classes[static_cast<std::size_t>(missing - counts.begin())];
    return text_of(split.name, " has no example of ", std::count(counts.begin(), counts.end(), 0),
                   " of ", counts.size(), " classes, the first of them ", name, ": ",
                   split.name == "train" ? "it cannot be learned." : "it is not measured.",
                   " Collect more of it, or leave it out of the data.");
  }
  return "";
}

}  // namespace

std::vector<AdviceRule> data_rules() {
  return {{"refused-example", refused_example},
          {"unseen-characters", unseen_characters},
          {"no-validation", no_validation},
          {"small-validation", small_validation},
          {"large-validation", large_validation},
          {"duplicates", duplicates},
          {"near-duplicates", near_duplicates},
          {"missing-class", missing_class},
          {"largest-class", largest_class},
          {"left-out", left_out},
          {"long-block", long_block},
          {"unused-vocabulary", unused_vocabulary},
          {"rare-vocabulary", rare_vocabulary}};
}

}  // namespace zoo
