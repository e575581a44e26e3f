#include "training/progress.h"

#include <cmath>

#include <nlohmann/json.hpp>

namespace zoo {
namespace {

torch::Tensor scalar(double value, torch::Device device) {
  return torch::full({}, value, torch::TensorOptions().dtype(torch::kFloat64).device(device));
}

}  // namespace

nlohmann::json Progress::to_json() const {
  nlohmann::json json = {{"step", step},
                         {"evaluated_step", evaluated_step},
                         {"best_step", best_step},
                         {"evaluations_without_gain", evaluations_without_gain},
                         {"seconds", seconds},
                         {"window_loss", window_loss.item<double>()},
                         {"window_tokens", window_tokens.item<double>()}};
  if (std::isfinite(start_loss)) json["start_loss"] = start_loss;
  if (std::isfinite(best_loss)) json["best_loss"] = best_loss;
  return json;
}

Progress Progress::from_json(const nlohmann::json& json, torch::Device device) {
  Progress progress;
  json.at("step").get_to(progress.step);
  json.at("evaluated_step").get_to(progress.evaluated_step);
  json.at("best_step").get_to(progress.best_step);
  json.at("evaluations_without_gain").get_to(progress.evaluations_without_gain);
  json.at("seconds").get_to(progress.seconds);
  if (json.contains("start_loss")) json.at("start_loss").get_to(progress.start_loss);
  if (json.contains("best_loss")) json.at("best_loss").get_to(progress.best_loss);
  progress.window_loss = scalar(json.at("window_loss").get<double>(), device);
  progress.window_tokens = scalar(json.at("window_tokens").get<double>(), device);
  return progress;
}

Progress Progress::start(torch::Device device) {
  Progress progress;
  progress.window_loss = scalar(0.0, device);
  progress.window_tokens = scalar(0.0, device);
  return progress;
}

}  // namespace zoo
