#pragma once

#include <cstdint>
#include <string>

#include <torch/nn/modules/rnn.h>

#include "core/options.h"

namespace zoo {

enum class CellType { kRnn, kLstm, kGru };
inline EnumNames<CellType> names_of(CellType) {
  return {{"rnn", CellType::kRnn}, {"lstm", CellType::kLstm}, {"gru", CellType::kGru}};
}

/// What every recurrent model of the zoo can be told.
struct RecurrentOptions {
  CellType cell = CellType::kGru;
  std::int64_t d_model = 64;
  std::int64_t d_hidden = 128;
  std::int64_t n_layers = 1;
  double dropout = 0.1;

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    visit("cell", self.cell, "What carries the past: a plain tanh cell, an LSTM or a GRU.");
    visit("d_model", self.d_model, "Channels of a token's embedding.", at_least(1));
    visit("d_hidden", self.d_hidden, "Units of the state; of a reader in both directions, of each.",
          at_least(1));
    visit("n_layers", self.n_layers, "Recurrent layers, of an encoder and of its decoder each.",
          at_least(1).up_to(1000));
    visit("dropout", self.dropout,
          "Probability of dropping a channel of the embedding, between layers, and of what the "
          "output layer reads.",
          at_least(0).below(1));
  }
  void validate(const std::string& /*path*/) const {}
};

/// What a recurrence carries from one token to the next.
struct RecurrentState {
  torch::Tensor hidden;  ///< [L, B, H]; undefined: zeros
  torch::Tensor cell;    ///< [L, B, H], of an LSTM only

  /// Keeps these rows, in this order: rows [B'] int64.
  void select_rows(const torch::Tensor& rows);
};

/// Layers of recurrent cells, each reading what the one below wrote.
///
/// rnn (Elman, 1990): h = tanh(W x + b + U h' + c).
/// lstm (Hochreiter and Schmidhuber, 1997) and gru (Cho et al., 2014), as torch.nn has them.
class RecurrenceImpl : public torch::nn::Module {
 public:
  /// `dropout` falls between layers.
  RecurrenceImpl(CellType type, std::int64_t d_input, std::int64_t d_hidden, std::int64_t n_layers,
                 double dropout);

  /// x [B, T, C] -> [B, T, H]; `state` is what stood before the first token, and becomes what
  /// stands after the last.
  torch::Tensor forward(const torch::Tensor& x, RecurrentState& state);

 private:
  /// Zeros [L, B, H] made from x, so that tracing bakes no batch.
  torch::Tensor zeros(const torch::Tensor& x) const;

  std::int64_t n_layers_, d_hidden_;
  // The one of the type.
  torch::nn::RNN rnn_{nullptr};
  torch::nn::LSTM lstm_{nullptr};
  torch::nn::GRU gru_{nullptr};
};
TORCH_MODULE(Recurrence);

}  // namespace zoo
