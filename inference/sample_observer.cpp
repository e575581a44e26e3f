#include "inference/sample_observer.h"

#include "inference/answers.h"
#include "inference/generation.h"

namespace zoo {

bool SampleObserver::on_evaluation(const Progress& progress, const Evaluation& /*evaluation*/) {
  const auto& config = experiment_.config;
  const auto count = config.training.samples;
  if (count == 0) return true;
  TranslationOptions options;
  options.generation.seed = config.general.seed;
  options.generation.max_new_tokens = config.training.sample_length;
  std::vector<std::string> texts;
  if (config.general.task == TaskType::kLanguageModel) {
    for (auto& sample : generate_texts(trained_model(experiment_), "", count, options.generation)) {
      texts.push_back(std::move(sample.text));
    }
  } else {
    options.generation.sampling.greedy = true;
    for (const auto& one : answer_split(experiment_, experiment_.judging_split(), count, options)) {
      texts.push_back(one.source + " → " + one.given.text);
    }
  }
  sink_(progress, texts);
  return true;
}

}  // namespace zoo
