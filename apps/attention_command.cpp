#include <iostream>

#include "analysis/attention_page.h"
#include "analysis/image_attention.h"
#include "apps/command.h"
#include "apps/image_arguments.h"
#include "apps/run_options.h"
#include "apps/table.h"
#include "apps/text_arguments.h"
#include "core/errors.h"
#include "core/files.h"
#include "inference/attention_maps.h"
#include "inference/classification.h"
#include "inference/image_attention.h"
#include "inference/translation.h"
#include "vision/formats/png.h"

namespace zoo {
namespace {

/// The target that is looked at: the one given, or what the run writes.
std::string target_of(const cxxopts::ParseResult& arguments, const TrainedModel& trained,
                      const std::string& text) {
  const bool given = arguments.count("target") > 0;
  if (!translates(trained.config)) {
    require<UserError>(!given, "--target: the run writes no targets; leave it out");
    return "";
  }
  if (given) return arguments["target"].as<std::string>();
  TranslationOptions options;
  options.generation.sampling.greedy = true;
  return translate(trained, {text}, options)[0][0].text;
}

std::string title_of(const Run& run) {
  return run.folder.filename().string() + ": " + run.config.general.architecture;
}

std::string layers_text(std::size_t layers) {
  return text_of(layers, layers == 1 ? " layer" : " layers");
}

AttentionPage page_of(const Run& run, const std::string& text, const std::string& target) {
  AttentionPage page;
  page.title = title_of(run);
  page.text = translates(run.config) ? text + " → " + target : text;
  for (const auto& map : attention_maps(trained_model(run), text, target)) {
    AttentionLayer layer;
    layer.name = map.layer.empty() ? "attention" : map.layer;
    layer.queries = map.queries;
    layer.keys = map.keys;
    layer.heads = map.weights.size(0);
    const auto* weights = map.weights.const_data_ptr<float>();
    layer.weights.assign(weights, weights + map.weights.numel());
    page.layers.push_back(std::move(layer));
  }
  return page;
}

/// The image that is looked at with what every head looked at, for the page or the picture.
ImageAttention image_attention_of(const cxxopts::ParseResult& arguments, const Run& run,
                                  const std::string& path) {
  const auto trained = trained_model(run);
  auto read = read_prepared_image(arguments, run, path);
  const auto found = classify(trained, {read.image}).front();
  ImageAttention attention;
  attention.title = title_of(run);
  attention.caption = text_of(path, read.changes.empty() ? "" : " (" + read.changes + ")", " → ",
                              found.label(), " ", fixed_digits(found.probability(), 3));
  for (const auto& map : patch_attention(trained, read.image)) {
    const auto* weights = map.weights.const_data_ptr<float>();
    attention.rows = map.weights.size(1);
    attention.columns = map.weights.size(2);
    attention.layers.push_back(
        {map.layer, map.weights.size(0), {weights, weights + map.weights.numel()}});
  }
  attention.image = std::move(read.image);
  return attention;
}

/// Draws one input into a file -> what is said about it.
std::string drawn_image(const cxxopts::ParseResult& arguments, const Run& run,
                        const std::string& path, const std::filesystem::path& out) {
  require<UserError>(arguments.count("target") == 0,
                     "--target: the run reads images; leave it out");
  const auto attention = image_attention_of(arguments, run, path);
  replace_file(out, out.extension() == ".png" ? encode_png(attention_picture(attention))
                                              : image_attention_page(attention));
  return text_of(layers_text(attention.layers.size()), ", ", attention.caption);
}

std::string drawn_text(const cxxopts::ParseResult& arguments, const Run& run,
                       const std::string& text, const std::filesystem::path& out) {
  require<UserError>(out.extension() != ".png", "--out: ", out.string(),
                     ": attention over text is drawn as a page; give an .html file");
  require<UserError>(arguments.count("invert") == 0, "--invert: the run reads text; leave it out");
  const auto page = page_of(run, text, target_of(arguments, trained_model(run), text));
  replace_file(out, attention_page(page));
  return text_of(layers_text(page.layers.size()), ", ", page.text);
}

int run(const cxxopts::ParseResult& arguments) {
  require<UserError>(arguments.count("out") > 0, "--out: missing; give the file to write");
  require<UserError>(texts_are_given(arguments), "no TEXT or IMAGE given; see --help");
  const auto inputs = arguments["text"].as<std::vector<std::string>>();
  require<UserError>(inputs.size() == 1, "attention: shows one text or image, got ", inputs.size(),
                     "; put a text in quotes");
  const std::filesystem::path out = arguments["out"].as<std::string>();
  const auto opened = open_run(arguments);
  const auto said = opened.config.reads_images() ? drawn_image(arguments, opened, inputs[0], out)
                                                 : drawn_text(arguments, opened, inputs[0], out);
  std::cout << out.string() << ": " << said << "\n";
  return kDone;
}

}  // namespace

Command attention_command() {
  return {"attention",
          "RUN TEXT|IMAGE",
          "Draws what every attention head looks at in a text or an image",
          "zoo attention runs/words \"forty two\" --out attention.html",
          [](cxxopts::Options& options) {
            using cxxopts::value;
            add_run_options(options);
            add_text_arguments(options, "The text, or the PNG or JPEG file");
            options.add_options()("out", "The HTML file to write; of an image also .png",
                                  value<std::string>(), "FILE")(
                "target", "Of a run that translates: the target; default what it writes",
                value<std::string>(), "TEXT");
            add_image_options(options);
          },
          run};
}

}  // namespace zoo
