#include "models/ngram.h"

#include <torch/types.h>

#include "core/errors.h"
#include "models/registry.h"
#include "models/shapes.h"

namespace zoo {
namespace {

constexpr std::int64_t kMissing = -1;

/// Where each key stands in a sorted array, kMissing for one that is not there -> [M].
torch::Tensor find(const torch::Tensor& sorted, const torch::Tensor& keys) {
  if (sorted.size(0) == 0) return torch::full_like(keys, kMissing);
  const auto at = torch::searchsorted(sorted, keys).clamp_max(sorted.size(0) - 1);
  return torch::where(sorted.index_select(0, at.flatten()).view_as(keys).eq(keys), at,
                      torch::full_like(at, kMissing));
}

}  // namespace

NgramImpl::NgramImpl(const NgramOptions& options, const DataFacts& facts)
    : options_(options), facts_(facts) {
  for (std::int64_t order = 1; order <= options.order; ++order) {
    tables_.push_back(register_table(order));
  }
}

NgramImpl::Table NgramImpl::register_table(std::int64_t order) {
  const auto buffer = [&](const char* name) {
    return register_buffer(text_of(name, "_", order), torch::empty({0}, torch::kInt64));
  };
  return {buffer("context_keys"), buffer("gram_keys"), buffer("gram_counts"), buffer("totals"),
          buffer("followers")};
}

torch::Tensor NgramImpl::contexts(const Inputs& inputs) const {
  const auto fill = facts_.boundary_id >= 0 ? facts_.boundary_id : kMissing;
  auto tokens = inputs.tokens;  // [B, T]
  if (inputs.lengths.defined()) {
    tokens = torch::where(real_tokens(inputs), tokens, torch::full_like(tokens, fill));
  }
  const auto n_context = options_.order - 1;
  if (n_context == 0) return tokens.unsqueeze(2).narrow(2, 0, 0);
  // Windows over the padded row end at each token -> [B, T, n-1], oldest first.
  return torch::constant_pad_nd(tokens, {n_context - 1, 0}, fill).unfold(1, n_context, 1).flip(-1);
}

void NgramImpl::count(const Inputs& inputs, const torch::Tensor& targets) {
  expect_tokens("ngram", inputs, /*block_size=*/0);
  auto context = contexts(inputs);                             // [B, T, n-1]
  if (targets.dim() == 1) context = context.narrow(1, -1, 1);  // [B, 1, n-1]
  const auto rows = torch::cat({context.flatten(0, 1), targets.reshape({-1, 1})}, 1);  // [M, n]
  counted_.push_back(rows.index_select(0, targets.reshape(-1).ne(-100).nonzero().squeeze(1)));
}

void NgramImpl::finish_counting() {
  const auto rows = torch::cat(counted_);  // [M, n]
  counted_.clear();
  const auto V = facts_.vocab_size;
  auto ids = torch::zeros({rows.size(0)}, rows.options());  // [M], of the empty context
  for (std::int64_t order = 1; order <= options_.order; ++order) {
    auto& table = tables_[static_cast<std::size_t>(order - 1)];
    std::int64_t contexts = 1;
    if (order > 1) {
      const auto token = rows.select(1, order - 2);
      const auto keys = (ids * V + token).masked_select(ids.ge(0).logical_and(token.ge(0)));
      table.context_keys.set_data(std::get<0>(torch::_unique2(keys)));
      contexts = table.context_keys.size(0);
      ids = longer_context(table, ids, token, V);
    }
    const auto grams = (ids * V + rows.select(1, -1)).masked_select(ids.ge(0));
    const auto [keys, inverse, counts] = torch::_unique2(grams, true, false, true);
    const auto owner = keys.div(V, "floor");  // [G]
    const auto none = torch::zeros({contexts}, rows.options());
    table.gram_keys.set_data(keys);
    table.gram_counts.set_data(counts);
    table.totals.set_data(none.index_add(0, owner, counts));
    table.followers.set_data(none.index_add(0, owner, torch::ones_like(counts)));
  }
}

torch::Tensor NgramImpl::longer_context(const Table& table, const torch::Tensor& ids,
                                        const torch::Tensor& token, std::int64_t V) {
  const auto there = ids.ge(0).logical_and(token.ge(0));
  return find(table.context_keys,
              torch::where(there, ids * V + token, torch::full_like(ids, kMissing)));
}

torch::Tensor NgramImpl::probabilities(const Table& table, const torch::Tensor& ids,
                                       const torch::Tensor& lower) const {
  const auto V = facts_.vocab_size;
  const auto counted = ids.ge(0).unsqueeze(1);  // [M, 1]
  const auto of_context = [&](const torch::Tensor& values) {
    const auto found = values.index_select(0, ids.clamp_min(0)).to(torch::kFloat64).unsqueeze(1);
    return torch::where(counted, found, torch::zeros_like(found));  // [M, 1]
  };
  const auto keys = ids.unsqueeze(1) * V + torch::arange(V, ids.options());  // [M, V]
  const auto at = find(table.gram_keys, keys);                               // [M, V]
  const auto found = table.gram_counts.index_select(0, at.clamp_min(0).flatten()).view_as(at);
  const auto there = at.ge(0).logical_and(counted);
  const auto counts = torch::where(there, found, torch::zeros_like(found)).to(torch::kFloat64);
  const auto totals = of_context(table.totals);

  if (lower.defined() && options_.interpolate) {
    const auto followers = of_context(table.followers);
    return torch::where(followers.gt(0), (counts + followers * lower) / (totals + followers),
                        lower);
  }
  const auto mass = totals + options_.alpha * static_cast<double>(V);  // [M, 1]
  return torch::where(mass.gt(0), (counts + options_.alpha) / mass,
                      torch::full_like(counts, 1.0 / static_cast<double>(V)));
}

torch::Tensor NgramImpl::forward(const Inputs& inputs) {
  expect_tokens("ngram", inputs, /*block_size=*/0);
  require<std::logic_error>(tables_[0].gram_keys.size(0) > 0, "ngram: nothing has been counted");
  const auto context = contexts(inputs).flatten(0, 1);    // [M, n-1]
  auto ids = torch::zeros_like(inputs.tokens).flatten();  // [M]
  auto result = probabilities(tables_[0], ids, {});       // [M, V]
  for (std::int64_t order = 2; order <= options_.order; ++order) {
    const auto& table = tables_[static_cast<std::size_t>(order - 1)];
    const auto token = context.select(1, order - 2);
    ids = longer_context(table, ids, token, facts_.vocab_size);
    // Without interpolation the highest order alone speaks, unless its context is cut short.
    if (!options_.interpolate && order < options_.order && facts_.boundary_id >= 0) continue;
    const auto known = token.ge(0).unsqueeze(1);  // [M, 1]
    result = torch::where(known, probabilities(table, ids, result), result);
  }
  const auto shape = inputs.tokens.unsqueeze(2).expand({-1, -1, facts_.vocab_size});
  return result.log().to(torch::kFloat32).view_as(shape);  // [B, T, V]
}

Architecture ngram_architecture() {
  return make_architecture<NgramOptions, NgramImpl>(
      "ngram", "counted n-grams of any order, smoothed: the baseline that a network must beat",
      {"language_model"}, [](std::int64_t batch) -> Example {
        DataFacts facts;
        facts.vocab_size = 7;
        facts.boundary_id = 0;
        Inputs inputs;
        inputs.tokens = torch::randint(7, {batch, 5}, torch::kInt64);
        return {{{"order", 3}, {"alpha", 0.5}}, facts, inputs, {batch, 5, 7}};
      });
}

}  // namespace zoo
