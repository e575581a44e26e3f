// Writes texts with a language model that `zoo export` wrote. Needs LibTorch and nothing of zoo.
//
// usage: use_from_cpp model.pt [PROMPT]
#include <iostream>

#include <torch/script.h>

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) {
    std::cerr << "usage: use_from_cpp model.pt [PROMPT]\n";
    return 2;
  }
  try {
    auto model = torch::jit::load(argv[1]);  // a program: load only files that you trust
    const torch::InferenceMode inference;
    torch::manual_seed(1);

    // A line starts with its boundary; running text with the prompt alone.
    const auto boundary = model.attr("boundary_id").toInt();
    std::vector<int64_t> row = model.run_method("encode", argc == 3 ? argv[2] : "").toIntVector();
    if (boundary >= 0) row.insert(row.begin(), boundary);
    if (row.empty()) throw std::invalid_argument("running text needs a PROMPT");
    const auto tokens = torch::tensor(row).repeat({10, 1});  // ten texts at once

    const auto texts =
        model
            .run_method("generate", tokens, /*max_new_tokens=*/100, /*temperature=*/0.8,
                        /*top_k=*/0, /*top_p=*/0.95)
            .toTensor();
    for (const auto& text : texts.unbind(0)) {
      std::vector<int64_t> ids;
      for (int64_t i = boundary >= 0 ? 1 : 0; i < text.size(0); ++i) {
        ids.push_back(text[i].item<int64_t>());
        if (ids.back() == boundary) break;
      }
      if (!ids.empty() && ids.back() == boundary) ids.pop_back();
      std::cout << model.run_method("decode", ids).toStringRef() << "\n";
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "use_from_cpp: " << error.what() << "\n";
    return 2;
  }
}
