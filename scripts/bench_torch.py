#!/usr/bin/env python3
"""Times training steps of a GPT in plain PyTorch, as the other side of `zoo bench`.

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
    vocab_size = len(set(Path(config["data"]["path"]).read_text()))
    model = {key: value for key, value in config["model"].items() if key != "dropout"}
    return Size(vocab_size=vocab_size, batch_size=config["training"]["batch_size"], **model)


class Block(nn.Module):
    """Pre-norm attention and feed-forward."""

    def __init__(self, size: Size):
        super().__init__()
        d, bias = size.d_model, size.bias
        self.n_heads = size.n_heads
        self.attention_norm = nn.LayerNorm(d, bias=bias)
        self.qkv = nn.Linear(d, 3 * d, bias=bias)
        self.projection = nn.Linear(d, d, bias=bias)
        self.mlp_norm = nn.LayerNorm(d, bias=bias)
        self.mlp = nn.Sequential(
            nn.Linear(d, 4 * d, bias=bias), nn.GELU(), nn.Linear(4 * d, d, bias=bias)
        )

    def forward(self, x):  # [B, T, D]
        B, T, D = x.shape
        qkv = self.qkv(self.attention_norm(x)).view(B, T, 3, self.n_heads, D // self.n_heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind()  # [B, H, T, D / H]
        heads = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.projection(heads.transpose(1, 2).reshape(B, T, D))
        return x + self.mlp(self.mlp_norm(x))


class GPT(nn.Module):
    """Learned positions, a head tied to the token embedding, no dropout."""

    def __init__(self, size: Size):
        super().__init__()
        self.tokens = nn.Embedding(size.vocab_size, size.d_model)
        self.positions = nn.Embedding(size.block_size, size.d_model)
        self.blocks = nn.ModuleList(Block(size) for _ in range(size.n_layers))
        self.norm = nn.LayerNorm(size.d_model, bias=size.bias)
        for module in self.modules():
            if isinstance(module, (nn.Linear, nn.Embedding)):
                nn.init.normal_(module.weight, std=0.02)

    def forward(self, tokens, targets):  # [B, T], [B, T] -> the mean loss
        x = self.tokens(tokens) + self.positions.weight[: tokens.shape[1]]
        for block in self.blocks:
            x = block(x)
        logits = F.linear(self.norm(x), self.tokens.weight)  # [B, T, V]
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


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
    model = GPT(size)
    optimizer = optimizer_of(model)
    forward = torch.compile(model) if options.compile else model
    text = torch.randint(size.vocab_size, (BATCHES, size.batch_size, size.block_size + 1))
    batches = [(rows[:, :-1].contiguous(), rows[:, 1:].contiguous()) for rows in text]

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
