#include "inference/sample_observer.h"

#include "inference/run.h"

namespace zoo {

bool SampleObserver::on_evaluation(const Progress& progress, const Evaluation& /*evaluation*/) {
  const auto count = config_.training.samples;
  if (count == 0) return true;
  GenerationOptions options;
  options.seed = config_.general.seed;
  options.max_new_tokens = config_.training.sample_length;
  std::vector<std::string> texts;
  for (auto& sample : generate_texts(model_, tokenizer_, config_, "", count, options)) {
    texts.push_back(std::move(sample.text));
  }
  sink_(progress, texts);
  return true;
}

}  // namespace zoo
