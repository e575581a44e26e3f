#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>

#include "models/blocks/transformer_block.h"
#include "models/model.h"

namespace zoo {

struct EncoderDecoderOptions : TransformerOptions {
  bool share_embeddings = true;
  bool tie_output = true;

  EncoderDecoderOptions() { positions = PositionType::kSinusoidal; }

  template <class Self, class Visitor>
  static void fields(Self& self, Visitor&& visit) {
    TransformerOptions::fields(self, visit);
    visit("share_embeddings", self.share_embeddings,
          "Whether sources and targets have one embedding; those with vocabularies of their own "
          "never do.");
    visit("tie_output", self.tie_output,
          "Whether the output layer has the weights of the target's embedding.");
  }
};

/// A block of the decoder: causal self-attention, attention to the source, feed-forward, each with
/// its norm and residual.
class DecoderBlockImpl : public torch::nn::Module {
 public:
  explicit DecoderBlockImpl(const EncoderDecoderOptions& options);

  /// x [B, T, C], memory [B, S, C] -> [B, T, C]; `source` says which tokens of the memory are real.
  torch::Tensor forward(const torch::Tensor& x, const RowContext& context,
                        const torch::Tensor& memory, const AttentionMask& source);

  /// What step needs of the memory [B, S, C].
  KeyValues project(const torch::Tensor& memory) { return cross_attention_->project(memory); }

  /// One more token of each row: x [B, 1, C] -> [B, 1, C]; which is added to the cache.
  torch::Tensor step(const torch::Tensor& x, const Rotation& rotation, KeyValueCache& cache,
                     const KeyValues& memory, const AttentionMask& source);

 private:
  template <class SelfAttend>
  torch::Tensor attend(const torch::Tensor& x, const torch::Tensor& real, const KeyValues& memory,
                       const AttentionMask& source, SelfAttend&& self_attend);

  NormPlace norm_place_;
  double dropout_;
  Norm attention_norm_{nullptr};
  SelfAttention attention_{nullptr};
  Norm cross_attention_norm_{nullptr};
  CrossAttention cross_attention_{nullptr};
  Norm feed_forward_norm_{nullptr};
  FeedForward feed_forward_{nullptr};
};
TORCH_MODULE(DecoderBlock);

/// Encoder-decoder (Vaswani et al., 2017).
///
///   source [B, S] -> embeddings sqrt(C) + positions -> n_layers x TransformerBlock, bidirectional
///                 -> memory [B, S, C]
///   tokens [B, T] -> embeddings sqrt(C) + positions -> n_layers x DecoderBlock on the memory
///                 -> logits [B, T, V]
///
/// B batch, S source and T target tokens, each <= block_size, C d_model, V vocabulary of targets.
class EncoderDecoderImpl : public Model,
                           public TokenEmbedding,
                           public Representation,
                           public Decoder,
                           public TargetDecoder {
 public:
  EncoderDecoderImpl(const EncoderDecoderOptions& options, const DataFacts& facts);

  /// source [B, S], tokens [B, T] -> logits [B, T, V]; those at t depend on the source and on
  /// tokens 0..t.
  torch::Tensor forward(const Inputs& inputs) override;

  /// source [B, S] -> memory [B, S, C].
  torch::Tensor represent(const Inputs& inputs) override;

  std::unique_ptr<Decoding> start(const Inputs& inputs, FullBlock full_block) override;

  /// [V, C], of targets
  torch::Tensor token_embedding() const override { return embedding_->weight; }

  torch::Tensor decode(const Inputs& inputs, const torch::Tensor& memory) override;

 private:
  friend class EncoderDecoderDecoding;

  torch::Tensor embed(torch::nn::Embedding& embedding, Positions& positions,
                      const torch::Tensor& tokens, const torch::Tensor& places);
  torch::Tensor logits(const torch::Tensor& x);

  EncoderDecoderOptions options_;
  torch::nn::Embedding embedding_{nullptr};         // V -> C
  torch::nn::Embedding source_embedding_{nullptr};  // V_source -> C; none where it is shared
  Positions positions_{nullptr};                    // of targets
  Positions source_positions_{nullptr};
  std::vector<TransformerBlock> encoder_;
  Norm encoder_norm_{nullptr};  // none where the blocks end with one
  std::vector<DecoderBlock> decoder_;
  Norm decoder_norm_{nullptr};         // none where the blocks end with one
  torch::nn::Linear output_{nullptr};  // C -> V; none where it is tied
};
TORCH_MODULE(EncoderDecoder);

}  // namespace zoo
