#!/usr/bin/env python3
"""Times training steps in plain PyTorch, as the other side of `zoo bench`: GPT, BERT, an
encoder-decoder or a Vision Transformer, as the config says.

usage: scripts/bench_torch.py [--compile] [--threads N] [--generate ROWS] CONFIG < COMMANDS

Prints {"ready": true}, then reads one JSON object a line, {"warmup": K, "steps": N}, runs that many
whole steps (forward, loss, backward, clip, AdamW; of images also gathering and normalising a batch)
and answers {"step_ms": ..., "loss": ...}. With --generate a step is a token of each of so many
texts, written by a plain sampling loop.
"""

import argparse
import json
import struct
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import torch
import torch.nn.functional as F
from torch import nn

BATCHES = 64


@dataclass(frozen=True)
class Size:
    architecture: str
    batch_size: int
    d_model: int
    n_heads: int
    n_layers: int
    d_ff: int
    bias: bool = True
    vocab_size: int = 0  # of text
    block_size: int = 0
    patch_size: int = 0  # of images
    images: Optional[torch.Tensor] = None  # uint8 [N, 1, H, W]
    labels: Optional[torch.Tensor] = None  # [N]


def read_idx(path: str) -> torch.Tensor:
    """uint8, of the shape that the header says."""
    content = bytearray(Path(path).read_bytes())
    dimensions = content[3]
    shape = struct.unpack_from(f">{dimensions}I", content, 4)
    return torch.frombuffer(content, dtype=torch.uint8, offset=4 + 4 * dimensions).view(shape)


def read_size(config_path: str) -> Size:
    """The sizes in a config of zoo; the vocabulary is the text's, images are read."""
    config = json.loads(Path(config_path).read_text())
    architecture, data = config["architecture"], config["data"]
    model = {"d_ff": 4 * config["model"]["d_model"], **config["model"]}
    for same_in_all in ("dropout", "positions"):
        model.pop(same_in_all, None)
    if data["format"] == "idx":
        facts = {
            "images": read_idx(data["train_path"]).unsqueeze(1),
            "labels": read_idx(data["train_labels_path"]).long(),
        }
    else:
        characters = set(Path(data["path"]).read_text()) - {"\t", "\n"}
        marks = {"gpt": 0, "bert": 1, "encoder_decoder": 2}[architecture]
        facts = {"vocab_size": len(characters) + marks}
    return Size(architecture, config["training"]["batch_size"], **model, **facts)


def initialise(model: nn.Module) -> None:
    for module in model.modules():
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)


class Block(nn.Module):
    """Pre-norm attention and feed-forward."""

    def __init__(self, size: Size, causal: bool):
        super().__init__()
        d, bias = size.d_model, size.bias
        self.n_heads = size.n_heads
        self.causal = causal
        self.attention_norm = nn.LayerNorm(d, bias=bias)
        self.qkv = nn.Linear(d, 3 * d, bias=bias)
        self.projection = nn.Linear(d, d, bias=bias)
        self.mlp_norm = nn.LayerNorm(d, bias=bias)
        self.mlp = nn.Sequential(
            nn.Linear(d, size.d_ff, bias=bias), nn.GELU(), nn.Linear(size.d_ff, d, bias=bias)
        )

    def attend(self, x):  # [B, T, D]
        B, T, D = x.shape
        qkv = self.qkv(self.attention_norm(x)).view(B, T, 3, self.n_heads, D // self.n_heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind()  # [B, H, T, D / H]
        heads = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return x + self.projection(heads.transpose(1, 2).reshape(B, T, D))

    def forward(self, x):  # [B, T, D]
        x = self.attend(x)
        return x + self.mlp(self.mlp_norm(x))


class DecoderBlock(Block):
    """With attention to a memory between the two."""

    def __init__(self, size: Size):
        super().__init__(size, causal=True)
        d, bias = size.d_model, size.bias
        self.cross_norm = nn.LayerNorm(d, bias=bias)
        self.query = nn.Linear(d, d, bias=bias)
        self.key_value = nn.Linear(d, 2 * d, bias=bias)
        self.cross_projection = nn.Linear(d, d, bias=bias)

    def forward(self, x, memory):  # [B, T, D], [B, S, D]
        x = self.attend(x)
        B, T, D = x.shape
        q = self.query(self.cross_norm(x)).view(B, T, self.n_heads, -1).transpose(1, 2)
        k, v = self.key_value(memory).view(B, -1, 2, self.n_heads, D // self.n_heads).unbind(2)
        heads = F.scaled_dot_product_attention(q, k.transpose(1, 2), v.transpose(1, 2))
        x = x + self.cross_projection(heads.transpose(1, 2).reshape(B, T, D))
        return x + self.mlp(self.mlp_norm(x))


class GPT(nn.Module):
    """Learned positions, a head tied to the token embedding, no dropout."""

    def __init__(self, size: Size):
        super().__init__()
        self.tokens = nn.Embedding(size.vocab_size, size.d_model)
        self.positions = nn.Embedding(size.block_size, size.d_model)
        self.blocks = nn.ModuleList(Block(size, causal=True) for _ in range(size.n_layers))
        self.norm = nn.LayerNorm(size.d_model, bias=size.bias)
        initialise(self)

    def represent(self, tokens):  # [B, T] -> [B, T, D]
        x = self.tokens(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.norm(x)

    def forward(self, tokens, targets):  # [B, T], [B, T] -> the mean loss
        logits = F.linear(self.represent(tokens), self.tokens.weight)  # [B, T, V]
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    @torch.no_grad()
    def generate(self, rows: int, count: int):
        """A text of `count` tokens in each row, sampled as nanoGPT does."""
        tokens = torch.zeros(rows, 1, dtype=torch.long)
        for _ in range(count):
            seen = tokens[:, -len(self.positions.weight) :]
            logits = F.linear(self.represent(seen)[:, -1], self.tokens.weight)  # [B, V]
            drawn = torch.multinomial(F.softmax(logits, dim=-1), 1)
            tokens = torch.cat([tokens, drawn], 1)
        return tokens

    @staticmethod
    def batch(size: Size):
        rows = torch.randint(size.vocab_size, (size.batch_size, size.block_size + 1))
        return rows[:, :-1].contiguous(), rows[:, 1:].contiguous()


class BERT(nn.Module):
    """Every token sees every other; 15 % of them are to be found, through a head of their own."""

    def __init__(self, size: Size):
        super().__init__()
        d = size.d_model
        self.tokens = nn.Embedding(size.vocab_size, d)
        self.segments = nn.Embedding(2, d)
        self.positions = nn.Embedding(size.block_size, d)
        self.blocks = nn.ModuleList(Block(size, causal=False) for _ in range(size.n_layers))
        self.norm = nn.LayerNorm(d, bias=size.bias)
        self.head = nn.Sequential(nn.Linear(d, d), nn.GELU(), nn.LayerNorm(d, bias=size.bias))
        self.head_bias = nn.Parameter(torch.zeros(size.vocab_size))
        initialise(self)

    def forward(self, tokens, targets):  # [B, T], [B, T] -> the mean loss
        x = self.tokens(tokens) + self.segments(torch.zeros_like(tokens))
        x = x + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.head(self.norm(x)), self.tokens.weight, self.head_bias)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    @staticmethod
    def batch(size: Size):
        tokens = torch.randint(size.vocab_size, (size.batch_size, size.block_size))
        hidden = torch.rand(tokens.shape) < 0.15
        return tokens.masked_fill(hidden, 0), tokens.masked_fill(~hidden, -100)


class EncoderDecoder(nn.Module):
    """Shared embedding, tied output, learned positions."""

    def __init__(self, size: Size):
        super().__init__()
        d = size.d_model
        self.scale = d**0.5
        self.tokens = nn.Embedding(size.vocab_size, d)
        self.positions = nn.Embedding(size.block_size, d)
        self.source_positions = nn.Embedding(size.block_size, d)
        self.encoder = nn.ModuleList(Block(size, causal=False) for _ in range(size.n_layers))
        self.encoder_norm = nn.LayerNorm(d, bias=size.bias)
        self.decoder = nn.ModuleList(DecoderBlock(size) for _ in range(size.n_layers))
        self.decoder_norm = nn.LayerNorm(d, bias=size.bias)
        initialise(self)

    def forward(self, source, tokens, targets):  # [B, S], [B, T], [B, T] -> the mean loss
        memory = self.tokens(source) * self.scale + self.source_positions.weight[: source.shape[1]]
        for block in self.encoder:
            memory = block(memory)
        memory = self.encoder_norm(memory)
        x = self.tokens(tokens) * self.scale + self.positions.weight[: tokens.shape[1]]
        for block in self.decoder:
            x = block(x, memory)
        logits = F.linear(self.decoder_norm(x), self.tokens.weight)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    @staticmethod
    def batch(size: Size):
        source = torch.randint(size.vocab_size, (size.batch_size, size.block_size - 1))
        rows = torch.randint(size.vocab_size, (size.batch_size, size.block_size + 1))
        return source, rows[:, :-1].contiguous(), rows[:, 1:].contiguous()


class ViT(nn.Module):
    """Patches by a convolution, a class token, learned positions. The images stay in memory as
    bytes and are gathered and normalised a batch at a time."""

    def __init__(self, size: Size):
        super().__init__()
        d, patch_size = size.d_model, size.patch_size
        _, channels, height, width = size.images.shape
        n_patches = (height // patch_size) * (width // patch_size)
        self.register_buffer("images", size.images)
        self.register_buffer("labels", size.labels)
        pixels = size.images.float()
        self.register_buffer("mean", pixels.mean((0, 2, 3), keepdim=True))
        self.register_buffer("std", pixels.std((0, 2, 3), keepdim=True))
        self.patches = nn.Conv2d(channels, d, patch_size, stride=patch_size)
        self.class_token = nn.Parameter(torch.randn(1, 1, d) * 0.02)
        self.positions = nn.Parameter(torch.randn(1, 1 + n_patches, d) * 0.02)
        self.blocks = nn.ModuleList(Block(size, causal=False) for _ in range(size.n_layers))
        self.norm = nn.LayerNorm(d, bias=size.bias)
        self.classifier = nn.Linear(d, int(size.labels.max()) + 1)
        initialise(self)

    def forward(self, rows):  # [B] -> the mean loss
        images = self.images.index_select(0, rows).float().sub(self.mean).div(self.std)
        x = self.patches(images).flatten(2).transpose(1, 2)  # [B, N, D]
        x = torch.cat([self.class_token.expand(len(x), -1, -1), x], 1) + self.positions
        for block in self.blocks:
            x = block(x)
        logits = self.classifier(self.norm(x[:, 0]))
        return F.cross_entropy(logits, self.labels.index_select(0, rows))

    @staticmethod
    def batch(size: Size):
        return (torch.randint(len(size.images), (size.batch_size,)),)


MODELS = {"gpt": GPT, "bert": BERT, "encoder_decoder": EncoderDecoder, "vit": ViT}


def optimizer_of(model: nn.Module) -> torch.optim.Optimizer:
    parameters = list(model.parameters())
    groups = [
        {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": 0.1},
        {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.99), fused=True)


def trainer_of(model: nn.Module, size: Size):
    """A function that trains for so many steps and returns the last loss."""
    optimizer = optimizer_of(model)
    batches = [MODELS[size.architecture].batch(size) for _ in range(BATCHES)]

    def run(steps: int) -> float:
        for step in range(steps):
            loss = model(*batches[step % BATCHES])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        return loss.item()

    run(2)  # compiles, allocates the moments
    return run


def generate(model: nn.Module, rows: int, length: int, steps: int) -> None:
    """Whole texts of `length` tokens, `steps` in all."""
    for _ in range(max(1, steps // length)):
        model.generate(rows, length)


def serve(run) -> None:
    """Answers commands; run(steps) does what is timed."""
    print(json.dumps({"ready": True, "threads": torch.get_num_threads()}), flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        if command["warmup"]:
            run(command["warmup"])
        start = time.perf_counter()
        loss = run(command["steps"])
        step_ms = (time.perf_counter() - start) * 1e3 / command["steps"]
        print(json.dumps({"step_ms": step_ms, "loss": loss}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config", help="a config of zoo")
    parser.add_argument("--compile", action="store_true", help="use torch.compile")
    parser.add_argument("--generate", type=int, metavar="ROWS", help="write texts, do not train")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    size = read_size(options.config)
    model = MODELS[size.architecture](size)
    if options.generate:
        serve(lambda steps: generate(model, options.generate, size.block_size, steps))
    else:
        serve(trainer_of(torch.compile(model) if options.compile else model, size))


if __name__ == "__main__":
    main()
