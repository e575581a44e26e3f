#include "apps/data_audit.h"

#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "analysis/audit_findings.h"
#include "apps/data_audit_json.h"
#include "apps/table.h"
#include "core/errors.h"
#include "core/names.h"
#include "text/utf8.h"
#include "training/experiment.h"

namespace zoo {
namespace {

using Strings = std::vector<std::string>;

/// Columns of a place, and of a class's name.
constexpr std::int64_t kPlaceWidth = 40, kClassWidth = 32;
constexpr std::size_t kFilesShown = 8;
constexpr std::size_t kRarestShown = 12;
/// Classes that a table shows, half of them the largest.
constexpr std::size_t kClassesShown = 20;

/// A place without its folders, and the end of it where it is too long.
std::string short_place(const std::string& place) {
  const auto name = place.substr(place.rfind('/') + 1);
  const auto excess = count_characters(name) - kPlaceWidth;
  return excess <= 0 ? name : "…" + std::string(after_characters(name, excess + 1));
}

std::string start_of(const std::string& name) {
  if (count_characters(name) <= kClassWidth) return name;
  const auto rest = after_characters(name, kClassWidth - 1);
  return name.substr(0, name.size() - rest.size()) + "…";
}

std::string percent(std::int64_t part, std::int64_t whole) {
  if (whole == 0) return "";
  return fixed_digits(100.0 * static_cast<double>(part) / static_cast<double>(whole), 1) + " %";
}

void print_table(const Table& table) {
  table.print(std::cout);
  std::cout << "\n";
}

void print_sources(const std::vector<SourceFile>& files) {
  std::int64_t bytes = 0;
  for (const auto& file : files) {
    bytes += file.bytes;
    if (files.size() > kFilesShown) continue;
    std::cout << "  " << file.option << ": " << file.path << ", " << bytes_text(file.bytes) << "\n";
  }
  if (files.size() > kFilesShown) {
    std::cout << "  " << files.front().option << ": " << files.size() << " files, "
              << bytes_text(bytes) << "\n";
  }
  std::cout << "\n";
}

void print_counts(const TextAudit& audit) {
  Table table({"split", audit.unit(), "tokens", "characters", "alphabet", "not in train's",
               "unknown tokens"});
  for (const auto& split : audit.splits) {
    table.add({split.name, with_commas(split.examples), with_commas(split.tokens),
               with_commas(split.characters),
               with_commas(static_cast<std::int64_t>(split.alphabet.size())),
               with_commas(static_cast<std::int64_t>(split.unseen.size())),
               with_commas(split.unknown_tokens)});
  }
  print_table(table);
}

void print_equal(const TextAudit& audit) {
  if (audit.format == TextFormat::kText) return;
  const auto is = [](const char* name) {
    return [name](const auto& split) { return split.name == name; };
  };
  const bool judged = audit.splits.size() > 1;
  const bool tested = std::any_of(audit.splits.begin(), audit.splits.end(), is("test"));
  const bool pairs = has_pairs(audit.format);
  Strings headings = {"split", "repeated"};
  if (judged) headings.emplace_back("also in train");
  if (tested) headings.emplace_back("also in val");
  if (audit.near_skipped.empty()) headings.emplace_back("near train");
  if (pairs) headings.emplace_back(audit.classes.empty() ? "other target" : "other label");
  Table table(headings);
  for (const auto& split : audit.splits) {
    const auto cell = [](bool shown, std::int64_t count) {
      return shown ? with_commas(count) : "";
    };
    Strings cells = {split.name, with_commas(split.repeated.count)};
    if (judged) cells.push_back(cell(split.name != "train", split.in_train.count));
    if (tested) cells.push_back(cell(split.name == "test", split.in_val.count));
    if (audit.near_skipped.empty()) {
      cells.push_back(split.near_train ? with_commas(split.near_train->count) : "");
    }
    if (pairs) cells.push_back(with_commas(split.ambiguous.count));
    table.add(cells);
  }
  print_table(table);
}

void print_lengths(const TextAudit& audit) {
  Table table({"lengths", "shortest", "median", "95 %", "longest", "<where"});
  const auto add = [&](const std::string& name, const Lengths& lengths) {
    table.add({name, with_commas(lengths.shortest), with_commas(lengths.median),
               with_commas(lengths.percentile_95), with_commas(lengths.longest),
               short_place(lengths.longest_place)});
  };
  for (const auto& split : audit.splits) {
    const std::string of_sources =
        split.target_lengths ? ", characters of sources" : ", characters";
    if (split.token_lengths) add(split.name + ", tokens", *split.token_lengths);
    add(split.name + of_sources, split.character_lengths);
    if (split.target_lengths) add(split.name + ", characters of targets", *split.target_lengths);
  }
  print_table(table);
}

void print_alphabet(const TextSplitAudit& train) {
  Strings rarest;
  for (const auto& one : train.alphabet) {
    if (rarest.size() == kRarestShown) break;
    rarest.push_back(shown(one.character) + " " + with_commas(one.count));
  }
  print_wrapped(std::cout, "rarest characters of " + train.name + ": " + join(rarest, ", "));
  std::cout << "\n";
}

/// The classes that are shown, the largest in train first.
std::vector<std::size_t> shown_classes(const std::vector<std::int64_t>& counts) {
  std::vector<std::size_t> order(counts.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  if (order.size() <= kClassesShown) return order;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  constexpr auto kHalf = static_cast<std::ptrdiff_t>(kClassesShown / 2);
  order.erase(order.begin() + kHalf, order.end() - kHalf);
  return order;
}

/// Examples and share of each class in each split.
template <class Audit>
void print_classes(const Audit& audit) {
  if (audit.classes.empty()) return;
  Strings headings = {"class"};
  for (const auto& split : audit.splits) headings.insert(headings.end(), {split.name, "share"});
  Table table(headings);
  const auto numbers = shown_classes(audit.splits.front().class_counts);
  for (const auto number : numbers) {
    Strings cells = {start_of(audit.classes[number])};
    for (const auto& split : audit.splits) {
      std::int64_t total = 0;
      for (const auto count : split.class_counts) total += count;
      cells.push_back(with_commas(split.class_counts[number]));
      cells.push_back(percent(split.class_counts[number], total));
    }
    table.add(cells);
  }
  table.print(std::cout);
  if (const auto others = audit.classes.size() - numbers.size(); others > 0) {
    std::cout << "  the largest and the smallest; " << others << " classes between them\n";
  }
  std::cout << "\n";
}

std::string rule_of(bool deduplicate) {
  return text_of("data.deduplicate is ", deduplicate ? "on" : "off", ": equal examples are kept ",
                 deduplicate ? "once; a note says how many were dropped" : "as often as they come");
}

/// What the loader says, and what was found.
template <class Audit>
void print_sentences(const Audit& audit, Strings remarks) {
  for (const auto& note : audit.notes) remarks.push_back("note: " + note);
  for (const auto& remark : remarks) print_wrapped(std::cout, remark);
  std::cout << (remarks.empty() ? "" : "\n") << "Findings\n\n";
  const auto all = findings(audit);
  for (const auto& sentence : all) print_wrapped(std::cout, "- " + sentence);
  if (all.empty()) std::cout << "  none\n";
}

void print_audit(const TextAudit& audit, const Config& config) {
  std::cout << name_of(audit.format) << " for " << name_of(config.general.task) << ", vocabulary "
            << with_commas(audit.vocab_size);
  if (audit.source_vocab_size) {
    std::cout << ", of sources " << with_commas(*audit.source_vocab_size);
  }
  std::cout << "\n";
  print_sources(audit.files);
  print_counts(audit);
  print_equal(audit);
  print_lengths(audit);
  print_alphabet(audit.splits.front());
  print_classes(audit);
  const bool running = audit.format == TextFormat::kText;
  print_sentences(audit, running ? Strings{} : Strings{rule_of(audit.deduplicate)});
}

void print_audit(const ImageAudit& audit, const Config& config) {
  std::cout << audit.size.height << " x " << audit.size.width << " pixels, "
            << (audit.size.channels == 1 ? "grey" : "colour") << ", for "
            << name_of(config.general.task) << ", " << audit.classes.size() << " classes\n";
  print_sources(audit.files);
  Table counts(
      {"split", "images", "repeated", "also in train", "also in val", "other class", "one colour"});
  for (const auto& split : audit.splits) {
    const bool train = split.name == "train", test = split.name == "test";
    counts.add({split.name, with_commas(split.images), with_commas(split.repeated.count),
                train ? "" : with_commas(split.in_train.count),
                test ? with_commas(split.in_val.count) : "", with_commas(split.other_label.count),
                with_commas(split.blank.count)});
  }
  print_table(counts);
  Table brightness({"brightness, 0 to 1", "mean", "standard deviation"});
  for (const auto& split : audit.splits) {
    for (std::size_t c = 0; c < split.statistics.mean.size(); ++c) {
      const auto channel = audit.size.channels == 1 ? "" : text_of(", channel ", c + 1);
      brightness.add({split.name + channel, fixed_digits(split.statistics.mean[c], 4),
                      fixed_digits(split.statistics.deviation[c], 4)});
    }
  }
  print_table(brightness);
  print_classes(audit);
  print_sentences(audit, {rule_of(audit.deduplicate)});
}

template <class Audit>
void present(const Audit& audit, const Config& config, bool json) {
  if (!json) return print_audit(audit, config);
  const auto document = audit_json(audit);
  std::cout << document.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
}

}  // namespace

void audit_data(const Config& config, bool json) {
  if (config.reads_images()) {
    present(audit_images(load_image_data(config.images), config.images), config, json);
  } else {
    present(audit_text(config.data, config.tokenizer, needs_of(config)), config, json);
  }
}

}  // namespace zoo
