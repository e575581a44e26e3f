#!/usr/bin/env python3
"""Writes tests/golden/<case>.safetensors: models of PyTorch and of Hugging Face's transformers with
random weights, what they were given and what they answered.

usage: scripts/make_model_golden.py [--into FOLDER] [--check]

Needs torch 2.13 (CPU), transformers 5.24, safetensors 0.8 and numpy:
  python3 -m venv VENV
  VENV/bin/pip install torch==2.13.0 --index-url https://download.pytorch.org/whl/cpu
  VENV/bin/pip install transformers==5.24.0 safetensors==0.8.0 numpy
  VENV/bin/python scripts/make_model_golden.py
--check compares a file's tensors with new ones instead of writing it.

A file holds the weights under the names that zoo gives them, and two batches: `whole`, in which
every token is real, and `padded` on the right. `input.<batch>.*` are named as in Inputs
(models/model.h), `output.<batch>.*` are `represented` and `logits`. The metadata say which
architecture, options and facts about data make the same model in zoo. Images make one batch,
`whole`: float [B, C, H, W], as normalised ones are. Their `logits` are of the class token's vector,
`logits_mean` what the classifier says of the mean of the patches' vectors instead.
"""

import argparse
import json
import math
import platform
import sys
from functools import partial
from importlib.metadata import version
from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file, save
from torch import nn

SEED = 20260103
GOLDEN = Path(__file__).resolve().parent.parent / "tests" / "golden"

V, C, N_HEADS, N_LAYERS, BLOCK_SIZE = 13, 16, 2, 2, 9
LENGTHS = torch.tensor([7, 3, 5])
SOURCE_LENGTHS = torch.tensor([4, 8, 1])
CLASSES = 3
SIZES = {"block_size": BLOCK_SIZE, "d_model": C, "n_heads": N_HEADS, "n_layers": N_LAYERS}


def randomised(model):
    """Random weights that leave no bias at 0 and no norm at 1, where it could be forgotten."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0.0, 0.3)
        for module in model.modules():
            if isinstance(module, nn.LayerNorm):
                module.weight.add_(1.0)
            elif isinstance(module, nn.Embedding):
                module.weight.div_(3.0)  # so small that the epsilon of the norm above is seen
    return model.eval()


def random_rows(lengths, vocab_size=V):
    return torch.randint(vocab_size, (len(lengths), int(lengths.max())))


def random_batches():
    tokens = random_rows(LENGTHS)
    return {"whole": {"tokens": tokens}, "padded": {"tokens": tokens, "lengths": LENGTHS}}


def real(lengths):
    """bool [B, T]; none where nothing is padding."""
    return None if lengths is None else torch.arange(int(lengths.max())) < lengths.unsqueeze(1)


def padding(lengths):
    return None if lengths is None else ~real(lengths)


def same(name, theirs):
    """A Linear, LayerNorm or Embedding, which has the same layout there and in zoo."""
    return {f"{name}.{kind}": value for kind, value in theirs.named_parameters()}


def transposed(name, conv):
    """A Conv1D of transformers, which is a Linear with its weight [in, out]."""
    return {f"{name}.weight": conv.weight.T, f"{name}.bias": conv.bias}


def joined(name, *linears):
    """Linears of one input as a single one."""
    return {
        f"{name}.weight": torch.cat([linear.weight for linear in linears]),
        f"{name}.bias": torch.cat([linear.bias for linear in linears]),
    }


def case(reference, architecture, options, facts, weights, batches, answer):
    """-> the metadata and the tensors of a file; answer(batch) -> represented, logits, and of
    images logits_mean."""
    tensors = dict(weights)
    for name, batch in batches.items():
        tensors.update({f"input.{name}.{key}": value for key, value in batch.items()})
        outputs = zip(("represented", "logits", "logits_mean"), answer(batch))
        tensors.update({f"output.{name}.{key}": value for key, value in outputs})
    packages = ("torch", "transformers", "safetensors", "numpy")
    versions = {"python": platform.python_version(), **{name: version(name) for name in packages}}
    metadata = {
        "made_by": "scripts/make_model_golden.py",
        "command": " ".join(["python", "scripts/make_model_golden.py", *sys.argv[1:]]),
        "seed": str(SEED),
        "versions": json.dumps(versions),
        "reference": reference,
        "architecture": architecture,
        "options": json.dumps(options),
        "facts": json.dumps({"vocab_size": V, **facts}),
    }
    return metadata, {name: value.detach().clone() for name, value in tensors.items()}


def bert_weights(bert):
    weights = {
        **same("embedding", bert.embeddings.word_embeddings),
        **same("segments", bert.embeddings.token_type_embeddings),
        "positions.table": bert.embeddings.position_embeddings.weight,
        **same("norm", bert.embeddings.LayerNorm),
    }
    for number, layer in enumerate(bert.encoder.layer):
        block, attention = f"block_{number}", layer.attention
        heads = attention.self
        weights.update(joined(f"{block}.attention.qkv", heads.query, heads.key, heads.value))
        weights.update(same(f"{block}.attention.proj", attention.output.dense))
        weights.update(same(f"{block}.attention_norm", attention.output.LayerNorm))
        weights.update(same(f"{block}.feed_forward.up", layer.intermediate.dense))
        weights.update(same(f"{block}.feed_forward.down", layer.output.dense))
        weights.update(same(f"{block}.feed_forward_norm", layer.output.LayerNorm))
    return weights


def bert_case(make, facts, head):
    """BERT of transformers; `make` is one of its models, head(model) the weights of its head."""
    config = transformers.BertConfig(
        vocab_size=V,
        hidden_size=C,
        num_hidden_layers=N_LAYERS,
        num_attention_heads=N_HEADS,
        intermediate_size=4 * C,
        max_position_embeddings=BLOCK_SIZE,
        hidden_act="gelu",
        layer_norm_eps=1e-5,
        num_labels=CLASSES,
        attn_implementation="eager",
    )
    model = randomised(make(config))
    batches = random_batches()  # the whole one without segments: all are 0
    batches["padded"]["segments"] = torch.randint(2, batches["padded"]["tokens"].shape)

    def answer(batch):
        given = (batch["tokens"], real(batch.get("lengths")), batch.get("segments"))
        return model.bert(*given).last_hidden_state, model(*given).logits

    options = {**SIZES, "norm_place": "post", "positions": "learned"}
    weights = {**bert_weights(model.bert), **head(model)}
    name = f"transformers.{make.__name__}"
    return case(name, "bert", options, facts, weights, batches, answer)


def bert():
    def head(model):
        predictions = model.cls.predictions
        embedding = model.bert.embeddings.word_embeddings
        assert predictions.decoder.weight is embedding.weight, "the output layer is not tied"
        return {
            **same("masked_token_head.transform", predictions.transform.dense),
            **same("masked_token_head.norm", predictions.transform.LayerNorm),
            "masked_token_head.bias": predictions.decoder.bias,
        }

    return bert_case(transformers.BertForMaskedLM, {}, head)


def bert_classes():
    def head(model):
        return {**same("pooler", model.bert.pooler.dense), **same("classifier", model.classifier)}

    return bert_case(transformers.BertForSequenceClassification, {"classes": CLASSES}, head)


def gpt():
    config = transformers.GPT2Config(
        vocab_size=V,
        n_positions=BLOCK_SIZE,
        n_embd=C,
        n_layer=N_LAYERS,
        n_head=N_HEADS,
        activation_function="gelu",
        layer_norm_epsilon=1e-5,
        bos_token_id=0,
        eos_token_id=0,
        attn_implementation="eager",
    )
    model = randomised(transformers.GPT2LMHeadModel(config))
    trunk = model.transformer
    assert model.lm_head.weight is trunk.wte.weight, "the output layer is not tied"
    weights = {**same("embedding", trunk.wte), **same("norm", trunk.ln_f)}
    weights["positions.table"] = trunk.wpe.weight
    for number, layer in enumerate(trunk.h):
        block = f"block_{number}"
        weights.update(same(f"{block}.attention_norm", layer.ln_1))
        weights.update(transposed(f"{block}.attention.qkv", layer.attn.c_attn))
        weights.update(transposed(f"{block}.attention.proj", layer.attn.c_proj))
        weights.update(same(f"{block}.feed_forward_norm", layer.ln_2))
        weights.update(transposed(f"{block}.feed_forward.up", layer.mlp.c_fc))
        weights.update(transposed(f"{block}.feed_forward.down", layer.mlp.c_proj))

    def answer(batch):
        given = {"input_ids": batch["tokens"], "attention_mask": real(batch.get("lengths"))}
        return trunk(**given).last_hidden_state, model(**given).logits

    options = {**SIZES, "norm_place": "pre", "positions": "learned"}
    name = "transformers.GPT2LMHeadModel"
    return case(name, "gpt", options, {}, weights, random_batches(), answer)


def transformer_layer(name, layer):
    """What a TransformerEncoderLayer and a TransformerDecoderLayer have in common."""
    attention = layer.self_attn
    return {
        f"{name}.attention.qkv.weight": attention.in_proj_weight,  # q, k, v
        f"{name}.attention.qkv.bias": attention.in_proj_bias,
        **same(f"{name}.attention.proj", attention.out_proj),
        **same(f"{name}.attention_norm", layer.norm1),
        **same(f"{name}.feed_forward.up", layer.linear1),
        **same(f"{name}.feed_forward.down", layer.linear2),
    }


def transformer_weights(model):
    weights = {}
    for number, layer in enumerate(model.encoder.layers):
        name = f"encoder_{number}"
        weights.update(transformer_layer(name, layer))
        weights.update(same(f"{name}.feed_forward_norm", layer.norm2))
    for number, layer in enumerate(model.decoder.layers):
        name, cross = f"decoder_{number}", layer.multihead_attn
        weights.update(transformer_layer(name, layer))
        weights.update(same(f"{name}.cross_attention_norm", layer.norm2))
        weights[f"{name}.cross_attention.q.weight"] = cross.in_proj_weight[:C]
        weights[f"{name}.cross_attention.q.bias"] = cross.in_proj_bias[:C]
        weights[f"{name}.cross_attention.kv.weight"] = cross.in_proj_weight[C:]
        weights[f"{name}.cross_attention.kv.bias"] = cross.in_proj_bias[C:]
        weights.update(same(f"{name}.cross_attention.proj", cross.out_proj))
        weights.update(same(f"{name}.feed_forward_norm", layer.norm3))
    if model.encoder.norm is not None:
        weights.update(same("encoder_norm", model.encoder.norm))
        weights.update(same("decoder_norm", model.decoder.norm))
    return weights


def sinusoids(length):
    """PE[p, 2i] = sin(p / 10000^(2i/C)), PE[p, 2i+1] = cos(the same), an element at a time."""
    table = torch.empty(length, C)
    for p in range(length):
        for i in range(C // 2):
            angle = p / 10000 ** (2 * i / C)
            table[p, 2 * i], table[p, 2 * i + 1] = math.sin(angle), math.cos(angle)
    return table


def make_transformer(norm_place, d_ff):
    layer = {
        "d_model": C,
        "nhead": N_HEADS,
        "dim_feedforward": d_ff,
        "dropout": 0.0,
        "activation": "gelu",
        "batch_first": True,
    }
    if norm_place == "pre":
        counts = {"num_encoder_layers": N_LAYERS, "num_decoder_layers": N_LAYERS}
        return randomised(nn.Transformer(**layer, **counts, norm_first=True))
    # As first published: no norm after the last layer, which ends with one.
    encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(**layer), N_LAYERS)
    decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(**layer), N_LAYERS)
    return randomised(nn.Transformer(**layer, custom_encoder=encoder, custom_decoder=decoder))


def encoder_decoder_case(norm_place, source_vocab_size):
    """torch.nn.Transformer; 0: sources have the vocabulary and the embedding of targets."""
    d_ff = 24
    model = make_transformer(norm_place, d_ff)
    embedding = source_embedding = randomised(nn.Embedding(V, C))
    weights = {**transformer_weights(model), **same("embedding", embedding)}
    if source_vocab_size:
        source_embedding = randomised(nn.Embedding(source_vocab_size, C))
        weights.update(same("source_embedding", source_embedding))
    batches, sources = random_batches(), random_rows(SOURCE_LENGTHS, source_vocab_size or V)
    batches["whole"]["source"] = batches["padded"]["source"] = sources
    batches["padded"]["source_lengths"] = SOURCE_LENGTHS

    def answer(batch):
        source, tokens = batch["source"], batch["tokens"]
        x = source_embedding(source) * math.sqrt(C) + sinusoids(source.shape[1])
        y = embedding(tokens) * math.sqrt(C) + sinusoids(tokens.shape[1])
        no_source = padding(batch.get("source_lengths"))
        z = model(
            x,
            y,
            tgt_mask=torch.ones(y.shape[1], y.shape[1]).triu(1).bool(),  # True: not to be seen
            src_key_padding_mask=no_source,
            tgt_key_padding_mask=padding(batch.get("lengths")),
            memory_key_padding_mask=no_source,
        )
        memory = model.encoder(x, src_key_padding_mask=no_source)
        return memory, z @ embedding.weight.T

    options = {**SIZES, "d_ff": d_ff, "norm_place": norm_place, "positions": "sinusoidal"}
    facts = {"source_vocab_size": source_vocab_size}
    name = "torch.nn.Transformer"
    return case(name, "encoder_decoder", options, facts, weights, batches, answer)


def recurrent_case(make, classes=0):
    """A recurrent network of torch.nn; padding never enters it, by PackedSequence."""
    cell, H = make.__name__.lower(), 12
    embedding = randomised(nn.Embedding(V, C))
    recurrence = randomised(make(C, H, N_LAYERS, batch_first=True))
    head = randomised(nn.Linear(H, classes or V))

    def answer(batch):
        tokens = batch["tokens"]
        lengths = batch.get("lengths", torch.full([len(tokens)], tokens.shape[1]))
        packed = nn.utils.rnn.pack_padded_sequence(
            embedding(tokens), lengths, batch_first=True, enforce_sorted=False
        )
        written, state = recurrence(packed)
        states, _ = nn.utils.rnn.pad_packed_sequence(written, batch_first=True)
        last = (state[0] if cell == "lstm" else state)[-1]  # of the upper layer
        return states, head(last if classes else states)

    options = {"cell": cell, "d_model": C, "d_hidden": H, "n_layers": N_LAYERS}
    weights = {**same("embedding", embedding), **same("head", head)}
    weights.update(same(f"recurrence.{cell}", recurrence))
    name, facts = f"torch.nn.{make.__name__}", {"classes": classes}
    return case(name, "rnn", options, facts, weights, random_batches(), answer)


def vit_weights(model):
    vit = model.vit
    weights = {
        **same("patches", vit.embeddings.patch_embeddings.projection),
        "class_token": vit.embeddings.cls_token,
        "positions": vit.embeddings.position_embeddings,
        **same("norm", vit.layernorm),
        **same("classifier", model.classifier),
    }
    for number, layer in enumerate(vit.layers):
        block, heads = f"block_{number}", layer.attention
        weights.update(same(f"{block}.attention_norm", layer.layernorm_before))
        weights.update(joined(f"{block}.attention.qkv", heads.q_proj, heads.k_proj, heads.v_proj))
        weights.update(same(f"{block}.attention.proj", heads.o_proj))
        weights.update(same(f"{block}.feed_forward_norm", layer.layernorm_after))
        weights.update(same(f"{block}.feed_forward.up", layer.mlp.fc1))
        weights.update(same(f"{block}.feed_forward.down", layer.mlp.fc2))
    return weights


def vit_case(channels, height, width, patch_size, classes):
    d_ff = 24
    config = transformers.ViTConfig(
        image_size=(height, width),
        patch_size=patch_size,
        num_channels=channels,
        hidden_size=C,
        num_hidden_layers=N_LAYERS,
        num_attention_heads=N_HEADS,
        intermediate_size=d_ff,
        hidden_act="gelu",
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
        layer_norm_eps=1e-5,
        qkv_bias=True,
        num_labels=classes,
        attn_implementation="eager",
    )
    model = randomised(transformers.ViTForImageClassification(config))
    images = torch.randn(3, channels, height, width)

    def answer(batch):
        represented = model.vit(batch["images"]).last_hidden_state  # [B, 1 + patches, C]
        of_patches = represented[:, 1:].mean(1)
        return represented, model(batch["images"]).logits, model.classifier(of_patches)

    options = {"patch_size": patch_size, "d_ff": d_ff}
    options.update({key: value for key, value in SIZES.items() if key != "block_size"})
    facts = {"vocab_size": 0, "classes": classes}
    facts.update({"channels": channels, "height": height, "width": width})
    name, batches = "transformers.ViTForImageClassification", {"whole": {"images": images}}
    return case(name, "vit", options, facts, vit_weights(model), batches, answer)


CASES = {
    "bert": bert,
    "bert_classes": bert_classes,
    "gpt": gpt,
    "encoder_decoder": partial(encoder_decoder_case, "pre", source_vocab_size=0),
    "encoder_decoder_post": partial(encoder_decoder_case, "post", source_vocab_size=11),
    "rnn": partial(recurrent_case, nn.RNN),
    "lstm": partial(recurrent_case, nn.LSTM),
    "gru": partial(recurrent_case, nn.GRU),
    "gru_classes": partial(recurrent_case, nn.GRU, classes=CLASSES),
    "vit": partial(vit_case, channels=3, height=12, width=8, patch_size=4, classes=5),
    "vit_grey": partial(vit_case, channels=1, height=6, width=6, patch_size=2, classes=CLASSES),
}


def write(path, metadata, tensors):
    """As save_file of safetensors, which has the metadata in another order each time."""
    file = save({name: value.contiguous() for name, value in tensors.items()}, metadata)
    size = int.from_bytes(file[:8], "little")
    header = json.loads(file[8 : 8 + size])
    header["__metadata__"] = metadata
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode().ljust(size)
    assert len(text) == size, "the header is as long as it was"
    path.write_bytes(file[:8] + text + file[8 + size :])
    print(f"wrote {path}: {path.stat().st_size} bytes")


def is_as_stored(path, tensors):
    stored = load_file(path)
    if stored.keys() != tensors.keys():
        print(f"{path}: other tensors: {', '.join(sorted(stored.keys() ^ tensors.keys()))}")
        return False
    difference = max((stored[name] - tensors[name]).abs().max().item() for name in tensors)
    print(f"{path}: largest difference {difference:.1e}")
    return difference < 1e-5


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--into", type=Path, default=GOLDEN, metavar="FOLDER")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    # The layers as their documentation has them, not a fused one for evaluation.
    torch.backends.mha.set_fastpath_enabled(False)
    good = True
    for name, make in CASES.items():
        torch.manual_seed(SEED)
        metadata, tensors = make()
        path = arguments.into / f"{name}.safetensors"
        if arguments.check:
            good = is_as_stored(path, tensors) and good
        else:
            write(path, metadata, tensors)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
