#!/usr/bin/env python3
"""Writes texts with a language model that `zoo export` wrote. Needs PyTorch and nothing of zoo.

usage: examples/use_from_python.py model.pt [PROMPT]
"""

import sys

import torch

if len(sys.argv) not in (2, 3):
    sys.exit(__doc__)
model = torch.jit.load(sys.argv[1])  # a program: load only files that you trust
prompt = sys.argv[2] if len(sys.argv) == 3 else ""

# A line starts with its boundary; running text with the prompt alone.
start = [model.boundary_id] if model.boundary_id >= 0 else []
row = start + model.encode(prompt)
if not row:
    sys.exit("running text needs a PROMPT")
tokens = torch.tensor([row] * 10)  # ten texts at once

torch.manual_seed(1)
with torch.no_grad():
    logits = model.next_logits(tokens)  # [10, V]
    texts = model.generate(tokens, 100, temperature=0.8, top_k=0, top_p=0.95)

print("most likely next:", model.decode([int(logits[0].argmax())]))
for text in texts.tolist():
    ids = text[len(start) :]
    if model.boundary_id in ids:
        ids = ids[: ids.index(model.boundary_id)]
    print(model.decode(ids))
