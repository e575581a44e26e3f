#include "models/blocks/recurrence.h"

#include <torch/types.h>

namespace zoo {

void RecurrentState::select_rows(const torch::Tensor& rows) {
  if (hidden.defined()) hidden = hidden.index_select(1, rows);
  if (cell.defined()) cell = cell.index_select(1, rows);
}

RecurrenceImpl::RecurrenceImpl(CellType type, std::int64_t d_input, std::int64_t d_hidden,
                               std::int64_t n_layers, double dropout)
    : n_layers_(n_layers), d_hidden_(d_hidden) {
  namespace nn = torch::nn;
  const auto between = n_layers > 1 ? dropout : 0.0;
  const auto options = [&](auto chosen) {
    return chosen.num_layers(n_layers).batch_first(true).dropout(between);
  };
  switch (type) {
    case CellType::kRnn:
      rnn_ = register_module("rnn", nn::RNN(options(nn::RNNOptions(d_input, d_hidden))));
      break;
    case CellType::kLstm:
      lstm_ = register_module("lstm", nn::LSTM(options(nn::LSTMOptions(d_input, d_hidden))));
      break;
    case CellType::kGru:
      gru_ = register_module("gru", nn::GRU(options(nn::GRUOptions(d_input, d_hidden))));
      break;
  }
}

torch::Tensor RecurrenceImpl::zeros(const torch::Tensor& x) const {
  const auto one = torch::zeros_like(x.select(1, 0).narrow(-1, 0, 1));  // [B, 1]
  return one.unsqueeze(0).expand({n_layers_, -1, d_hidden_}).contiguous();
}

torch::Tensor RecurrenceImpl::forward(const torch::Tensor& x, RecurrentState& state) {
  if (!state.hidden.defined()) state.hidden = zeros(x);
  torch::Tensor output;  // [B, T, H]
  if (lstm_) {
    if (!state.cell.defined()) state.cell = zeros(x);
    std::tuple<torch::Tensor, torch::Tensor> both;
    std::tie(output, both) = lstm_(x, std::tuple(state.hidden, state.cell));
    std::tie(state.hidden, state.cell) = both;
  } else if (gru_) {
    std::tie(output, state.hidden) = gru_(x, state.hidden);
  } else {
    std::tie(output, state.hidden) = rnn_(x, state.hidden);
  }
  return output;
}

}  // namespace zoo
