#include "inference/export/export.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include <ATen/core/List.h>
#include <torch/types.h>
#include <torch/utils.h>
#include <nlohmann/json.hpp>

#include "core/errors.h"
#include "core/files.h"
#include "core/sha256.h"
#include "inference/generation.h"
#include "inference/translation.h"
#include "tests/support/catch.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/torch_checks.h"
#include "tests/support/torch_export.h"
#include "training/evaluation.h"
#include "vision/transforms.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;

const Architecture& gpt() { return find_architecture("gpt"); }

/// Calls `use` for an export of each task that each architecture learns.
template <class Use>
void for_every_export(Use&& use) {
  const TemporaryFolder folder;
  for (const auto& row : architectures()) {
    for (const auto& task : row.tasks) {
      INFO(row.name << " learns " << task);
      torch::manual_seed(1);
      const Exported exported(folder, row, task);
      use(exported);
    }
  }
}

TEST_CASE(
    "every architecture and task exports, proved in six sizes and more, none of them traced") {
  for_every_export([](const Exported& exported) {
    std::map<std::string, std::set<std::vector<std::vector<std::int64_t>>>> shapes;
    for (const auto& one : exported.report.cases) {
      CHECK(one.difference <= kExportTolerance);
      CHECK(one.kernel_difference < 1e-4);
      CHECK(one.export_milliseconds > 0.0);
      shapes[one.method].insert(one.shapes);
    }
    CHECK(shapes.count("forward") == 1);
    CHECK(shapes.count("encode") == (exported.experiment.architecture.reads_source ? 1 : 0));
    for (const auto& [method, of_method] : shapes) CHECK(of_method.size() >= 6);
    const auto bytes = read_file(exported.file);
    const auto proof = nlohmann::json::parse(read_file(exported.report.proof_file));
    CHECK(proof.at("sha256") == sha256(bytes));
    CHECK(proof.at("largest_difference").get<double>() ==
          largest_difference(exported.report.cases));
    CHECK(proof.at("calls").size() == exported.report.cases.size());
    CHECK_FALSE(fs::exists(exported.file.string() + ".part"));
  });
}

TEST_CASE("an export takes the run's place: the same loss and the same texts") {
  for_every_export([](const Exported& exported) {
    const auto& experiment = exported.experiment;
    const auto opened = exported.open();
    CHECK(opened.checkpoint.step == 12);
    const auto loss_of = [](const Experiment& one) {
      const auto batches = one.all_batches("val");
      return evaluate(*one.model, *one.task, *batches, "val").loss;
    };
    const auto other = experiment_of(opened);
    CHECK(loss_of(other) == Approx(loss_of(experiment)).epsilon(1e-5));
    const auto task = experiment.config.general.task;
    GenerationOptions options;
    options.max_new_tokens = 12;
    options.sampling.greedy = true;
    if (task == TaskType::kLanguageModel) {
      const auto expected = generate_texts(trained_model(experiment), "an", 3, options);
      const auto actual = generate_texts(trained_model(opened), "an", 3, options);
      for (std::size_t i = 0; i < 3; ++i) CHECK(actual[i].text == expected[i].text);
    } else if (task == TaskType::kSequenceToSequence) {
      const std::vector<std::string> sources = {"anna", "bo", "ella"};
      const auto expected = translate(trained_model(experiment), sources, {options, {}, false});
      const auto actual = translate(trained_model(opened), sources, {options, {}, false});
      for (std::size_t i = 0; i < 3; ++i) CHECK(actual[i][0].text == expected[i][0].text);
    }
  });
}

TEST_CASE("an export has its parameters by name, tied ones once, and is in evaluation mode") {
  const TemporaryFolder folder;
  const Exported exported(folder, gpt(), "language_model");
  TorchscriptFile file(exported.file, {"config.json", "state.json", "tokenizer.json", "nothing"},
                       torch::kCPU);
  std::set<std::string> names;
  for (const auto& [name, tensor] : file.parameters()) {
    names.insert(name);
    CHECK(largest_difference(tensor, exported.experiment.model->named_parameters()[name]) == 0.0);
  }
  CHECK(names.size() == unique_parameters(*exported.experiment.model).size());
  const auto& files = file.files();
  CHECK(files.size() == 3);
  CHECK(nlohmann::json::parse(files.at("config.json")) == exported.experiment.config.to_json());
  const auto state = nlohmann::json::parse(files.at("state.json"));
  CHECK(state.at("checkpoint_sha256") == "0123");
  CHECK(state.contains("zoo"));
  CHECK(files.at("tokenizer.json") ==
        files_of(exported.experiment.vocabulary).at("tokenizer.json"));
}

TEST_CASE(
    "an export's generate ends rows at the boundary, is greedy at temperature 0, and refuses") {
  const TemporaryFolder folder;
  for (const char* architecture : {"gpt", "mlp", "ngram"}) {
    INFO(architecture);
    const Exported exported(folder, find_architecture(architecture), "language_model");
    const auto trained = trained_model(exported.experiment);
    TorchscriptFile file(exported.file, {}, torch::kCPU);
    const auto start = torch::zeros({40, 1}, torch::kInt64);
    const auto write = [&](std::int64_t seed, double temperature, std::int64_t k, double p) {
      torch::manual_seed(static_cast<std::uint64_t>(seed));
      return file.call("generate", {start, 9, temperature, k, p}).toTensor();
    };
    const auto texts = write(3, 1.0, 0, 1.0);
    CHECK(texts.equal(write(3, 1.0, 0, 1.0)));
    CHECK_FALSE(texts.equal(write(4, 1.0, 0, 1.0)));
    CHECK(texts.size(1) <= 10);
    for (const auto& row : texts.unbind(0)) {
      const auto ended = row.narrow(0, 1, row.size(0) - 1).eq(0).to(torch::kInt64);
      CHECK(ended.equal(std::get<0>(ended.cummax(0))));  // once ended, always ended
    }
    const auto greedy = write(5, 0.0, 0, 1.0);
    CHECK(greedy.equal(write(6, 1.0, 1, 1.0)));
    CHECK(greedy.equal(write(7, 1.0, 0, 1e-6)));
    GenerationOptions options;
    options.max_new_tokens = 9;
    options.sampling.greedy = true;
    const auto expected = generate(trained.model, {{0}}, options, trained.facts,
                                   trained.block_size(), trained.architecture().fixed_length);
    auto ids = expected[0].ids;
    if (expected[0].stopped) ids.push_back(0);
    CHECK(greedy[0].narrow(0, 1, greedy.size(1) - 1).equal(torch::tensor(ids, torch::kInt64)));
    for (const auto& [temperature, k, p] :
         {std::tuple(-0.1, 0, 1.0), {1.0, -1, 1.0}, {1.0, 0, 0.0}, {1.0, 0, 1.1}}) {
      CHECK_THROWS_WITH(write(1, temperature, k, p), ContainsSubstring("must be"));
    }
  }
}

TEST_CASE("an export encodes and decodes characters byte by byte as its tokenizer does") {
  const TemporaryFolder folder;
  const auto path = folder / "words.txt";
  write_file_synced(path, "añb€𝄞\nçaé\nβγ€\nzoë\nab\nba\n");
  for (const std::string unknown : {"refuse", "skip", "replace"}) {
    INFO(unknown);
    auto raw = tiny_config(folder / unknown, gpt(),
                           {"data.path=" + path.string(), "tokenizer.unknown=" + unknown,
                            "tokenizer.boundary=<s>", "data.val_fraction=0"});
    const auto experiment = make_tiny_experiment(raw);
    const auto file = folder / (unknown + ".pt");
    export_torchscript(trained_model(experiment), {raw, 0, ""}, file);
    TorchscriptFile program(file, {}, torch::kCPU);
    const auto& tokenizer = experiment.vocabulary.target();
    const auto encode = [&](const std::string& text) {
      return program.call("encode", {text}).toIntVector();
    };
    for (const std::string text : {"", "añb€", "<s>zoë<s>", "a<sb", "βγ<s>€"}) {
      if (text == "a<sb" && unknown == "refuse") continue;
      CHECK(encode(text) == tokenizer.encode(text));
      CHECK(program.call("decode", {tokenizer.encode(text)}).toStringRef() ==
            tokenizer.decode(tokenizer.encode(text)));
    }
    if (unknown == "refuse") {
      CHECK_THROWS_WITH(encode("a€x"), ContainsSubstring("the character at byte 4"));
    } else {
      CHECK(encode("xa日b") == tokenizer.encode("xa日b"));
    }
  }
}

TEST_CASE("rotary positions, other norms, sub-words and colour export too") {
  const TemporaryFolder folder;
  int number = 0;
  for (const auto& [name, settings] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"gpt", {"model.positions=rotary", "model.norm=batch", "model.norm_place=post"}},
           {"gpt", {"model.positions=sinusoidal", "model.norm=rms", "model.feed_forward=swiglu"}},
           {"gpt", {"tokenizer.type=byte_bpe", "tokenizer.vocab_size=280"}},
           {"rnn", {"model.cell=lstm", "model.n_layers=2"}},
           {"rnn", {"model.cell=rnn"}},
           {"mlp", {"tokenizer.boundary=|", "model.norm=batch"}},
           {"ngram", {"model.order=1"}},
           {"ngram", {"model.interpolate=true", "model.order=4"}},
           {"encoder_decoder", {"model.tie_output=false", "model.share_embeddings=false"}},
           {"vit", {"model.pooling=mean", "model.positions=sinusoidal"}}}) {
    INFO(name << " " << settings.front());
    const TemporaryFolder own;
    const auto& row = find_architecture(name);
    const Exported exported(own, row, row.tasks.front(), settings);
    CHECK(largest_difference(exported.report.cases) <= kExportTolerance);
    const bool subwords = settings.front() == "tokenizer.type=byte_bpe";
    TorchscriptFile file(exported.file, {}, torch::kCPU);
    if (row.tasks.front() == "language_model") CHECK(file.has("encode") == !subwords);
    ++number;
  }
  CHECK(number == 10);
}

TEST_CASE("images are given to an export as they are, and it normalises them") {
  const TemporaryFolder folder;
  const Exported exported(folder, find_architecture("vit"), "image_classification");
  TorchscriptFile file(exported.file, {}, torch::kCPU);
  const auto bytes = torch::randint(256, {3, 1, 12, 8}, torch::kUInt8);
  const auto logits = file.call("forward", {bytes}).toTensor();
  CHECK(largest_difference(file.call("forward", {bytes.to(torch::kFloat32)}).toTensor(), logits) ==
        0.0);
  Inputs inputs;
  inputs.images =
      Normalization(exported.experiment.vocabulary.images->statistics, torch::kCPU)(bytes);
  const torch::NoGradGuard no_grad;
  exported.experiment.model->eval();
  CHECK(largest_difference(exported.experiment.model->forward(inputs), logits) < 1e-5);
}

nlohmann::json lists_of(const torch::Tensor& tensor) {
  if (tensor.dim() == 0) {
    if (tensor.is_floating_point()) return tensor.item<double>();
    return tensor.item<std::int64_t>();
  }
  auto list = nlohmann::json::array();
  for (const auto& part : tensor.unbind(0)) list.push_back(lists_of(part));
  return list;
}

/// What every method of an export answers here, for scripts/check_exports.py to compare with.
nlohmann::json expectations_of(const Exported& exported) {
  const torch::NoGradGuard no_grad;
  exported.experiment.model->eval();
  TorchscriptFile file(exported.file, {}, torch::kCPU);
  const auto trained = trained_model(exported.experiment);
  auto calls = nlohmann::json::array();
  const auto add = [&](const std::string& method, nlohmann::json arguments, nlohmann::json answer) {
    calls.push_back({{"file", exported.file.string()},
                     {"method", method},
                     {"arguments", std::move(arguments)},
                     {"answer", std::move(answer)}});
  };
  for (const auto& method : exported_methods(trained)) {
    for (const std::int64_t B : {1, 6}) {
      const auto values = random_arguments(trained, method, {B, 3, 4}, 9);
      auto arguments = nlohmann::json::array();
      for (const auto& value : values) arguments.push_back(lists_of(value));
      add(method.name, arguments, lists_of(method.answer(values)));
    }
  }
  if (file.has("generate")) {
    torch::manual_seed(5);
    const auto rows = torch::ones({4, 2}, torch::kInt64);
    const auto texts = file.call("generate", {rows, 8, 0.9, 4, 0.95}).toTensor();
    add("generate", {lists_of(rows), 8, 0.9, 4, 0.95}, lists_of(texts));
    calls.back()["seed"] = 5;
  }
  for (const std::string encode : {"encode", "encode_text"}) {
    const bool of_source = exported.experiment.architecture.reads_source;
    if (!file.has("decode" + encode.substr(6)) || of_source != (encode == "encode_text")) continue;
    const auto& reader = exported.experiment.vocabulary.source();
    const auto& writer = exported.experiment.vocabulary.target();
    add(encode, {"anna"}, reader.encode("anna"));
    add("decode" + encode.substr(6), {writer.encode("anna")}, "anna");
  }
  return calls;
}

TEST_CASE("Python finds the same answers in every export", "[python]") {
  const TemporaryFolder folder;
  auto calls = nlohmann::json::array();
  for (const auto& row : architectures()) {
    for (const auto& task : row.tasks) {
      const Exported exported(folder, row, task);
      for (auto& call : expectations_of(exported)) calls.push_back(std::move(call));
    }
  }
  REQUIRE(calls.size() > 50);
  const auto cases = folder / "calls.json";
  write_file_synced(cases, calls.dump());
  CHECK(std::system(("scripts/check_exports.py " + cases.string()).c_str()) == 0);
}

}  // namespace
}  // namespace zoo
