#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/options.h"
#include "inference/samplers.h"
#include "inference/trained_model.h"
#include "models/model.h"

namespace zoo {

/// What a model without block_size is shown at most, so that memory is bounded: the last tokens.
inline constexpr std::int64_t kLongestContext = 1024;

struct GenerationOptions {
  std::int64_t max_new_tokens = 200;
  std::int64_t seed = 1;
  SamplingOptions sampling;
  bool slide = false;
  /// The token that ends a row; unset: the facts' boundary; -1: none.
  std::optional<std::int64_t> stop_id;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("max_new_tokens", self.max_new_tokens,
          "Most tokens that are drawn after a prompt, the one that stops it included.",
          at_least(1));
    visit("seed", self.seed, "The same seed gives the same text.", at_least(0));
    SamplingOptions::fields(self.sampling, visit);
    visit("slide", self.slide,
          "Past block_size, forget the oldest token instead of reading the last ones again as a "
          "text of their own: a token costs the same as before; needs rotary positions or none.");
  }
  /// Holds values that no JSON reader checked to their ranges. Throws ConfigError.
  void validate(const std::string& path) const;
};

/// What a model wrote after one prompt.
struct Generation {
  std::vector<std::int64_t> ids;  ///< without the prompt and without the stop token
  double log_probability = 0.0;   ///< nats, sum over the drawn tokens, the stop token included
  bool stopped = false;           ///< ended at the stop token, not at max_new_tokens
};

/// A row that is being written: which one it is, and its tokens so far, the last of which the
/// decoding has not seen yet.
struct DecodingRow {
  std::size_t number = 0;
  std::vector<std::int64_t> tokens;
};

/// A token as it was drawn, under the model's own distribution, whatever the sampler left of it.
struct DrawnToken {
  std::size_t row = 0;
  std::int64_t id = 0;
  double log_probability = 0.0;  ///< nats
  double entropy = 0.0;          ///< nats, of what the model held possible
};

/// Who looks on while rows are written.
struct Onlooker {
  std::function<void(const DrawnToken&)> on_token;  ///< each as soon as it is drawn; may be empty
  bool one_by_one = false;                          ///< a row is finished before the next begins
  bool with_entropy = false;                        ///< else it is 0
};

/// Draws tokens until every row has stopped: writes generations[row.number] of each. What is drawn
/// is a function of (seed, row.number, step). `stop_id` -1: rows end at max_new_tokens only. The
/// host waits for the device at every token only where it must: to hand the token on, or, on the
/// CPU, to take rows out that have stopped. Throws UserError for logits that are not finite, naming
/// the step.
void sample_rows(Decoding& decoding, const std::vector<DecodingRow>& rows,
                 const GenerationOptions& options, std::int64_t stop_id, torch::Device device,
                 std::vector<Generation>& generations, const Onlooker& onlooker = {});

/// What a model is shown of its rows.
struct RowView {
  std::int64_t vocab_size = 0;
  std::int64_t pad_id = 0;
  std::int64_t block_size = 0;  ///< tokens that are seen, the last ones; 0: kLongestContext
  bool fixed_length = false;    ///< exactly so many, padded on the left
};

/// Writes with any model by reading each row as a whole again for every token. `prompts` are what
/// the rows start with; step adds to them.
std::unique_ptr<Decoding> start_rereading(Model& model,
                                          const std::vector<std::vector<std::int64_t>>& prompts,
                                          const RowView& view);

/// Writes with what the model keeps of its rows where it is a Decoder, else by reading them again:
/// the same text, sooner. Of `prompts` the model is shown what `view` says; one that keeps a state
/// alone has then seen all that it writes.
std::unique_ptr<Decoding> start_decoding(Model& model,
                                         const std::vector<std::vector<std::int64_t>>& prompts,
                                         const RowView& view, FullBlock full_block);

/// Continues every prompt of a text: token ids -> one Generation each, in the order of the prompts.
///
/// A prompt is shown as it is; an empty one starts as the boundary. The model sees the last
/// block_size tokens of a row (0: kLongestContext of a prompt), and exactly block_size where
/// fixed_length; a shorter row is padded on the left with facts.pad_id, with Inputs.lengths and
/// left_padded set where any row is. A row that has stopped leaves the batch.
/// What is drawn is a function of (seed, row, step): other rows and the global generators have no
/// part in it. The model runs without gradients, in eval mode, on the device of its tensors, and
/// gets its mode back. Logits may be [B, V] or [B, T, V], whose last position is taken.
/// Throws UserError for a token outside the vocabulary, an empty prompt of running text, and logits
/// that are not finite, naming the step; ConfigError for options out of range.
std::vector<Generation> generate(Model& model,
                                 const std::vector<std::vector<std::int64_t>>& prompts,
                                 const GenerationOptions& options, const DataFacts& facts,
                                 std::int64_t block_size, bool fixed_length,
                                 const Onlooker& onlooker = {});

/// Texts that follow a prompt.
struct GeneratedText {
  std::string text;  ///< with the prompt, without boundaries
  double log_probability = 0.0;
};

/// Generates `count` texts after one prompt. A line starts at its boundary; running text without a
/// prompt after a line break. Throws UserError for a prompt with unknown characters.
std::vector<GeneratedText> generate_texts(const TrainedModel& trained, const std::string& prompt,
                                          std::int64_t count, const GenerationOptions& options,
                                          const Onlooker& onlooker = {});

}  // namespace zoo
