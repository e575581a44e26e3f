#!/usr/bin/env python3
"""Checks the rules of CONTRIBUTING.md that no compiler sees: one line `file:line: rule` for each
violation, exit 1 where there is one.

usage: scripts/house_rules.py [ROOT]
"""

import re
import subprocess
import sys
from pathlib import Path

# Who may include whom: a folder includes itself and those of a lower rank.
RANKS = {
    "core": 0,
    "kernels": 0,
    "text": 1,
    "vision": 1,
    "models": 1,
    "training": 2,
    "inference": 3,
    "analysis": 4,
    "apps": 5,
}
NO_ARCHITECTURE_NAMES = {"core", "text", "vision", "training", "inference", "apps"}
LONGEST_FILE = 400

# Comments, raw strings, strings and characters; a digit before ' makes it a separator.
TOKENS = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r'|R"(?P<mark>[^(\s"]*)\(.*?\)(?P=mark)"'
    r'|"(?:\\.|[^"\\\n])*"'
    r"|(?<![0-9A-Fa-f])'(?:\\.|[^'\\\n])*'",
    re.DOTALL,
)
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"/]+)/[^"]*"|<([^>]+)>)', re.MULTILINE)
PRINTS = re.compile(r"\bstd::cout\b|\b(?:v|f|vf)?printf\s*\(|\bf?puts\s*\(")
USING_NAMESPACE = re.compile(r"\busing\s+namespace\b")
UNFINISHED = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME)\b")
TORCH = re.compile(r"(?:torch|ATen|c10)/")


def architecture_names(root: Path) -> set[str]:
    """The names in models/architectures.def, one `MACRO(name)` a line."""
    registry = root / "models" / "architectures.def"
    if not registry.exists():
        return set()
    return set(re.findall(r"^\s*\w+\(\s*\"?(\w+)", registry.read_text(), re.MULTILINE))


def line_of(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def split_strings(text: str) -> tuple[str, list[tuple[int, str]]]:
    """The code alone, its lines in place, and (position, content) of each plain string."""
    strings = []

    def blank(match: re.Match) -> str:
        token = match.group()
        if token.startswith('"'):
            strings.append((match.start(), token[1:-1]))
        return re.sub(r"[^\n]", " ", token)

    return TOKENS.sub(blank, text), strings


def include_violations(path: Path, text: str, folders: set[str]):
    here = path.parts[0]
    for match in INCLUDE.finditer(text):
        there, system = match.groups()
        if here == "core" and system and TORCH.match(system):
            yield match.start(), "core/ knows no LibTorch"
        if not there or there == here or there not in folders:
            continue
        if there not in RANKS:
            yield match.start(), f"{here}/ may not include {there}/"
        elif RANKS[here] <= RANKS[there]:
            below = [name for name, rank in RANKS.items() if rank < RANKS[here]]
            yield (
                match.start(),
                f"{here}/ may not include {there}/, only {', '.join(below) or 'itself'}",
            )


def violations(path: Path, text: str, folders: set[str], architectures: set[str]):
    """(position, rule) for each violation in one file."""
    folder = path.parts[0]
    code, strings = split_strings(text)
    if path.suffix == ".h" and not re.search(r"^#pragma once$", text, re.MULTILINE):
        yield 0, "a header starts with #pragma once"
    if text.count("\n") > LONGEST_FILE and "golden" not in path.parts:
        yield len(text) - 1, f"a file stops at {LONGEST_FILE} lines: split it by its ideas"
    for match in USING_NAMESPACE.finditer(code):
        yield match.start(), "no `using namespace`"
    for match in UNFINISHED.finditer(text):
        yield match.start(), f"no {match.group()}: finish it, or open an issue"
    if folder in ("tests", "examples"):
        return
    if folder not in RANKS:
        yield 0, f"{folder}/ has no place in the include order (RANKS in scripts/house_rules.py)"
        return
    yield from include_violations(path, text, folders)
    if folder != "apps":
        for match in PRINTS.finditer(code):
            yield match.start(), "only apps/ prints: return it, or take a stream"
    if folder in NO_ARCHITECTURE_NAMES:
        for position, content in strings:
            if content in architectures:
                yield position, f'the architecture "{content}" is named outside its own files'


def main() -> int:
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(__doc__)
        return 0
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split("\0")
    paths = sorted({Path(name) for name in listing if name.endswith((".h", ".cpp"))})
    paths = [path for path in paths if (root / path).is_file() and len(path.parts) > 1]
    folders = {path.parts[0] for path in paths}
    architectures = architecture_names(root)
    count = 0
    for path in paths:
        text = (root / path).read_text(encoding="utf-8")
        for position, rule in violations(path, text, folders, architectures):
            print(f"{path}:{line_of(text, position)}: {rule}")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
