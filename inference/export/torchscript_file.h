#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/ivalue.h>
#include <torch/nn/module.h>
#include <torch/types.h>

namespace zoo {

// The only unit that knows torch::jit: TorchScript archives, written from modules and read again.

/// A method that is recorded while a model answers.
struct TracedMethod {
  std::string name;
  std::vector<std::string> arguments;
  /// Arguments of two calls that share no size.
  std::vector<std::vector<torch::Tensor>> examples;
  std::function<torch::Tensor(const std::vector<torch::Tensor>&)> answer;
};

/// What an archive holds beside a module's own parameters and buffers.
struct ScriptedProgram {
  std::string name;
  std::vector<TracedMethod> traced;
  // Attributes of the root module.
  std::map<std::string, std::int64_t> numbers;
  std::map<std::string, std::vector<std::string>> lists;
  std::map<std::string, std::map<std::string, std::int64_t>> tables;
  std::string source;                        ///< TorchScript methods, which may call all the others
  std::map<std::string, std::string> files;  ///< name -> bytes
};

/// The archive's bytes. The module is in evaluation mode. A tensor that occurs twice is written
/// once, under its first name. Throws std::logic_error where a trace depends on the sizes of its
/// example or holds a constant of more than 64 numbers.
std::string torchscript_archive(const torch::nn::Module& module, const ScriptedProgram& program);

/// A TorchScript archive that was loaded. Such a file is a program: loading it may run its code.
class TorchscriptFile {
 public:
  /// `file_names`: which of its extra files are read. Throws UserError for a file that is not
  /// there, is not an archive or is damaged.
  TorchscriptFile(const std::filesystem::path& path, const std::vector<std::string>& file_names,
                  torch::Device device);
  ~TorchscriptFile();
  TorchscriptFile(const TorchscriptFile&) = delete;
  TorchscriptFile& operator=(const TorchscriptFile&) = delete;

  bool has(const std::string& method) const;
  /// Calls a method; an undefined tensor is handed on as None.
  at::IValue call(const std::string& method, std::vector<at::IValue> arguments);

  /// Its parameters, by name.
  std::map<std::string, torch::Tensor> parameters() const;
  /// Its extra files; one that is not there is not in the map.
  const std::map<std::string, std::string>& files() const { return files_; }
  /// Where its parameters lie.
  torch::Device device() const { return device_; }

 private:
  struct Program;
  std::filesystem::path path_;
  torch::Device device_;
  std::unique_ptr<Program> program_;
  std::map<std::string, std::string> files_;
};

}  // namespace zoo
