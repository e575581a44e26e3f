#!/usr/bin/env python3
"""Times training steps in plain PyTorch, as the other side of `zoo bench`: GPT, BERT or an
encoder-decoder, as the config says.

usage: scripts/bench_torch.py [--compile] [--threads N] CONFIG < COMMANDS

Prints {"ready": true}, then reads one JSON object a line, {"warmup": K, "steps": N}, runs that many
whole steps (forward, loss, backward, clip, AdamW) and answers {"step_ms": ..., "loss": ...}.
"""

import argparse
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

BATCHES = 64


@dataclass(frozen=True)
class Size:
    architecture: str
    vocab_size: int
    d_model: int
    n_heads: int
    n_layers: int
    block_size: int
    batch_size: int
    bias: bool


def read_size(config_path: str) -> Size:
    """The sizes in a config of zoo; the vocabulary is the text's."""
    config = json.loads(Path(config_path).read_text())
    characters = set(Path(config["data"]["path"]).read_text()) - {"\t", "\n"}
    marks = {"gpt": 0, "bert": 1, "encoder_decoder": 2}[config["architecture"]]
    model = {
        key: value for key, value in config["model"].items() if key not in ("dropout", "positions")
    }
    return Size(
        architecture=config["architecture"],
        vocab_size=len(characters) + marks,
        batch_size=config["training"]["batch_size"],
        **model,
    )


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
            nn.Linear(d, 4 * d, bias=bias), nn.GELU(), nn.Linear(4 * d, d, bias=bias)
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

    def forward(self, tokens, targets):  # [B, T], [B, T] -> the mean loss
        x = self.tokens(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.norm(x), self.tokens.weight)  # [B, T, V]
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())

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


MODELS = {"gpt": GPT, "bert": BERT, "encoder_decoder": EncoderDecoder}


def optimizer_of(model: nn.Module) -> torch.optim.Optimizer:
    parameters = list(model.parameters())
    groups = [
        {"params": [p for p in parameters if p.dim() >= 2], "weight_decay": 0.1},
        {"params": [p for p in parameters if p.dim() < 2], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=1e-3, betas=(0.9, 0.99), fused=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("config", help="a config of zoo")
    parser.add_argument("--compile", action="store_true", help="use torch.compile")
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    options = parser.parse_args()

    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    size = read_size(options.config)
    model = MODELS[size.architecture](size)
    optimizer = optimizer_of(model)
    forward = torch.compile(model) if options.compile else model
    batches = [model.batch(size) for _ in range(BATCHES)]

    def run(steps: int) -> torch.Tensor:
        for step in range(steps):
            loss = forward(*batches[step % BATCHES])
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        return loss.detach()

    run(2)  # compiles, allocates the moments
    print(json.dumps({"ready": True, "threads": torch.get_num_threads()}), flush=True)
    for line in sys.stdin:
        command = json.loads(line)
        if command["warmup"]:
            run(command["warmup"])
        start = time.perf_counter()
        loss = run(command["steps"])
        step_ms = (time.perf_counter() - start) * 1e3 / command["steps"]
        print(json.dumps({"step_ms": step_ms, "loss": loss.item()}), flush=True)


if __name__ == "__main__":
    main()
