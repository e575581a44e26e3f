#include "apps/generation_options.h"

namespace zoo {

void add_generation_options(cxxopts::Options& options) {
  using cxxopts::value;
  options.add_options()("max-new-tokens", "Most tokens after the prompt", value<std::int64_t>(),
                        "N")("seed", "The same seed gives the same texts", value<std::int64_t>(),
                             "N")("temperature", "Below 1: likelier tokens; 0: the likeliest",
                                  value<double>(), "X")("top-k", "Only the K likeliest tokens",
                                                        value<std::int64_t>(), "K")(
      "top-p", "Only the likeliest tokens that make up P together", value<double>(), "P")(
      "min-p", "Only tokens with P times the likeliest one's probability", value<double>(), "P")(
      "repetition-penalty", "Above 1: tokens already there become less likely", value<double>(),
      "X")("greedy", "Always the likeliest token");
}

GenerationOptions generation_options(const cxxopts::ParseResult& arguments,
                                     GenerationOptions options) {
  const auto read = [&]<class T>(const char* name, T& value) {
    if (arguments.count(name) > 0) value = arguments[name].as<T>();
  };
  read("max-new-tokens", options.max_new_tokens);
  read("seed", options.seed);
  read("temperature", options.sampling.temperature);
  read("top-k", options.sampling.top_k);
  read("top-p", options.sampling.top_p);
  read("min-p", options.sampling.min_p);
  read("repetition-penalty", options.sampling.repetition_penalty);
  if (arguments.count("greedy") > 0) options.sampling.greedy = true;
  options.validate("generate");
  return options;
}

void add_beam_options(cxxopts::Options& options) {
  using cxxopts::value;
  options.add_options()("beams", "Hypotheses that are followed at a time; default 1, greedy",
                        value<std::int64_t>(), "N")(
      "length-penalty", "0: short ones rank first; 1, the default: the mean of a token counts",
      value<double>(), "X");
}

BeamOptions beam_options(const cxxopts::ParseResult& arguments) {
  BeamOptions options;
  if (arguments.count("beams") > 0) options.beams = arguments["beams"].as<std::int64_t>();
  if (arguments.count("length-penalty") > 0) {
    options.length_penalty = arguments["length-penalty"].as<double>();
  }
  return read_options<BeamOptions>(write_options(options), "beams");
}

}  // namespace zoo
