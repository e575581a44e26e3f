// What models of images do for their users: train, eval, classify, attention, data show, inspect.
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/files.h"
#include "tests/support/catch.h"
#include "tests/support/image_files.h"
#include "tests/support/json_of.h"
#include "tests/support/program.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"

namespace zoo {
namespace {

namespace fs = std::filesystem;
using Arguments = std::vector<std::string>;

/// A grey PNG of `side` pixels square, its left or its right half bright.
std::string half_bright(int side, bool left, int noise) {
  std::vector<std::uint8_t> rows;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const bool bright = (x < side / 2) == left;
      rows.push_back(
          static_cast<std::uint8_t>((bright ? 200 : 20) + (x * 7 + y * 13 + noise) % 30));
    }
  }
  PngRecipe recipe;
  recipe.height = recipe.width = static_cast<std::uint32_t>(side);
  return png_file(recipe, rows);
}

/// A folder per class, a config, and runs that train in seconds.
class Workplace {
 public:
  Workplace() {
    for (const bool left : {false, true}) {
      const auto folder = folder_ / "images" / (left ? "left" : "right");
      fs::create_directories(folder);
      for (int i = 0; i < 20; ++i) {
        write_file_synced(folder / (std::to_string(i) + ".png"), half_bright(8, left, i));
      }
    }
    write_file_synced(folder_ / "vit.json", R"({
      "architecture": "vit",
      "task": "image_classification",
      "device": "cpu",
      "model": {"patch_size": 4, "d_model": 16, "n_heads": 2, "n_layers": 2},
      "data": {"path": "images", "val_fraction": 0.2, "test_fraction": 0.2},
      "augmentation": {"shift": 0.5},
      "optimizer": {"learning_rate": 0.01},
      "training": {"max_steps": 60, "batch_size": 8, "evaluate_every": 20, "samples": 2}
    })");
    write_file_synced(folder_ / "left.png", half_bright(8, true, 3));
    write_file_synced(folder_ / "large.png", half_bright(30, true, 3));
  }
  std::string operator/(const std::string& name) const { return (folder_ / name).string(); }
  ProgramResult train(const char* run, const Arguments& settings = {}) const {
    Arguments arguments = {"train", *this / "vit.json", "--out", *this / run};
    for (const auto& setting : settings) arguments.insert(arguments.end(), {"--set", setting});
    auto result = run_zoo(arguments);
    INFO(result.error);
    REQUIRE(result.code == 0);
    return result;
  }

 private:
  TemporaryFolder folder_;
};

TEST_CASE("a Vision Transformer is trained on a folder, judged, used and looked into") {
  const Workplace here;
  const auto trained = here.train("run");
  CHECK_THAT(trained.error,
             ContainsSubstring("images: train 24, val 8, test 8; 8 x 8 pixels, grey; 2 classes"));
  CHECK_THAT(trained.error, ContainsSubstring("images/s"));
  CHECK_THAT(trained.out, ContainsSubstring("bits per image"));
  CHECK_THAT(trained.out, ContainsSubstring("nearest training image"));
  CHECK_THAT(trained.out, ContainsSubstring("classify " + (here / "run") + " IMAGE.png"));

  // The run folder alone is enough.
  fs::remove_all(here / "images");
  const auto judged =
      run_zoo({"eval", here / "run", "--split", "test", "--baselines", "--shift", "1"});
  CHECK_THAT(judged.out, ContainsSubstring("calibration_error"));
  CHECK_THAT(judged.out, ContainsSubstring("recall"));
  CHECK_THAT(judged.out, ContainsSubstring("shifted accuracy"));
  CHECK_THAT(judged.out, ContainsSubstring("largest class"));
  const auto json = json_of({"eval", here / "run", "--json", "--show", "3"});
  CHECK(json.at("classes") == nlohmann::json({"left", "right"}));
  CHECK(json.at("accuracy").get<double>() == 1.0);
  CHECK(json.at("answers").size() == 3);

  const auto found = json_of(
      {"classify", here / "run", here / "left.png", here / "large.png", "--top", "1", "--json"});
  const auto& results = found.at("results");
  REQUIRE(results.size() == 2);
  CHECK(results[0].at("label") == "left");
  CHECK(results[0].at("resized") == "");
  CHECK(results[1].at("label") == "left");
  CHECK(results[1].at("resized") == "30 x 30 to 8 x 8");
  CHECK(results[1].at("top").size() == 1);
  CHECK(json_of({"classify", here / "run", here / "left.png", "--invert", "--json"})
            .at("results")[0]
            .at("label") == "right");
  CHECK_THAT(run_zoo({"classify", here / "run"}, "", here / "large.png" + "\n").out,
             ContainsSubstring("large.png (30 x 30 to 8 x 8) → left"));

  const auto page =
      run_zoo({"attention", here / "run", here / "left.png", "--out", here / "a.html"});
  CHECK_THAT(page.out, ContainsSubstring("2 layers"));
  CHECK_THAT(read_file(here / "a.html"), ContainsSubstring("data:image/png;base64,"));
  const auto picture =
      run_zoo({"attention", here / "run", here / "left.png", "--out", here / "a.png"});
  INFO(picture.error);
  CHECK(picture.code == 0);
  CHECK(read_file(here / "a.png").starts_with("\x89PNG"));
  CHECK_THAT(run_zoo({"inspect", here / "run"}).out,
             ContainsSubstring("images of 8 x 8 pixels, grey; 2 classes"));
}

TEST_CASE("an image run that was stopped goes on from its folder") {
  const Workplace here;
  here.train("run", {"training.max_steps=20"});
  fs::remove_all(here / "images");
  const auto resumed = run_zoo({"resume", here / "run", "--set", "training.max_steps=40"});
  INFO(resumed.error);
  CHECK(resumed.code == 0);
  CHECK_THAT(resumed.out, ContainsSubstring("40 steps"));
}

TEST_CASE("data show counts images by split and class and draws them") {
  const Workplace here;
  const auto shown = run_zoo({"data", "show", here / "vit.json", "--count", "2"});
  CHECK_THAT(shown.out, ContainsSubstring("8 x 8 pixels, grey"));
  CHECK_THAT(shown.out, ContainsSubstring("label "));
  CHECK_THAT(shown.out, ContainsSubstring("▓▓"));
  const auto json = json_of({"data", "show", here / "vit.json", "--json"});
  CHECK(json.at("splits").at("train").at("classes") == nlohmann::json({12, 12}));
}

TEST_CASE("what does not fit a run of images is answered in one line") {
  const Workplace here;
  here.train("run", {"training.max_steps=2"});
  const auto run = here / "run";
  check_refused(
      run_zoo({"train", here / "vit.json", "--set", "model.patch_size=3"}),
      "model.patch_size: 3 does not divide the images, which are 8 x 8 pixels; these do: 1, 2, "
      "4, 8");
  check_refused(run_zoo({"classify", run, here / "no.png"}), "no such image file");
  write_file_synced(here / "text.png", "not an image");
  check_refused(run_zoo({"classify", run, here / "text.png"}), "text.png");
  write_file_synced(here / "empty.png", "");
  check_refused(run_zoo({"classify", run, here / "empty.png"}), "empty.png");
  write_file_synced(here / "huge.png", png_header(100'000, 100'000));
  check_refused(run_zoo({"classify", run, here / "huge.png"}), "100000");
  check_refused(run_zoo({"classify", run, here / "left.png", "--cut"}),
                "--cut: the run reads images");
  check_refused(run_zoo({"generate", run}), "image_classification");
  check_refused(run_zoo({"fill", run, "a"}), "image_classification");
  check_refused(
      run_zoo({"attention", run, here / "left.png", "--out", here / "a.html", "--target", "x"}),
      "--target");
  check_refused(run_zoo({"train", here / "vit.json", "--set", "data.catalogues=tr"}),
                "data.catalogues: unknown option; it is for a task about text");
  check_refused(run_zoo({"train", here / "vit.json", "--set", "tokenizer.type=bpe"}),
                "tokenizer: unknown option; it is for a task about text");
  check_refused(run_zoo({"train", "configs/names/gpt.json", "--set", "data.height=8"}),
                "data.height: unknown option; it is for a task about images");
  check_refused(run_zoo({"train", here / "vit.json", "--set", "task=language_model"}), "vit");
  check_refused(run_zoo({"train", here / "vit.json", "--set", "architecture=cnn2d", "--set",
                         "model=null", "--set", "training.initialize_from=" + run}),
                "is a vit");
}

TEST_CASE("attention over patches needs an architecture that has patches") {
  const Workplace here;
  here.train("cnn", {"architecture=cnn2d", "model=null", "model.width=4", "training.max_steps=2"});
  check_refused(run_zoo({"attention", here / "cnn", here / "left.png", "--out", here / "a.html"}),
                "architecture cnn2d has no attention over patches; those that do: vit");
}

}  // namespace
}  // namespace zoo
