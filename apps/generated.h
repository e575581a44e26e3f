#pragma once

#include <ostream>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "inference/answers.h"
#include "inference/generation.h"
#include "text/text_data.h"

namespace zoo {

/// One object a text: text, log_probability and, where the training data is at hand,
/// in_training_data.
nlohmann::json samples_json(const std::vector<GeneratedText>& texts,
                            const TrainingTextIndex* index);

/// One object a token: token, probability and entropy_bits.
nlohmann::json tokens_json(const std::vector<DrawnToken>& tokens, const Tokenizer& tokenizer);

/// One object an answer: source, text, target, score.
nlohmann::json answers_json(const std::vector<Answer>& answers);

/// One line an answer: "source → text", and what was wanted where it differs.
void print_answers(const std::vector<Answer>& answers, std::ostream& out);

/// The texts, one a line (those of several lines one after another), those that stand in the
/// training data marked with a star.
void print_samples(const std::vector<GeneratedText>& texts, const TrainingTextIndex* index,
                   std::ostream& out);

/// A token a line, with its probability under the model and how undecided that was.
void print_tokens(const std::vector<DrawnToken>& tokens, const Tokenizer& tokenizer,
                  std::ostream& out);

}  // namespace zoo
