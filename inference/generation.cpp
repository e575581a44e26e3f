#include "inference/generation.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "core/random.h"
#include "models/shapes.h"

namespace zoo {
namespace {

/// Rows in one forward pass: however many prompts there are, memory is bounded.
constexpr std::size_t kRowsAtOnce = 256;

/// Uniform in [0, 1), 53 bits of it.
double uniform(std::int64_t seed, std::size_t row, std::int64_t step) {
  const auto row_seed = mixed_seed(static_cast<std::uint64_t>(seed), row);
  const auto bits = mixed_seed(row_seed, static_cast<std::uint64_t>(step));
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

std::int64_t size_of(const std::vector<std::int64_t>& row) {
  return static_cast<std::int64_t>(row.size());
}

/// The last `width` tokens of each row, shorter rows padded on the left: -> [B, width] int64.
template <class Rows, class TokensOf>
torch::Tensor last_tokens(const Rows& rows, std::int64_t width, std::int64_t pad_id,
                          TokensOf&& tokens_of) {
  const auto B = static_cast<std::int64_t>(rows.size());
  auto tokens = torch::full({B, width}, pad_id, torch::kLong);
  auto* row_end = tokens.template data_ptr<std::int64_t>();
  for (const auto& row : rows) {
    const std::vector<std::int64_t>& all = tokens_of(row);
    row_end += width;
    const auto count = std::min(size_of(all), width);
    std::copy(all.end() - count, all.end(), row_end - count);
  }
  return tokens;
}

class RereadingDecoding : public Decoding {
 public:
  RereadingDecoding(Model& model, std::vector<std::vector<std::int64_t>> rows,
                    const RereadingOptions& options)
      : model_(model), rows_(std::move(rows)), options_(options), device_(device_of(model)) {}

  torch::Tensor step(const torch::Tensor& tokens) override {
    const auto there = tokens.cpu();
    const auto added = there.accessor<std::int64_t, 1>();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      rows_[i].push_back(added[static_cast<std::int64_t>(i)]);
    }
    auto logits = model_.forward(inputs());
    if (logits.dim() == 3) logits = logits.select(1, -1);
    expect_shape("generate", "logits", logits, {tokens.size(0), options_.vocab_size});
    return logits;  // [B, V]
  }

  void select_rows(const torch::Tensor& rows) override {
    const auto there = rows.cpu();
    const auto chosen = there.accessor<std::int64_t, 1>();
    std::vector<std::vector<std::int64_t>> kept;
    for (std::int64_t i = 0; i < chosen.size(0); ++i) {
      kept.push_back(rows_[static_cast<std::size_t>(chosen[i])]);
    }
    rows_ = std::move(kept);
  }

 private:
  /// Rows -> tokens [B, T], and lengths [B] where any row is padded.
  Inputs inputs() const {
    const auto most = options_.block_size > 0 ? options_.block_size : kLongestContext;
    std::int64_t longest = 0;
    for (const auto& row : rows_) longest = std::max(longest, size_of(row));
    const auto T = options_.fixed_length ? most : std::min(longest, most);
    Inputs inputs;
    inputs.tokens = last_tokens(rows_, T, options_.pad_id, [](const auto& row) -> const auto& {
                      return row;
                    }).to(device_);  // [B, T]
    std::vector<std::int64_t> lengths;
    for (const auto& row : rows_) lengths.push_back(std::min(size_of(row), T));
    inputs.left_padded = *std::min_element(lengths.begin(), lengths.end()) < T;
    if (inputs.left_padded) inputs.lengths = torch::tensor(lengths, torch::kLong).to(device_);
    return inputs;
  }

  Model& model_;
  std::vector<std::vector<std::int64_t>> rows_;
  RereadingOptions options_;
  torch::Device device_;
};

/// Which tokens stand anywhere in a row, padding not counted: -> [B, V] bool.
torch::Tensor seen_tokens(const std::vector<DecodingRow>& rows, std::int64_t V,
                          torch::Device device) {
  std::int64_t longest = 0;
  for (const auto& row : rows) longest = std::max(longest, size_of(row.tokens));
  const auto tokens = last_tokens(rows, longest, /*pad_id=*/V, [](const auto& row) -> const auto& {
                        return row.tokens;
                      }).to(device);
  auto seen = torch::zeros({tokens.size(0), V + 1}, torch::dtype(torch::kBool).device(device));
  return seen.scatter(-1, tokens, true).narrow(-1, 0, V);  // [B, V]
}

/// Draws for every row: -> ids, log-probabilities, whether the logits were finite: [3, B] float64.
torch::Tensor draw(Decoding& decoding, const std::vector<DecodingRow>& rows,
                   const GenerationOptions& options, std::int64_t step, torch::Device device) {
  std::vector<std::int64_t> last;
  std::vector<double> uniforms;
  for (const auto& row : rows) {
    last.push_back(row.tokens.back());
    uniforms.push_back(uniform(options.seed, row.number, step));
  }
  const auto logits = decoding.step(torch::tensor(last, torch::kLong).to(device));  // [B, V]
  const auto& sampling = options.sampling;
  torch::Tensor seen;
  if (sampling.repetition_penalty != 1.0) seen = seen_tokens(rows, logits.size(1), device);
  const auto sampled =
      sample(logits, seen, torch::tensor(uniforms, torch::kDouble).to(device), sampling);
  const auto finite = logits.amax(-1).isfinite();  // [B]; amax hands NaN on
  return torch::stack(
             {sampled.ids.to(torch::kDouble), sampled.log_probabilities, finite.to(torch::kDouble)})
      .cpu();  // the one host sync of a step
}

[[noreturn]] void refuse_infinite(std::int64_t step, std::size_t row) {
  throw UserError(text_of("generation step ", step + 1, ", prompt ", row + 1,
                          ": the model's logits are not finite; its training diverged or its "
                          "checkpoint is damaged"));
}

/// The tokens that a row starts with. Throws UserError.
std::vector<std::int64_t> start_of(const std::vector<std::int64_t>& prompt, std::size_t number,
                                   const DataFacts& facts) {
  for (const auto id : prompt) {
    require<UserError>(id >= 0 && id < facts.vocab_size, "prompt ", number + 1, ": token ", id,
                       " is outside the vocabulary of ", facts.vocab_size);
  }
  if (!prompt.empty()) return prompt;
  require<UserError>(facts.boundary_id >= 0, "prompt ", number + 1,
                     ": is empty; running text has no token that starts it, so give at least one");
  return {facts.boundary_id};
}

/// Where running text without a prompt starts: after a line break, or, in a vocabulary without one,
/// after its first token.
std::int64_t start_of_text(const Tokenizer& tokenizer) {
  for (std::int64_t id = 0; id < tokenizer.vocab_size(); ++id) {
    if (tokenizer.decode({id}) == "\n") return id;
  }
  return 0;
}

}  // namespace

void GenerationOptions::validate(const std::string& path) const {
  const auto values = write_options(*this);
  OptionsReader reader(values, path);
  auto checked = *this;
  fields(checked, reader);
  sampling.validate(path);
}

std::unique_ptr<Decoding> start_rereading(Model& model,
                                          std::vector<std::vector<std::int64_t>> prompts,
                                          const RereadingOptions& options) {
  return std::make_unique<RereadingDecoding>(model, std::move(prompts), options);
}

void sample_rows(Decoding& decoding, std::vector<DecodingRow> rows,
                 const GenerationOptions& options, std::int64_t stop_id, torch::Device device,
                 std::vector<Generation>& generations) {
  for (std::int64_t step = 0; step < options.max_new_tokens && !rows.empty(); ++step) {
    const auto drawn = draw(decoding, rows, options, step, device);
    const auto values = drawn.accessor<double, 2>();
    std::vector<DecodingRow> unfinished;
    std::vector<std::int64_t> kept;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      auto& row = rows[i];
      const auto column = static_cast<std::int64_t>(i);
      if (values[2][column] == 0.0) refuse_infinite(step, row.number);
      const auto id = static_cast<std::int64_t>(values[0][column]);
      auto& generation = generations[row.number];
      generation.log_probability += values[1][column];
      generation.stopped = id == stop_id;
      if (generation.stopped) continue;
      generation.ids.push_back(id);
      row.tokens.push_back(id);
      kept.push_back(column);
      unfinished.push_back(std::move(row));
    }
    if (unfinished.size() < rows.size()) {
      decoding.select_rows(torch::tensor(kept, torch::kLong).to(device));
    }
    rows = std::move(unfinished);
  }
}

std::vector<Generation> generate(Model& model,
                                 const std::vector<std::vector<std::int64_t>>& prompts,
                                 const GenerationOptions& options, const DataFacts& facts,
                                 std::int64_t block_size, bool fixed_length) {
  options.validate("generation");
  const auto stop_id = options.stop_id.value_or(facts.boundary_id);
  require<ConfigError>(stop_id >= -1 && stop_id < facts.vocab_size, "generation.stop_id: ", stop_id,
                       " is outside the vocabulary of ", facts.vocab_size);
  require<std::invalid_argument>(block_size > 0 || !fixed_length,
                                 "generate: fixed_length needs a block_size");
  std::vector<DecodingRow> waiting;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    waiting.push_back({i, start_of(prompts[i], i, facts)});
  }

  const torch::NoGradGuard no_grad;
  const EvaluationMode evaluation_mode(model);
  const RereadingOptions rereading{facts.vocab_size, facts.pad_id, block_size, fixed_length};
  std::vector<Generation> generations(prompts.size());
  for (std::size_t first = 0; first < waiting.size(); first += kRowsAtOnce) {
    const auto last = std::min(first + kRowsAtOnce, waiting.size());
    std::vector<DecodingRow> rows(waiting.begin() + static_cast<std::ptrdiff_t>(first),
                                  waiting.begin() + static_cast<std::ptrdiff_t>(last));
    std::vector<std::vector<std::int64_t>> seen;
    for (const auto& row : rows) seen.emplace_back(row.tokens.begin(), row.tokens.end() - 1);
    const auto decoding = start_rereading(model, std::move(seen), rereading);
    sample_rows(*decoding, std::move(rows), options, stop_id, device_of(model), generations);
  }
  return generations;
}

std::vector<GeneratedText> generate_texts(const TrainedModel& trained, const std::string& prompt,
                                          std::int64_t count, const GenerationOptions& options) {
  const auto& facts = trained.facts;
  const auto& tokenizer = trained.vocabulary.target();
  auto start = tokenizer.encode(prompt);
  if (facts.boundary_id >= 0) {
    start.insert(start.begin(), facts.boundary_id);
  } else if (start.empty()) {
    start.push_back(start_of_text(tokenizer));
  }
  const std::vector<std::vector<std::int64_t>> prompts(static_cast<std::size_t>(count), start);
  std::vector<GeneratedText> texts;
  for (const auto& row : generate(trained.model, prompts, options, facts, trained.block_size(),
                                  trained.architecture().fixed_length)) {
    texts.push_back({prompt + tokenizer.decode(row.ids), row.log_probability});
  }
  return texts;
}

}  // namespace zoo
