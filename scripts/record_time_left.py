#!/usr/bin/env python3
"""Records when the updates and evaluations of a run ended, for tests/training/time_left_test.cpp.

usage: scripts/record_time_left.py [--processor] ZOO NAME CONFIG [KEY=VALUE]...

Trains CONFIG with ZOO (the program, e.g. build/release/zoo), one thread and the settings, and
writes tests/golden/time_left/NAME.txt: a line on how it was recorded, then what was planned, then
`seconds step kind` a line, kind `step` or `evaluation`, in the order of the run. Not all updates
are kept, but those before and after each evaluation are.

Says how steady the machine was: what an update took in each eighth of the run, against the mean.
Where other programs came or went in between, nobody could have foretold the end: record again, or
with --processor, where seconds are those that the run had a processor: what it would take alone.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MOST_UPDATES = 300

# Preloaded: the run's clock is its own processor time.
PROCESSOR_CLOCK = """
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int clock_gettime(clockid_t clock, struct timespec* now) {
  if (clock == CLOCK_MONOTONIC) clock = CLOCK_PROCESS_CPUTIME_ID;
  return (int)syscall(SYS_clock_gettime, clock, now);
}
"""


def processor_clock(folder: str) -> str:
    source, library = f"{folder}/clock.c", f"{folder}/clock.so"
    Path(source).write_text(PROCESSOR_CLOCK)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, source], check=True)
    return library


def train(program: str, config: str, settings: list[str], run: Path, preload: str) -> None:
    arguments = [program, "train", config, "--out", str(run), "--quiet", "--json"]
    for setting in [*settings, "training.report_every=1"]:
        arguments += ["--set", setting]
    environment = os.environ | {"OMP_NUM_THREADS": "1", "LD_PRELOAD": preload}
    subprocess.run(arguments, check=True, env=environment, stdout=subprocess.DEVNULL)


def kept(lines: list[dict], every: int) -> list[dict]:
    """Every so many updates, and those beside evaluations."""
    found = []
    for i, line in enumerate(lines):
        beside = any(
            0 <= j < len(lines) and lines[j]["kind"] == "evaluation" for j in (i - 1, i, i + 1)
        )
        if beside or line["step"] % every == 0 or line["step"] == 1:
            found.append(line)
    return found


def steadiness(lines: list[dict]) -> list[float]:
    """Mean seconds of an update in each eighth of the updates, over the mean of all."""
    times = [
        after["seconds"] - before["seconds"]
        for before, after in zip(lines, lines[1:])
        if before["kind"] == after["kind"] == "train"
    ]
    mean = sum(times) / len(times)
    size = len(times) // 8
    return [sum(times[i * size : (i + 1) * size]) / size / mean for i in range(8)]


def main() -> int:
    alone = sys.argv[1:2] == ["--processor"]
    arguments = sys.argv[2 if alone else 1 :]
    if len(arguments) < 3:
        print(__doc__)
        return 2
    program, name, config, *settings = arguments
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        train(program, config, settings, run, processor_clock(folder) if alone else "")
        lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
        plan = json.loads((run / "config.json").read_text())["training"]
    lines = [line for line in lines if line["kind"] in ("train", "evaluation")]
    steps = lines[-1]["step"]
    recorded = [
        f"# scripts/record_time_left.py {'--processor ' * alone}ZOO "
        + " ".join([name, config, *settings]),
        f"max_steps {steps} evaluate_every {plan['evaluate_every']}",
    ]
    for line in kept(lines, max(1, steps // MOST_UPDATES)):
        kind = "step" if line["kind"] == "train" else "evaluation"
        recorded.append(f"{line['seconds']:.3f} {line['step']} {kind}")
    target = ROOT / "tests" / "golden" / "time_left" / f"{name}.txt"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("\n".join(recorded) + "\n")
    eighths = " ".join(f"{share:.2f}" for share in steadiness(lines))
    print(
        f"{target.relative_to(ROOT)}: {lines[-1]['seconds']:.1f} s; updates in eighths: {eighths}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
