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

class EvalMode {
 public:
  explicit EvalMode(Model& model) : model_(model), was_training_(model.is_training()) {
    model_.eval();
  }
  ~EvalMode() { model_.train(was_training_); }
  EvalMode(const EvalMode&) = delete;
  EvalMode& operator=(const EvalMode&) = delete;

 private:
  Model& model_;
  bool was_training_;
};

/// A row that has not stopped.
struct Row {
  std::size_t number;                ///< of its prompt
  std::vector<std::int64_t> tokens;  ///< prompt and all that was drawn

  std::int64_t size() const { return static_cast<std::int64_t>(tokens.size()); }
};

/// What every step needs and none changes.
struct Generator {
  Model& model;
  const GenerationOptions& options;
  std::int64_t vocab_size;
  std::int64_t stop_id;
  std::int64_t pad_id;
  std::int64_t block_size;
  bool fixed_length;
  torch::Device device;
};

torch::Device device_of(const Model& model) {
  for (const auto& tensor : model.parameters()) return tensor.device();
  for (const auto& tensor : model.buffers()) return tensor.device();
  return torch::kCPU;
}

/// Uniform in [0, 1), 53 bits of it.
double uniform(std::int64_t seed, std::size_t row, std::int64_t step) {
  const auto row_seed = mixed_seed(static_cast<std::uint64_t>(seed), row);
  const auto bits = mixed_seed(row_seed, static_cast<std::uint64_t>(step));
  return static_cast<double>(bits >> 11) * 0x1p-53;
}

/// The last `width` tokens of each row, shorter rows padded on the left: -> [B, width] int64.
torch::Tensor last_tokens(const std::vector<Row>& rows, std::int64_t width, std::int64_t pad_id) {
  const auto B = static_cast<std::int64_t>(rows.size());
  auto tokens = torch::full({B, width}, pad_id, torch::kLong);
  auto* row_end = tokens.data_ptr<std::int64_t>();
  for (const auto& row : rows) {
    row_end += width;
    const auto count = std::min(row.size(), width);
    std::copy(row.tokens.end() - count, row.tokens.end(), row_end - count);
  }
  return tokens;
}

std::int64_t longest(const std::vector<Row>& rows) {
  std::int64_t size = 0;
  for (const auto& row : rows) size = std::max(size, row.size());
  return size;
}

/// Rows -> tokens [B, T], and lengths [B] where any row is padded.
Inputs inputs_of(const Generator& generator, const std::vector<Row>& rows) {
  const auto most = generator.block_size > 0 ? generator.block_size : kLongestContext;
  const auto T = generator.fixed_length ? most : std::min(longest(rows), most);
  Inputs inputs;
  inputs.tokens = last_tokens(rows, T, generator.pad_id).to(generator.device);  // [B, T]
  std::vector<std::int64_t> lengths;
  for (const auto& row : rows) lengths.push_back(std::min(row.size(), T));
  inputs.left_padded = *std::min_element(lengths.begin(), lengths.end()) < T;
  if (inputs.left_padded)
    inputs.lengths = torch::tensor(lengths, torch::kLong).to(generator.device);
  return inputs;
}

/// Which tokens stand anywhere in a row, padding not counted: -> [B, V] bool.
torch::Tensor seen_tokens(const Generator& generator, const std::vector<Row>& rows) {
  const auto V = generator.vocab_size;
  const auto tokens = last_tokens(rows, longest(rows), /*pad_id=*/V).to(generator.device);
  const auto B = tokens.size(0);
  auto seen = torch::zeros({B, V + 1}, torch::dtype(torch::kBool).device(generator.device));
  return seen.scatter(-1, tokens, true).narrow(-1, 0, V);  // [B, V]
}

/// Draws for every row: -> ids, log-probabilities, whether the logits were finite: [3, B] float64.
torch::Tensor draw(const Generator& generator, const std::vector<Row>& rows, std::int64_t step) {
  const auto B = static_cast<std::int64_t>(rows.size());
  auto logits = generator.model.forward(inputs_of(generator, rows));
  if (logits.dim() == 3) logits = logits.select(1, -1);  // [B, V]
  expect_shape("generate", "logits", logits, {B, generator.vocab_size});

  std::vector<double> uniforms;
  for (const auto& row : rows) {
    uniforms.push_back(uniform(generator.options.seed, row.number, step));
  }
  const auto& sampling = generator.options.sampling;
  torch::Tensor seen;
  if (sampling.repetition_penalty != 1.0) seen = seen_tokens(generator, rows);
  const auto sampled =
      sample(logits, seen, torch::tensor(uniforms, torch::kDouble).to(generator.device), sampling);
  const auto finite = logits.amax(-1).isfinite();  // [B]; amax hands NaN on
  return torch::stack(
             {sampled.ids.to(torch::kDouble), sampled.log_probabilities, finite.to(torch::kDouble)})
      .cpu();  // the one host sync of a step
}

/// Adds one token to every row and drops the rows that stop.
void advance(const Generator& generator, std::vector<Row>& rows, std::int64_t step,
             std::vector<Generation>& generations) {
  const auto drawn = draw(generator, rows, step);
  const auto values = drawn.accessor<double, 2>();
  std::vector<Row> unfinished;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    auto& row = rows[i];
    const auto column = static_cast<std::int64_t>(i);
    require<UserError>(values[2][column] != 0.0, "generation step ", step + 1, ", prompt ",
                       row.number + 1,
                       ": the model's logits are not finite; its training diverged or its "
                       "checkpoint is damaged");
    const auto id = static_cast<std::int64_t>(values[0][column]);
    auto& generation = generations[row.number];
    generation.log_probability += values[1][column];
    generation.stopped = id == generator.stop_id;
    if (generation.stopped) continue;
    generation.ids.push_back(id);
    row.tokens.push_back(id);
    unfinished.push_back(std::move(row));
  }
  rows = std::move(unfinished);
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

}  // namespace

void GenerationOptions::validate(const std::string& path) const {
  const auto values = write_options(*this);
  OptionsReader reader(values, path);
  auto checked = *this;
  fields(checked, reader);
  sampling.validate(path);
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
  std::vector<Row> waiting;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    waiting.push_back({i, start_of(prompts[i], i, facts)});
  }

  const torch::NoGradGuard no_grad;
  const EvalMode eval_mode(model);
  const Generator generator{model,
                            options,
                            facts.vocab_size,
                            stop_id,
                            std::max<std::int64_t>(facts.boundary_id, 0),
                            block_size,
                            fixed_length,
                            device_of(model)};
  std::vector<Generation> generations(prompts.size());
  for (std::size_t first = 0; first < waiting.size(); first += kRowsAtOnce) {
    const auto last = std::min(first + kRowsAtOnce, waiting.size());
    std::vector<Row> rows(waiting.begin() + static_cast<std::ptrdiff_t>(first),
                          waiting.begin() + static_cast<std::ptrdiff_t>(last));
    for (std::int64_t step = 0; step < options.max_new_tokens && !rows.empty(); ++step) {
      advance(generator, rows, step, generations);
    }
  }
  return generations;
}

}  // namespace zoo
