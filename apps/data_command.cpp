#include <algorithm>
#include <iostream>

#include <torch/types.h>
#include <nlohmann/json.hpp>

#include "apps/command.h"
#include "apps/config_argument.h"
#include "apps/data_audit.h"
#include "apps/shown_images.h"
#include "apps/table.h"
#include "apps/terminal.h"
#include "core/errors.h"
#include "core/names.h"
#include "text/utf8.h"
#include "training/config.h"
#include "training/experiment.h"
#include "training/run_folder.h"

namespace zoo {
namespace {

constexpr const char* kPaddingMark = "░";
constexpr const char* kIgnoredMark = "·";

/// One row of a batch, as the model sees it.
struct ShownRow {
  std::vector<std::int64_t> ids;
  std::vector<std::int64_t> targets;  ///< one a position, or one alone: after the last
  std::int64_t begin = 0;             ///< real tokens are [begin, end)
  std::int64_t end = 0;
};

ShownRow row_of(const Batch& batch, std::int64_t number) {
  ShownRow row;
  const auto list = [](const torch::Tensor& tensor) {
    const auto flat = tensor.reshape({-1}).to(torch::kCPU, torch::kInt64).contiguous();
    const auto* data = flat.const_data_ptr<std::int64_t>();
    return std::vector<std::int64_t>(data, data + flat.numel());
  };
  row.ids = list(batch.inputs.tokens[number]);
  row.targets = list(batch.targets[number]);
  const auto T = static_cast<std::int64_t>(row.ids.size());
  const auto length =
      batch.inputs.lengths.defined() ? batch.inputs.lengths[number].item<std::int64_t>() : T;
  row.begin = batch.inputs.left_padded ? T - length : 0;
  row.end = row.begin + length;
  return row;
}

/// What a token stands for, its spaces and line breaks visible; a token that is no whole character
/// as its vocabulary has it.
std::string cell_text(const Tokenizer& tokenizer, std::int64_t id) {
  auto text = tokenizer.decode({id});
  if (text.empty() || valid_utf8_prefix(text) != text.size()) text = tokenizer.token(id);
  std::string shown;
  for (const char c : text) {
    if (c == ' ') {
      shown += "␣";
    } else if (c == '\n') {
      shown += "⏎";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      shown += "?";
    } else {
      shown += c;
    }
  }
  return shown;
}

std::size_t columns_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

/// Prints lines of cells, the same columns below each other, wrapped together.
void print_aligned(const std::vector<std::string>& names,
                   const std::vector<std::vector<std::string>>& lines) {
  std::size_t at = 0;
  const auto count = lines.front().size();
  const auto most = static_cast<std::size_t>(columns_of_sentences());
  while (at < count) {
    if (at > 0) std::cout << "\n";
    std::vector<std::string> text;
    for (const auto& name : names) text.push_back("  " + name + std::string(9 - name.size(), ' '));
    auto used = text.front().size();
    for (; at < count; ++at) {
      std::size_t width = 0;
      for (const auto& line : lines) width = std::max(width, columns_of(line[at]));
      if (used + width + 1 > most && used > 11) break;
      used += width + 1;
      for (std::size_t i = 0; i < lines.size(); ++i) {
        text[i] += lines[i][at] + std::string(width + 1 - columns_of(lines[i][at]), ' ');
      }
    }
    for (auto& line : text) {
      line.erase(line.find_last_not_of(' ') + 1);
      std::cout << line << "\n";
    }
  }
}

void print_row(const ShownRow& row, const Tokenizer& tokenizer) {
  const auto real =
      std::vector<std::int64_t>(row.ids.begin() + row.begin, row.ids.begin() + row.end);
  std::cout << "  text     " << quoted(tokenizer.decode(real)) << "\n";
  const bool one_target = row.targets.size() == 1 && row.ids.size() > 1;
  std::vector<std::string> tokens, ids, targets, target_ids;
  for (std::size_t i = 0; i < row.ids.size(); ++i) {
    const auto position = static_cast<std::int64_t>(i);
    const bool padding = position < row.begin || position >= row.end;
    tokens.push_back(padding ? kPaddingMark : cell_text(tokenizer, row.ids[i]));
    ids.push_back(std::to_string(row.ids[i]));
    const bool last = i + 1 == row.ids.size();
    const auto target = one_target ? (last ? row.targets[0] : kIgnored) : row.targets[i];
    const bool ignored = target == kIgnored;
    targets.push_back(padding   ? kPaddingMark
                      : ignored ? kIgnoredMark
                                : cell_text(tokenizer, target));
    target_ids.push_back(ignored ? kIgnoredMark : std::to_string(target));
  }
  print_aligned({"token", "id", "target", "id"}, {tokens, ids, targets, target_ids});
}

nlohmann::json row_json(const ShownRow& row, const Tokenizer& tokenizer) {
  auto tokens = nlohmann::json::array();
  for (const auto id : row.ids) tokens.push_back(tokenizer.token(id));
  const std::vector<std::int64_t> real(row.ids.begin() + row.begin, row.ids.begin() + row.end);
  return {{"text", tokenizer.decode(real)},
          {"tokens", tokens},
          {"ids", row.ids},
          {"targets", row.targets},
          {"real", {row.begin, row.end}}};
}

/// One line a split: what there is, and how long it is.
struct SplitCounts {
  std::string name;
  std::int64_t examples, tokens, longest, characters;
};

std::vector<SplitCounts> counts_of(const TextData& data) {
  std::vector<SplitCounts> counts;
  for (const auto* split : {&data.train, &data.val, &data.test}) {
    if (split->empty()) continue;
    std::int64_t longest = 0;
    for (std::size_t i = 0; i + 1 < split->starts.size(); ++i) {
      longest = std::max(longest, split->starts[i + 1] - split->starts[i]);
    }
    counts.push_back(
        {split->name, split->size(), split->tokens.size(), longest, split->characters});
  }
  return counts;
}

void print_counts(const Experiment& experiment, std::int64_t batches) {
  const auto& data = experiment.text;
  const auto& config = experiment.config;
  std::cout << name_of(data.format) << " for " << name_of(config.general.task) << " by "
            << config.general.architecture << ", vocabulary "
            << with_commas(experiment.facts.vocab_size) << "\n\n";
  Table table({"split", experiment.unit(), "tokens", "longest", "characters"});
  for (const auto& split : counts_of(data)) {
    table.add({split.name, with_commas(split.examples), with_commas(split.tokens),
               with_commas(split.longest), with_commas(split.characters)});
  }
  table.print(std::cout);
  std::cout << "\n  " << with_commas(batches) << " batches of " << config.training.batch_size
            << " rows an epoch\n";
  for (const auto& note : experiment.notes()) std::cout << "  note: " << note << "\n";
}

int show(const cxxopts::ParseResult& arguments) {
  const auto count = arguments["count"].as<std::int64_t>();
  require<UserError>(count >= 1, "--count: got ", count, "; at least 1");
  const auto experiment = make_experiment(config_argument(arguments).located);
  if (experiment.reads_images()) {
    show_images(experiment, count, arguments.count("json") > 0);
    return kDone;
  }
  const auto batches = experiment.training_batches();
  std::vector<ShownRow> rows;
  for (std::int64_t number = 0; number < batches->size(); ++number) {
    const auto batch = batches->at(number);
    for (std::int64_t i = 0; i < batch.inputs.tokens.size(0); ++i) {
      if (static_cast<std::int64_t>(rows.size()) < count) rows.push_back(row_of(batch, i));
    }
    if (static_cast<std::int64_t>(rows.size()) == count) break;
  }
  const auto& tokenizer = *experiment.text.tokenizer;
  if (arguments.count("json") > 0) {
    nlohmann::json json = {{"vocab_size", experiment.facts.vocab_size},
                           {"batches_per_epoch", batches->size()},
                           {"notes", experiment.notes()}};
    for (const auto& split : counts_of(experiment.text)) {
      json["splits"][split.name] = {{"examples", split.examples},
                                    {"tokens", split.tokens},
                                    {"longest", split.longest},
                                    {"characters", split.characters}};
    }
    for (const auto& row : rows) json["rows"].push_back(row_json(row, tokenizer));
    std::cout << json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    return kDone;
  }
  print_counts(experiment, batches->size());
  std::cout << "\nThe first rows of the first batch; " << kIgnoredMark << " is not predicted, "
            << kPaddingMark << " is padding\n";
  for (const auto& row : rows) {
    std::cout << "\n";
    print_row(row, tokenizer);
  }
  return kDone;
}

int run(const cxxopts::ParseResult& arguments) {
  const auto action = positional(arguments, "action");
  if (action == "show") return show(arguments);
  require<UserError>(action == "audit", "zoo data: got ", action, "; choose show or audit",
                     did_you_mean(action, {"show", "audit"}));
  require<UserError>(arguments.count("count") == 0,
                     "--count: an audit shows no rows; leave it out, or choose show");
  audit_data(config_argument(arguments).located, arguments.count("json") > 0);
  return kDone;
}

}  // namespace

Command data_command() {
  return {"data",
          "show|audit CONFIG",
          "Shows rows as the model sees them and the counts of each split; audit looks through the "
          "data for what stands twice, is rare, unknown or missing",
          "zoo data show configs/sort/gpt.json --count 3",
          [](cxxopts::Options& options) {
            add_config_argument(options);
            options.add_options()("count", "show: rows to show",
                                  cxxopts::value<std::int64_t>()->default_value("3"),
                                  "N")("action", "show or audit", cxxopts::value<std::string>());
            add_json_option(options);
            options.parse_positional({"action", "config"});
          },
          run};
}

}  // namespace zoo
