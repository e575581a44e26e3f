"""Writes tests/golden/attention.json: attention computed with NumPy in float64, without PyTorch.

Run: python3 scripts/make_golden.py
"""

import json
import platform
from pathlib import Path

import numpy as np

SEED = 20260101
TARGET = Path(__file__).resolve().parent.parent / "tests" / "golden" / "attention.json"


def attention(query, key, value, allowed):
    """softmax(Q K^T / sqrt(d_k) + M) V; a fully masked row is all zeros."""
    scores = query @ key.swapaxes(-1, -2) / np.sqrt(query.shape[-1])
    scores = np.where(allowed, scores, -np.inf)
    top = scores.max(axis=-1, keepdims=True)
    powers = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
    total = powers.sum(axis=-1, keepdims=True)
    weights = np.divide(powers, total, out=np.zeros_like(powers), where=total > 0)
    return weights @ value, weights


def case(rng, name, shape, value_size, allowed):
    batch, heads, queries, keys, size = shape
    query = rng.standard_normal((batch, heads, queries, size))
    key = rng.standard_normal((batch, heads, keys, size))
    value = rng.standard_normal((batch, heads, keys, value_size))
    mask = np.broadcast_to(allowed, (batch, heads, queries, keys))
    output, weights = attention(query, key, value, mask)
    arrays = {"query": query, "key": key, "value": value, "output": output, "weights": weights}
    numbers = {k: {"shape": v.shape, "data": v.ravel().tolist()} for k, v in arrays.items()}
    numbers["allowed"] = {"shape": mask.shape, "data": mask.ravel().astype(int).tolist()}
    return {"name": name, **numbers}


def main():
    rng = np.random.default_rng(SEED)
    everything = np.ones((1, 1, 4, 5), dtype=bool)
    padding = np.ones((2, 1, 1, 5), dtype=bool)
    padding[0, :, :, 3:] = False
    padding[1] = False  # every key of the second row is padding
    cases = [
        case(rng, "no mask", (2, 2, 4, 5, 3), 3, everything),
        case(rng, "values of another size", (2, 2, 4, 5, 3), 6, everything),
        case(rng, "padding, one row fully masked", (2, 2, 4, 5, 4), 4, padding),
        case(rng, "causal", (1, 2, 5, 5, 4), 4, np.tril(np.ones((1, 1, 5, 5), dtype=bool))),
    ]
    versions = {"python": platform.python_version(), "numpy": np.__version__}
    document = {
        "made_by": "scripts/make_golden.py",
        "seed": SEED,
        "versions": versions,
        "cases": cases,
    }
    TARGET.write_text(json.dumps(document) + "\n")
    print(f"wrote {TARGET}")


if __name__ == "__main__":
    main()
