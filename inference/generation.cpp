#include "inference/generation.h"

#include <algorithm>
#include <cmath>
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
torch::Tensor last_tokens(const std::vector<std::vector<std::int64_t>>& rows, std::int64_t width,
                          std::int64_t pad_id) {
  auto tokens = torch::full({static_cast<std::int64_t>(rows.size()), width}, pad_id, torch::kLong);
  auto* row_end = tokens.data_ptr<std::int64_t>();
  for (const auto& row : rows) {
    row_end += width;
    const auto count = std::min(size_of(row), width);
    std::copy(row.end() - count, row.end(), row_end - count);
  }
  return tokens;
}

/// Most tokens of a row that a model is shown.
std::int64_t most_shown(const RowView& view) {
  return view.block_size > 0 ? view.block_size : kLongestContext;
}

/// The tokens of rows on a device, the last ones that a model is shown, padded on the left.
class ShownRows {
 public:
  ShownRows(const std::vector<std::vector<std::int64_t>>& rows, const RowView& view,
            torch::Device device)
      : view_(view) {
    std::int64_t longest = 0;
    for (const auto& row : rows) {
      lengths_.push_back(std::min(size_of(row), most_shown(view)));
      longest = std::max(longest, lengths_.back());
    }
    tokens_ = last_tokens(rows, longest, view.pad_id).to(device);
  }

  /// One more token of each row: tokens [B].
  void append(const torch::Tensor& tokens) {
    const auto most = most_shown(view_);
    tokens_ = torch::cat({tokens_, tokens.unsqueeze(1)}, 1);
    if (tokens_.size(1) > most) tokens_ = tokens_.narrow(1, tokens_.size(1) - most, most);
    for (auto& length : lengths_) length = std::min(length + 1, most);
  }

  void select_rows(const torch::Tensor& rows) {
    tokens_ = tokens_.index_select(0, rows);
    const auto there = rows.cpu();
    const auto chosen = there.accessor<std::int64_t, 1>();
    std::vector<std::int64_t> lengths;
    for (std::int64_t i = 0; i < chosen.size(0); ++i) {
      lengths.push_back(lengths_[static_cast<std::size_t>(chosen[i])]);
    }
    lengths_ = std::move(lengths);
  }

  /// tokens [B, T], and lengths [B] where any row is padded.
  Inputs inputs() const {
    Inputs inputs;
    inputs.tokens = tokens_;
    const auto missing = most_shown(view_) - tokens_.size(1);
    if (view_.fixed_length && missing > 0) {
      inputs.tokens = torch::constant_pad_nd(tokens_, {missing, 0}, view_.pad_id);
    }
    inputs.left_padded =
        *std::min_element(lengths_.begin(), lengths_.end()) < inputs.tokens.size(1);
    if (inputs.left_padded) {
      inputs.lengths = torch::tensor(lengths_, torch::kLong).to(tokens_.device());
    }
    return inputs;
  }

 private:
  RowView view_;
  torch::Tensor tokens_;               // [B, S]
  std::vector<std::int64_t> lengths_;  // real tokens of each row
};

class RereadingDecoding : public Decoding {
 public:
  RereadingDecoding(Model& model, const std::vector<std::vector<std::int64_t>>& rows,
                    const RowView& view)
      : model_(model), rows_(rows, view, device_of(model)), vocab_size_(view.vocab_size) {}

  torch::Tensor step(const torch::Tensor& tokens) override {
    rows_.append(tokens);
    auto logits = model_.forward(rows_.inputs());
    if (logits.dim() == 3) logits = logits.select(1, -1);
    expect_shape("generate", "logits", logits, {tokens.size(0), vocab_size_});
    return logits;  // [B, V]
  }

  void select_rows(const torch::Tensor& rows) override { rows_.select_rows(rows); }

 private:
  Model& model_;
  ShownRows rows_;
  std::int64_t vocab_size_;
};

/// What is known of a drawn token, in the order of a column of RowSampler::draw.
enum Fact : std::int64_t { kId, kLogProbability, kEntropy };

/// Draws for rows whose tokens stay on the device.
class RowSampler {
 public:
  RowSampler(Decoding& decoding, const std::vector<DecodingRow>& rows,
             const GenerationOptions& options, torch::Device device)
      : decoding_(decoding), options_(options), device_(device) {
    for (const auto& row : rows) {
      numbers_.push_back(row.number);
      tokens_.push_back(row.tokens);
    }
    last_ = last_tokens(tokens_, 1, /*pad_id=*/0).squeeze(1).to(device);
  }

  /// The tokens of `count` steps -> their facts [count, F, B] float64 on the CPU: the one time that
  /// the host waits.
  torch::Tensor draw(std::int64_t step, std::int64_t count, bool with_entropy) {
    std::vector<double> drawn;
    for (auto at = step; at < step + count; ++at) {
      for (const auto number : numbers_) drawn.push_back(uniform(options_.seed, number, at));
    }
    const auto uniforms = torch::tensor(drawn, torch::kDouble).view({count, -1}).to(device_);
    std::vector<torch::Tensor> steps;
    for (const auto& of_step : uniforms.unbind(0)) steps.push_back(draw_one(of_step, with_entropy));
    return torch::stack(steps).cpu();
  }

  /// Keeps these rows: positions among those that are there.
  void keep(const std::vector<std::int64_t>& positions) {
    const auto rows = torch::tensor(positions, torch::kLong).to(device_);
    decoding_.select_rows(rows);
    last_ = last_.index_select(0, rows);
    if (seen_.defined()) seen_ = seen_.index_select(0, rows);
    std::vector<std::size_t> numbers;
    for (const auto at : positions) numbers.push_back(numbers_[static_cast<std::size_t>(at)]);
    numbers_ = std::move(numbers);
  }

  const std::vector<std::size_t>& numbers() const { return numbers_; }

 private:
  /// uniforms [B] -> facts [F, B].
  torch::Tensor draw_one(const torch::Tensor& uniforms, bool with_entropy) {
    const auto logits = decoding_.step(last_);  // [B, V]
    if (options_.sampling.repetition_penalty != 1.0) remember(logits.size(1));
    const auto sampled = sample(logits, seen_, uniforms, options_.sampling);
    last_ = sampled.ids;
    std::vector<torch::Tensor> facts = {sampled.ids.to(torch::kDouble), sampled.log_probabilities};
    if (with_entropy) facts.push_back(entropy(logits));
    return torch::stack(facts);
  }

  /// Marks which tokens stand anywhere in a row, padding not counted: seen_ [B, V] bool.
  void remember(std::int64_t V) {
    if (seen_.defined()) {
      seen_.scatter_(-1, last_.unsqueeze(1), true);
      return;
    }
    std::int64_t longest = 0;
    for (const auto& row : tokens_) longest = std::max(longest, size_of(row));
    const auto tokens = last_tokens(tokens_, longest, /*pad_id=*/V).to(device_);
    const auto none = torch::zeros({tokens.size(0), V + 1}, tokens.options().dtype(torch::kBool));
    seen_ = none.scatter(-1, tokens, true).narrow(-1, 0, V).contiguous();
  }

  Decoding& decoding_;
  const GenerationOptions& options_;
  torch::Device device_;
  std::vector<std::size_t> numbers_;
  std::vector<std::vector<std::int64_t>> tokens_;  // what the rows start with
  torch::Tensor last_;                             // [B]
  torch::Tensor seen_;                             // [B, V] bool, where a penalty asks for it
};

/// Steps between two looks at what was drawn. On the CPU a look costs nothing and rows that have
/// stopped cost a part of every step; a GPU would wait.
std::int64_t steps_at_once(const Onlooker& onlooker, std::int64_t stop_id, torch::Device device) {
  if (onlooker.on_token) return 1;
  return stop_id >= 0 && device.is_cpu() ? 1 : 16;
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
                                          const std::vector<std::vector<std::int64_t>>& prompts,
                                          const RowView& view) {
  return std::make_unique<RereadingDecoding>(model, prompts, view);
}

std::unique_ptr<Decoding> start_decoding(Model& model,
                                         const std::vector<std::vector<std::int64_t>>& prompts,
                                         const RowView& view, FullBlock full_block) {
  auto* decoder = dynamic_cast<Decoder*>(&model);
  if (decoder == nullptr) return start_rereading(model, prompts, view);
  return decoder->start(ShownRows(prompts, view, device_of(model)).inputs(), full_block);
}

void sample_rows(Decoding& decoding, const std::vector<DecodingRow>& rows,
                 const GenerationOptions& options, std::int64_t stop_id, torch::Device device,
                 std::vector<Generation>& generations, const Onlooker& onlooker) {
  RowSampler sampler(decoding, rows, options, device);
  const auto most = steps_at_once(onlooker, stop_id, device);
  for (std::int64_t step = 0; step < options.max_new_tokens && !sampler.numbers().empty();) {
    const auto count = std::min(most, options.max_new_tokens - step);
    const auto drawn = sampler.draw(step, count, onlooker.with_entropy);
    const auto facts = drawn.accessor<double, 3>();
    std::vector<std::int64_t> unfinished;
    for (std::size_t i = 0; i < sampler.numbers().size(); ++i) {
      const auto number = sampler.numbers()[i];
      const auto row = static_cast<std::int64_t>(i);
      auto& generation = generations[number];
      for (std::int64_t at = 0; at < count && !generation.stopped; ++at) {
        const auto& token = facts[at];
        const auto log_probability = token[kLogProbability][row];
        if (!std::isfinite(log_probability)) refuse_infinite(step + at, number);
        const auto id = static_cast<std::int64_t>(token[kId][row]);
        if (onlooker.on_token) {
          const auto undecided = onlooker.with_entropy ? token[kEntropy][row] : 0.0;
          onlooker.on_token({number, id, log_probability, undecided});
        }
        generation.log_probability += log_probability;
        generation.stopped = id == stop_id;
        if (!generation.stopped) generation.ids.push_back(id);
      }
      if (!generation.stopped) unfinished.push_back(row);
    }
    step += count;
    if (unfinished.size() < sampler.numbers().size()) sampler.keep(unfinished);
  }
}

std::vector<Generation> generate(Model& model,
                                 const std::vector<std::vector<std::int64_t>>& prompts,
                                 const GenerationOptions& options, const DataFacts& facts,
                                 std::int64_t block_size, bool fixed_length,
                                 const Onlooker& onlooker) {
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

  const c10::InferenceMode inference_mode;
  const EvaluationMode evaluation_mode(model);
  const RowView view{facts.vocab_size, facts.pad_id, block_size, fixed_length};
  const auto full_block = options.slide ? FullBlock::kSlide : FullBlock::kReread;
  std::vector<Generation> generations(prompts.size());
  const auto at_once = onlooker.one_by_one ? std::size_t{1} : kRowsAtOnce;
  for (std::size_t first = 0; first < waiting.size(); first += at_once) {
    const auto last = std::min(first + at_once, waiting.size());
    const std::vector<DecodingRow> rows(waiting.begin() + static_cast<std::ptrdiff_t>(first),
                                        waiting.begin() + static_cast<std::ptrdiff_t>(last));
    std::vector<std::vector<std::int64_t>> seen;
    for (const auto& row : rows) seen.emplace_back(row.tokens.begin(), row.tokens.end() - 1);
    const auto decoding = start_decoding(model, seen, view, full_block);
    sample_rows(*decoding, rows, options, stop_id, device_of(model), generations, onlooker);
  }
  return generations;
}

std::vector<GeneratedText> generate_texts(const TrainedModel& trained, const std::string& prompt,
                                          std::int64_t count, const GenerationOptions& options,
                                          const Onlooker& onlooker) {
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
                                  trained.architecture().fixed_length, onlooker)) {
    texts.push_back({prompt + tokenizer.decode(row.ids), row.log_probability});
  }
  return texts;
}

}  // namespace zoo
