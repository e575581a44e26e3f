#include "inference/sample_observer.h"

#include "inference/run.h"
#include "inference/translation.h"

namespace zoo {

bool SampleObserver::on_evaluation(const Progress& progress, const Evaluation& /*evaluation*/) {
  const auto& config = experiment_.config;
  const auto count = config.training.samples;
  if (count == 0) return true;
  GenerationOptions options;
  options.seed = config.general.seed;
  options.max_new_tokens = config.training.sample_length;
  std::vector<std::string> texts;
  if (translates(config)) {
    options.sampling.greedy = true;
    for (const auto& one :
         translate_split(experiment_, experiment_.judging_split(), count, options)) {
      texts.push_back(one.source + " → " + one.translation.text);
    }
  } else {
    for (auto& sample : generate_texts(*experiment_.model, *experiment_.data.tokenizer, config, "",
                                       count, options)) {
      texts.push_back(std::move(sample.text));
    }
  }
  sink_(progress, texts);
  return true;
}

}  // namespace zoo
