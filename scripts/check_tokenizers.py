#!/usr/bin/env python3
"""Compares zoo's tokenizers with Hugging Face's package `tokenizers`, ids and texts.

usage: scripts/check_tokenizers.py PROGRAM [--strings N] [--seed S]

PROGRAM learns each type of tokenizer on a text made here, and the package reads the file; then the
package makes tokenizers, and PROGRAM reads their files. Ends with 1 at the first difference. Uses

    PROGRAM tokenizer train --type T --vocab-size N --out FILE TEXT
    PROGRAM tokenizer encode FILE --json-lines     one JSON string a line -> one array of ids a line
    PROGRAM tokenizer decode FILE --json-lines     the other way round

Random characters are those that have had one category since Unicode 3.2: both sides have tables of
their own Unicode version.
"""

import argparse
import json
import random
import subprocess
import sys
import tempfile
import unicodedata
from pathlib import Path

try:
    from tokenizers import (
        AddedToken,
        BertWordPieceTokenizer,
        ByteLevelBPETokenizer,
        Regex,
        Tokenizer,
        decoders,
        models,
        normalizers,
        pre_tokenizers,
        processors,
        trainers,
    )
except ImportError:
    sys.exit(
        "scripts/check_tokenizers.py needs the package tokenizers;"
        " `scripts/test python` brings it and calls this"
    )

GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"

WORDS = """
the of and a to in he was that it his is with as had you not be her on at by which have or
from this him but all she they were my are me one their so an said them we who would been
will no when there if more out up into do any your what has man could other than our some
very time upon about may its only now like little then can should made did us such great
before must two these see know over much I'm don't they'll we've you're he'd she's Hello
World's HTTP 3 14 159 2024 1,000,000 3.14 ½ ² ٣ Ⅷ İstanbul ışık Iğdır kırmızı şeker çocuk
ağaç ÖĞRENCİ güzel İİI ıi naïve façade Ångström Straße ẞ ΟΔΟΣ café cafe\u0301 e\u0301\u0323
a\u0323\u0301 ﬁne ﬂow ｆｕｌｌ ①② Ⅻ привет МИР مرحبا שלום नमस्ते ไทย 안녕하세요 こんにちは
カタカナ 東京都 中文字符 你好 \U00020000\U0002b820\U0002b920 👍 👍🏽
👨\u200d👩\u200d👧\u200d👦 🇹🇷 ❤\ufe0f [UNK] [CLS] [SEP] [MASK] <|endoftext|> <m> $ ## ##ing
@user #tag a_b x-y "quoted" (a) … — ’s “q” ¿qué?
""".split()
SPACES = [" "] * 30
SPACES += ["  ", "   ", "\n", "\n\n", "\t", " \n ", "\r", "\u00a0", "\u3000", "\u2028"]


def stable_characters() -> list[str]:
    old = unicodedata.ucd_3_2_0
    characters = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    return [
        c
        for c in characters
        if old.category(c) == unicodedata.category(c) and old.category(c) not in ("Cn", "Co")
    ]


def random_text(generator: random.Random, characters: list[str], n_words: int) -> str:
    parts = []
    for _ in range(n_words):
        kind = generator.random()
        if kind < 0.85:
            parts.append(generator.choice(WORDS))
        elif kind < 0.95:
            parts.append("".join(generator.choices("abcdefghijklmnop'.,!? 0123", k=5)))
        else:
            parts.append("".join(generator.choices(characters, k=4)))
        if generator.random() < 0.9:
            parts.append(generator.choice(SPACES))
    return "".join(parts)


def made_strings(generator: random.Random, characters: list[str], count: int) -> list[str]:
    fixed = ["", " ", "  ", "\n", "a", " a", "\ta", "a ", "\x00", "\ufeff", "\ufffd", "a\x85b"]
    fixed += ["x" * 10_000, "ab" * 5_000, "東" * 3_000, " " * 10_000, "e" + "\u0301\u0323" * 2_000]
    fixed += WORDS + ["".join(pair) for pair in zip(WORDS, WORDS[1:])]
    fixed += ["<m>", " <m> ", "a  <m>  <m> b", "<|endoftext|><|endoftext|>", "[sep] [SEP] [Sep]"]
    strings = list(fixed)
    while len(strings) < count * 9 // 10:
        strings.append(random_text(generator, characters, generator.randint(1, 12)))
    while len(strings) < count:
        strings.append("".join(generator.choices(characters, k=generator.randint(1, 12))))
    return strings


class Program:
    def __init__(self, path: str) -> None:
        self.path = path

    def run(self, *arguments: str, lines: str = "") -> str:
        command = [self.path, "tokenizer", *arguments]
        result = subprocess.run(command, input=lines, capture_output=True, text=True, check=False)
        if result.returncode != 0:
            sys.exit(f"{' '.join(command)} ended with {result.returncode}: {result.stderr}")
        return result.stdout

    def each(self, what: str, path: Path, values: list) -> list:
        lines = "".join(json.dumps(value) + "\n" for value in values)
        output = self.run(what, str(path), "--json-lines", lines=lines)
        return [json.loads(line) for line in output.split("\n")[:-1]]


def report(name: str, what: str, given: list, ours: list, theirs: list) -> bool:
    """Prints the first differences; whether there are none."""
    if len(ours) != len(theirs):
        print(f"{name}: {len(ours)} answers to {what}, expected {len(theirs)}")
        return False
    wrong = [i for i in range(len(ours)) if ours[i] != theirs[i]]
    for i in wrong[:5]:
        print(f"{name}: {what} {ascii(given[i])[:300]}")
        print(f"  zoo        {ascii(ours[i])[:300]}\n  tokenizers {ascii(theirs[i])[:300]}")
    if wrong:
        print(f"{name}: {len(wrong)} of {len(ours)} differ")
    return not wrong


def same(program: Program, name: str, path: Path, tokenizer: Tokenizer, strings: list[str]) -> bool:
    theirs = [e.ids for e in tokenizer.encode_batch(strings, add_special_tokens=False)]
    ours = program.each("encode", path, strings)
    if not report(name, "encoding", strings, ours, theirs):
        return False
    texts = [tokenizer.decode(ids, skip_special_tokens=False) for ids in theirs]
    if not report(name, "decoding", theirs, program.each("decode", path, theirs), texts):
        return False
    n_ids = sum(len(ids) for ids in theirs)
    print(f"{name}: {len(strings):,} strings, {n_ids:,} ids: the same")
    return True


def check_learned(program: Program, folder: Path, text: str, strings: list[str]) -> bool:
    """Tokenizers that the program learns."""
    training = folder / "training.txt"
    training.write_bytes(text.encode())
    known = set(text)
    result = True
    sizes = {"character": 1, "bpe": 6000, "byte_bpe": 1000, "wordpiece": 6000}
    for kind, vocab_size in sizes.items():
        path = folder / f"{kind}.json"
        program.run(
            *("train", "--type", kind, "--vocab-size", str(vocab_size)),
            *("--out", str(path), str(training)),
        )
        tokenizer = Tokenizer.from_file(str(path))
        # These two refuse a character that the training text does not have.
        strict = kind in ("character", "bpe")
        fitting = ["".join(c for c in s if c in known) for s in strings] if strict else strings
        result &= same(program, f"learned {kind}", path, tokenizer, fitting)
        again = folder / f"{kind}-again.json"
        tokenizer.save(str(again))
        result &= same(program, f"learned {kind}, saved again", again, tokenizer, fitting[:2000])
    return result


def byte_level(prefix_space: bool, lines: list[str]) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix_space)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.ByteLevel(trim_offsets=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=800,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=alphabet,
        show_progress=False,
    )
    tokenizer.train_from_iterator(lines, trainer)
    return tokenizer


def with_added_tokens(lines: list[str]) -> Tokenizer:
    tokenizer = byte_level(True, lines)
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Lowercase()])
    tokenizer.add_special_tokens([AddedToken("<m>", lstrip=True, rstrip=True)])
    tokenizer.add_tokens(["Hello", "ing", "quoted", AddedToken("ﬁne", normalized=True)])
    return tokenizer


def split_then_bytes(lines: list[str]) -> Tokenizer:
    trained = json.loads(byte_level(False, lines).to_str())
    trained["model"]["ignore_merges"] = True
    tokenizer = Tokenizer.from_str(json.dumps(trained))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(GPT2_PATTERN), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    return tokenizer


def characters_with_unknown(lines: list[str], fuse: bool) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE(unk_token="[UNK]", fuse_unk=fuse))
    tokenizer.normalizer = normalizers.NFD() if fuse else normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    if fuse:
        tokenizer.decoder = decoders.Fuse()
    trainer = trainers.BpeTrainer(
        vocab_size=600, special_tokens=["[UNK]"], limit_alphabet=60, show_progress=False
    )
    tokenizer.train_from_iterator(lines, trainer)
    return tokenizer


def bert(lines: list[str], normalizer: normalizers.Normalizer, cleanup: bool) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizer
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(cleanup=cleanup)
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(
        vocab_size=3000, special_tokens=specials, show_progress=False
    )
    tokenizer.train_from_iterator(lines, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return tokenizer


def check_foreign(program: Program, folder: Path, text: str, strings: list[str]) -> bool:
    """Tokenizers that the package makes."""
    lines = text.split("\n")
    bert_normalizer = normalizers.BertNormalizer
    made = {
        "ByteLevel": byte_level(False, lines),
        "added tokens, prefix space, NFKC": with_added_tokens(lines),
        "Split, ByteLevel, ignore_merges": split_then_bytes(lines),
        "BPE, NFC, [UNK], no decoder": characters_with_unknown(lines, fuse=False),
        "BPE, NFD, [UNK] fused": characters_with_unknown(lines, fuse=True),
        "BERT, uncased": bert(lines, bert_normalizer(), cleanup=True),
        "BERT, cased": bert(lines, bert_normalizer(lowercase=False), cleanup=False),
        "BERT, lower case with accents": bert(lines, bert_normalizer(strip_accents=False), True),
        "BERT, nothing cleaned": bert(lines, bert_normalizer(False, False, True, False), True),
    }
    result = True
    for name, tokenizer in made.items():
        path = folder / "made.json"
        tokenizer.save(str(path))
        result &= same(program, name, path, tokenizer, strings)
    made["ByteLevel"].model.save(str(folder))
    gpt2 = ByteLevelBPETokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))
    gpt2.add_special_tokens(["<|endoftext|>"])
    result &= same(program, "vocab.json and merges.txt", folder / "vocab.json", gpt2, strings)
    made["BERT, uncased"].model.save(str(folder))
    uncased = BertWordPieceTokenizer(str(folder / "vocab.txt"))
    result &= same(program, "vocab.txt", folder / "vocab.txt", uncased, strings)
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--strings", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    program = Program(arguments.program)
    generator = random.Random(arguments.seed)
    characters = stable_characters()
    text = "\n".join(random_text(generator, characters[:3000], 12) for _ in range(4000))
    strings = made_strings(generator, characters, arguments.strings)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        learned = check_learned(program, folder, text, strings)
        return 0 if check_foreign(program, folder, text, strings) and learned else 1


if __name__ == "__main__":
    sys.exit(main())
