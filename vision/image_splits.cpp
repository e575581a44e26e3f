#include "vision/image_splits.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/errors.h"
#include "core/random.h"

namespace zoo {
namespace {

/// Images that are chosen are not those that were dealt first.
constexpr std::uint64_t kSampling = 1;

std::int32_t label_of(const ImageSet& set, std::int64_t image) {
  return set.images.labels[static_cast<std::size_t>(image)];
}

std::uint64_t class_seed(std::int64_t seed, std::size_t number) {
  return mixed_seed(static_cast<std::uint64_t>(seed), number);
}

/// How many of the groups of a class each split gets; one stays in train.
struct ClassShare {
  std::int64_t val;
  std::int64_t test;

  ClassShare(std::int64_t count, const SplitShares& shares)
      : val(std::llround(static_cast<double>(count) * shares.val)),
        test(std::llround(static_cast<double>(count) * shares.test)) {
    if (count > 0 && val + test >= count) --(val > test ? val : test);
  }
};

/// Classes that a split would have if they were larger.
void note_missing(const char* split, double fraction, const std::vector<std::string>& missing,
                  std::vector<std::string>& notes) {
  if (fraction == 0 || missing.empty()) return;
  notes.push_back(text_of(split, " has no image of ", missing.size(),
                          " classes (the first: ", missing.front(),
                          "), which are too small for data.", split, "_fraction ", fraction, "."));
}

void require_share(const std::vector<std::int64_t>& numbers, double fraction, const char* split,
                   const std::string& path) {
  require<UserError>(!numbers.empty() || fraction == 0, "data.", split, "_fraction: ", fraction,
                     " of each class of ", path, " gives an empty split ", split,
                     "; raise it, or set it to 0");
}

/// Largest remainder: the shares, rounded down, and one more where most was cut off.
std::vector<std::int64_t> shares_of(const std::vector<std::vector<std::int64_t>>& classes,
                                    std::int64_t count, std::int64_t total) {
  std::vector<std::int64_t> shares, cut_off;
  for (const auto& images : classes) {
    const auto exact = static_cast<std::int64_t>(images.size()) * count;
    shares.push_back(exact / total);
    cut_off.push_back(exact % total);
  }
  std::vector<std::size_t> order(classes.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return cut_off[a] > cut_off[b]; });
  auto rest = count - std::accumulate(shares.begin(), shares.end(), std::int64_t{0});
  for (std::size_t i = 0; rest > 0; ++i, --rest) ++shares[order[i]];
  for (auto& share : shares) {
    if (share > 0) continue;
    --*std::max_element(shares.begin(), shares.end());
    share = 1;
  }
  return shares;
}

}  // namespace

ImageNumbers deal_images(const ImageSet& set, const std::vector<std::int64_t>& numbers,
                         const std::vector<std::string>& classes, const SplitShares& shares,
                         std::int64_t seed, std::vector<std::string>& notes) {
  const auto firsts = first_equals(set, numbers);
  std::vector<std::vector<std::size_t>> groups(classes.size());  // by their first image's class
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    if (firsts[i] == i) groups[static_cast<std::size_t>(label_of(set, numbers[i]))].push_back(i);
  }
  std::vector<std::size_t> split_of(firsts.size(), kTrain);
  std::vector<std::string> without_val, without_test;
  for (std::size_t number = 0; number < classes.size(); ++number) {
    const auto count = static_cast<std::int64_t>(groups[number].size());
    const ClassShare share(count, shares);
    const auto order = random_order(count, class_seed(seed, number));
    for (std::int64_t i = 0; i < share.val + share.test; ++i) {
      const auto group =
          groups[number][static_cast<std::size_t>(order[static_cast<std::size_t>(i)])];
      split_of[group] = i < share.val ? kVal : kTest;
    }
    if (share.val == 0) without_val.push_back(classes[number]);
    if (share.test == 0) without_test.push_back(classes[number]);
  }
  ImageNumbers dealt;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    dealt[split_of[firsts[i]]].push_back(numbers[i]);
  }
  require_share(dealt[kVal], shares.val, kSplitNames[kVal], set.path);
  require_share(dealt[kTest], shares.test, kSplitNames[kTest], set.path);
  note_missing(kSplitNames[kVal], shares.val, without_val, notes);
  note_missing(kSplitNames[kTest], shares.test, without_test, notes);
  return dealt;
}

std::vector<std::int64_t> sample_images(const ImageSet& set,
                                        const std::vector<std::int64_t>& numbers,
                                        std::size_t classes, std::int64_t count,
                                        std::int64_t seed) {
  const auto total = static_cast<std::int64_t>(numbers.size());
  require<UserError>(count <= total, "data.train_images: ", count, "; the training split has ",
                     total, " images");
  require<UserError>(count >= static_cast<std::int64_t>(classes), "data.train_images: ", count,
                     " leaves classes without an image; there are ", classes, " classes");
  std::vector<std::vector<std::int64_t>> by_class(classes);
  for (const auto image : numbers) {
    by_class[static_cast<std::size_t>(label_of(set, image))].push_back(image);
  }
  const auto shares = shares_of(by_class, count, total);
  std::vector<std::int64_t> chosen;
  for (std::size_t number = 0; number < classes; ++number) {
    const auto& images = by_class[number];
    const auto order = random_order(static_cast<std::int64_t>(images.size()),
                                    mixed_seed(class_seed(seed, number), kSampling));
    for (std::int64_t i = 0; i < shares[number]; ++i) {
      chosen.push_back(images[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])]);
    }
  }
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace zoo
