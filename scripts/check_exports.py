#!/usr/bin/env python3
"""Calls TorchScript exports from Python and compares with what the program answered.

usage: scripts/check_exports.py CALLS.json

CALLS.json is a list of {"file", "method", "arguments", "answer"}, tensors as nested lists; with
"seed" the generator is seeded before the call. Numbers may differ by 1e-5, all else by nothing.
"""

import json
import os
import sys
from functools import lru_cache
from pathlib import Path

PYTHON = Path(__file__).resolve().parent.parent / ".venv" / "bin" / "python"

try:
    import torch
except ImportError:  # the project's own Python has it
    if Path(sys.executable) == PYTHON or not PYTHON.exists():
        sys.exit("check_exports: no Python with torch: call scripts/setup without ZOO_LIBTORCH")
    os.execv(PYTHON, [str(PYTHON), "-W", "ignore", *sys.argv])

TOLERANCE = 1e-5
TEXT_METHODS = ("encode_text", "decode_text", "decode")


@lru_cache(maxsize=1)
def opened(path: str):
    return torch.jit.load(path)


def argument_of(value, as_list: bool):
    """Nested lists are tensors; the ids that decode takes are a plain list."""
    return torch.tensor(value) if isinstance(value, list) and not as_list else value


def difference(actual, expected) -> float:
    if not isinstance(actual, torch.Tensor):
        return 0.0 if actual == expected else float("inf")
    expected = torch.tensor(expected, dtype=actual.dtype)
    if actual.shape != expected.shape:
        return float("inf")
    if not actual.is_floating_point():
        return 0.0 if torch.equal(actual, expected) else float("inf")
    return torch.where(actual == expected, 0.0, (actual - expected).abs()).max().item()


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    calls = json.loads(Path(sys.argv[1]).read_text())
    wrong = 0
    most = 0.0
    for call in calls:
        as_list = call["method"] in TEXT_METHODS
        arguments = [argument_of(value, as_list) for value in call["arguments"]]
        if "seed" in call:
            torch.manual_seed(call["seed"])
        with torch.no_grad():
            answer = getattr(opened(call["file"]), call["method"])(*arguments)
        found = difference(answer, call["answer"])
        if found > TOLERANCE:
            wrong += 1
            print(f"{call['file']}: {call['method']} differs by {found}", file=sys.stderr)
        else:
            most = max(most, found)
    print(f"check_exports: {len(calls) - wrong} of {len(calls)} calls equal, within {most:.1e}")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
