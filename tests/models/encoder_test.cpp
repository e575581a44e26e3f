// What sees in both directions, and what reads a source: bert, encoder_decoder, rnn_attention.
#include <torch/types.h>
#include <torch/utils.h>

#include "core/errors.h"
#include "models/bert.h"
#include "models/encoder_decoder.h"
#include "models/rnn_attention.h"
#include "models/taps.h"
#include "tests/support/catch.h"
#include "tests/support/message_of.h"
#include "tests/support/torch_checks.h"

namespace zoo {
namespace {

DataFacts facts_of_vocabulary(std::int64_t vocab_size) {
  DataFacts facts;
  facts.vocab_size = vocab_size;
  facts.boundary_id = 0;
  return facts;
}

BertOptions small_bert() {
  BertOptions options;
  options.block_size = 8;
  options.d_model = 16;
  options.n_heads = 2;
  options.n_layers = 2;
  options.dropout = 0.0;
  return options;
}

EncoderDecoderOptions small_encoder_decoder() {
  EncoderDecoderOptions options;
  options.block_size = 8;
  options.d_model = 16;
  options.n_heads = 2;
  options.n_layers = 2;
  options.dropout = 0.0;
  return options;
}

Inputs row(const std::vector<std::int64_t>& tokens) {
  Inputs inputs;
  inputs.tokens = torch::tensor(tokens, torch::kInt64).unsqueeze(0);
  return inputs;
}

TEST_CASE("without positions an encoder answers a permuted text with permuted answers") {
  torch::manual_seed(1);
  const torch::NoGradGuard no_grad;
  auto options = small_bert();
  const auto order = torch::tensor({3, 0, 2, 1}, torch::kInt64);
  for (const auto type : {PositionType::kNone, PositionType::kLearned, PositionType::kSinusoidal,
                          PositionType::kRotary}) {
    options.positions = type;
    BertImpl model(options, facts_of_vocabulary(7));
    model.eval();
    const auto plain = model.forward(row({1, 2, 3, 4}));
    const auto permuted = model.forward(row({4, 1, 3, 2}));
    const auto difference = largest_difference(permuted, plain.index_select(1, order));
    INFO(name_of(type) << ": " << difference);
    CHECK((type == PositionType::kNone ? difference < 1e-6 : difference > 1e-5));
  }
}

TEST_CASE("every token of an encoder sees every other") {
  torch::manual_seed(2);
  const torch::NoGradGuard no_grad;
  BertImpl model(small_bert(), facts_of_vocabulary(7));
  model.eval();
  const auto before = model.represent(row({1, 2, 3, 4}));
  for (std::int64_t t = 0; t < 4; ++t) {
    std::vector<std::int64_t> changed = {1, 2, 3, 4};
    changed[static_cast<std::size_t>(t)] = 6;
    const auto after = model.represent(row(changed));
    for (std::int64_t i = 0; i < 4; ++i) {
      CHECK(largest_difference(after.select(1, i), before.select(1, i)) > 1e-7);
    }
  }
}

TEST_CASE("an encoder tells segments apart, all of them 0 where none are given") {
  torch::manual_seed(3);
  const torch::NoGradGuard no_grad;
  BertImpl model(small_bert(), facts_of_vocabulary(7));
  model.eval();
  auto inputs = row({1, 2, 3});
  const auto without = model.forward(inputs);
  inputs.segments = torch::zeros({1, 3}, torch::kInt64);
  CHECK(largest_difference(model.forward(inputs), without) == 0.0);
  inputs.segments = torch::tensor({{0, 0, 1}}, torch::kInt64);
  CHECK(largest_difference(model.forward(inputs), without) > 1e-6);
}

TEST_CASE("an encoder with classes has one answer a row and no head for tokens") {
  auto facts = facts_of_vocabulary(7);
  facts.classes = 3;
  BertImpl model(small_bert(), facts);
  CHECK(model.forward(row({1, 2, 3})).sizes().vec() == std::vector<std::int64_t>{1, 3});
  for (const auto& item : model.named_parameters()) {
    CHECK(item.key().find("masked_token_head") == std::string::npos);
  }
}

TEST_CASE("a decoder sees the whole source and no token of the target that comes later") {
  torch::manual_seed(4);
  const torch::NoGradGuard no_grad;
  EncoderDecoderImpl transformer(small_encoder_decoder(), facts_of_vocabulary(7));
  RnnAttentionOptions options;
  options.d_hidden = 16;
  RnnAttentionImpl recurrent(options, facts_of_vocabulary(7));
  for (Model* model : {static_cast<Model*>(&transformer), static_cast<Model*>(&recurrent)}) {
    model->eval();
    auto inputs = row({1, 2, 3});
    inputs.source = torch::tensor({{4, 5, 6, 1}}, torch::kInt64);
    const auto before = model->forward(inputs);
    for (std::int64_t s = 0; s < 4; ++s) {
      auto changed = inputs;
      changed.source = inputs.source.clone();
      changed.source[0][s] = 0;
      CHECK(largest_difference(model->forward(changed).select(1, 0), before.select(1, 0)) > 1e-7);
    }
    auto later = inputs;
    later.tokens = torch::tensor({{1, 2, 6}}, torch::kInt64);
    CHECK(largest_difference(model->forward(later).narrow(1, 0, 2), before.narrow(1, 0, 2)) == 0.0);
  }
}

TEST_CASE("a recurrent encoder reads a source from both of its ends") {
  torch::manual_seed(8);
  const torch::NoGradGuard no_grad;
  RnnAttentionOptions options;
  options.d_hidden = 16;
  RnnAttentionImpl model(options, facts_of_vocabulary(7));
  model.eval();
  Inputs inputs;
  inputs.source = torch::tensor({{4, 5, 6, 1, 0}}, torch::kInt64);
  inputs.source_lengths = torch::tensor({4}, torch::kInt64);
  const auto before = model.represent(inputs)[0].narrow(0, 0, 4);  // [S, 2H]
  for (std::int64_t s = 0; s < 4; ++s) {
    auto changed = inputs;
    changed.source = inputs.source.clone();
    changed.source[0][s] = 2;
    const auto after = model.represent(changed)[0].narrow(0, 0, 4);
    const auto differs = (after - before).abs().view({4, 2, 16}).amax(-1) > 1e-7;  // [S, 2]
    for (std::int64_t at = 0; at < 4; ++at) {
      CHECK(differs[at][0].item<bool>() == (s <= at));  // from the left
      CHECK(differs[at][1].item<bool>() == (s >= at));  // from the right
    }
  }
}

TEST_CASE("sources may have a vocabulary and an embedding of their own") {
  auto facts = facts_of_vocabulary(7);
  auto options = small_encoder_decoder();
  const auto has = [](const Model& model, const std::string& name) {
    return model.named_parameters().contains(name);
  };
  CHECK(!has(EncoderDecoderImpl(options, facts), "source_embedding.weight"));
  options.share_embeddings = false;
  CHECK(has(EncoderDecoderImpl(options, facts), "source_embedding.weight"));
  options.share_embeddings = true;
  options.tie_output = false;
  facts.source_vocab_size = 40;
  EncoderDecoderImpl model(options, facts);
  CHECK(has(model, "output.weight"));
  CHECK(model.named_parameters()["source_embedding.weight"].size(0) == 40);
  auto inputs = row({1, 2, 3});
  inputs.source = torch::tensor({{39, 20}}, torch::kInt64);
  CHECK(model.forward(inputs).sizes().vec() == std::vector<std::int64_t>{1, 3, 7});
}

TEST_CASE("post-norm blocks end with their norm, so that no other follows the stack") {
  auto options = small_encoder_decoder();
  options.norm_place = NormPlace::kPost;
  const EncoderDecoderImpl model(options, facts_of_vocabulary(7));
  CHECK(!model.named_children().contains("encoder_norm"));
  CHECK(!model.named_children().contains("decoder_norm"));
}

TEST_CASE("an empty source is read, and attended to with weights of zero") {
  torch::manual_seed(5);
  const torch::NoGradGuard no_grad;
  EncoderDecoderImpl model(small_encoder_decoder(), facts_of_vocabulary(7));
  model.eval();
  auto inputs = row({1, 2});
  inputs.source = torch::zeros({1, 2}, torch::kInt64);
  inputs.source_lengths = torch::zeros({1}, torch::kInt64);
  CHECK(model.forward(inputs).isfinite().all().item<bool>());
  const TapListener listener([](const std::string& name, const torch::Tensor& weights) {
    if (name.ends_with("cross_attention.weights")) CHECK(weights.abs().max().item<float>() == 0.0F);
  });
  CHECK(model.forward(inputs).isfinite().all().item<bool>());
}

TEST_CASE("every attention layer says where it stands and reports weights that sum to one") {
  const torch::NoGradGuard no_grad;
  EncoderDecoderImpl model(small_encoder_decoder(), facts_of_vocabulary(7));
  model.eval();
  auto inputs = row({1, 2, 3});
  inputs.source = torch::tensor({{4, 5, 6, 1}}, torch::kInt64);
  const auto expected = model.forward(inputs);
  std::vector<std::string> names;
  const TapListener listener([&](const std::string& name, const torch::Tensor& weights) {
    names.push_back(name);
    CHECK(largest_difference(weights.sum(-1), torch::ones({1, 2, weights.size(2)})) < 1e-6);
  });
  CHECK(largest_difference(model.forward(inputs), expected) < 1e-5);
  CHECK(names == std::vector<std::string>{
                     "encoder layer 1/attention.weights", "encoder layer 2/attention.weights",
                     "decoder layer 1/attention.weights", "decoder layer 1/cross_attention.weights",
                     "decoder layer 2/attention.weights",
                     "decoder layer 2/cross_attention.weights"});
}

TEST_CASE("a step beyond the block and a source that is too long are refused with both lengths") {
  const torch::NoGradGuard no_grad;
  EncoderDecoderImpl model(small_encoder_decoder(), facts_of_vocabulary(7));
  model.eval();
  auto inputs = row({1});
  inputs.source = torch::zeros({1, 9}, torch::kInt64);
  CHECK_THAT(message_of<ShapeError>([&] { model.forward(inputs); }),
             ContainsSubstring("source [1, 9] are longer than block_size 8"));
  inputs.source = torch::zeros({1, 2}, torch::kInt64);
  const auto decoding = model.start(inputs, FullBlock::kReread);
  const auto token = torch::zeros({1}, torch::kInt64);
  for (int i = 0; i < 8; ++i) decoding->step(token);
  CHECK_THAT(message_of<ShapeError>([&] { decoding->step(token); }),
             ContainsSubstring("8 tokens fill block_size 8"));
}

TEST_CASE("decoding is forward, token by token, with every option of the blocks") {
  torch::manual_seed(6);
  const torch::NoGradGuard no_grad;
  for (const auto positions : {PositionType::kLearned, PositionType::kRotary}) {
    for (const auto place : {NormPlace::kPre, NormPlace::kPost}) {
      for (const auto network : {FeedForwardType::kGelu, FeedForwardType::kSwiglu}) {
        auto options = small_encoder_decoder();
        options.positions = positions;
        options.norm = NormType::kRms;
        options.norm_place = place;
        options.feed_forward = network;
        options.bias = false;
        EncoderDecoderImpl model(options, facts_of_vocabulary(7));
        model.eval();
        Inputs inputs;
        inputs.tokens = torch::randint(7, {2, 6}, torch::kInt64);
        inputs.source = torch::randint(7, {2, 5}, torch::kInt64);
        inputs.source_lengths = torch::tensor({5, 3}, torch::kInt64);
        const auto expected = model.forward(inputs);
        const auto decoding = model.start(inputs, FullBlock::kReread);
        for (std::int64_t t = 0; t < 6; ++t) {
          CHECK(largest_difference(decoding->step(inputs.tokens.select(1, t)),
                                   expected.select(1, t)) < 1e-5);
        }
      }
    }
  }
}

TEST_CASE("rotary positions ask for heads with an even number of channels") {
  CHECK_THAT(
      message_of<ConfigError>([] {
        read_options<BertOptions>({{"d_model", 6}, {"n_heads", 2}, {"positions", "rotary"}},
                                  "model");
      }),
      ContainsSubstring("model.positions: rotary turns pairs of channels, and a head has 3"));
}

}  // namespace
}  // namespace zoo
