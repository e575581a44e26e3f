#!/usr/bin/env python3
"""Writes the seeds of scripts/fuzz, tests/fuzz/corpus/TARGET/*: small whole files of each kind, and
some damaged ones. Findings that lie beside them stay.

Run: python3 scripts/make_fuzz_corpus.py
"""

import base64
import gzip
import hashlib
import io
import json
import struct
import zipfile
import zlib
from pathlib import Path

CORPUS = Path(__file__).resolve().parent.parent / "tests" / "fuzz" / "corpus"


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def cut(seeds, *names):
    """The named seeds again, without their last third."""
    return {f"{name}_cut": seeds[name][: len(seeds[name]) * 2 // 3] for name in names}


def json_seeds():
    seeds = {
        "config": b'{"model": {"type": "gpt", "n_heads": 4, "dropout": 0.1},  // why\n "seed": -1}',
        "comments": b'/* a */ [1, 2.5e-3, true, false, null, // b\n "\\u0131\\ud83d\\ude00\\n"]',
        "twice": b'{"a": 1, "b": {"a": 2}, "a": 3}',
        "nested": b"[" * 60 + b"]" * 60,
        "too_deep": b'{"a":' * 101 + b"1" + b"}" * 101,
        "numbers": b"[0, -0, 1e999, -1e-999, 18446744073709551616, 9223372036854775807, 01]",
        "not_utf8": b'{"a\xff": "\xc3"}',
        "byte_order_mark": b'\xef\xbb\xbf{"a": []}',
        "lone_surrogate": b'["\\ud800"]',
    }
    return seeds | cut(seeds, "config", "comments")


def safetensors(header, data, size=None):
    text = header if isinstance(header, bytes) else compact(header)
    return struct.pack("<Q", len(text) if size is None else size) + text + data


def safetensors_seeds():
    two = {
        "a": {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]},
        "b": {"dtype": "I64", "shape": [], "data_offsets": [16, 24]},
        "__metadata__": {"format": "pt", "step": "7"},
    }
    kinds = ("BOOL", "U8", "I8", "I16", "I32", "I64", "F16", "BF16", "F32", "F64")
    sizes = (1, 1, 1, 2, 4, 8, 2, 2, 4, 8)
    every, at = {}, 0
    for kind, size in zip(kinds, sizes):
        every[kind] = {"dtype": kind, "shape": [1], "data_offsets": [at, at + size]}
        at += size
    huge = {"a": {"dtype": "F32", "shape": [2**62, 4, 0], "data_offsets": [0, 0]}}
    hole = {"a": {"dtype": "U8", "shape": [1], "data_offsets": [1, 2]}}
    seeds = {
        "two": safetensors(two, bytes(range(24))),
        "every_dtype": safetensors(every, bytes(at)),
        "empty": safetensors({}, b""),
        "no_elements": safetensors(
            {"a": {"dtype": "F16", "shape": [0, 3], "data_offsets": [0, 0]}}, b""
        ),
        "huge_shape": safetensors(huge, b""),
        "hole": safetensors(hole, b"xy"),
        "long_header": safetensors({}, b"", 2**63),
        "no_json": safetensors(b"{]", b""),
    }
    return seeds | cut(seeds, "two", "every_dtype")


def catalogue(strings, order="<", revision=0, charset="UTF-8"):
    """A .mo file of byte strings."""
    header = (
        f"Content-Type: text/plain; charset={charset}\nPlural-Forms: nplurals=2; plural=(n!=1);\n"
    )
    pairs = [(b"", header.encode()), *strings]
    at = 28 + 16 * len(pairs)
    tables, texts = [b"", b""], b""
    for side in (0, 1):
        for pair in pairs:
            tables[side] += struct.pack(order + "II", len(pair[side]), at + len(texts))
            texts += pair[side] + b"\0"
    numbers = (0x950412DE, revision, len(pairs), 28, 28 + 8 * len(pairs), 0, at)
    return struct.pack(order + "7I", *numbers) + tables[0] + tables[1] + texts


def message_catalogue_seeds():
    strings = [
        (b"%d file\0%d files", b"%d dosya\0%d dosya"),
        (b"File", b"Dosya"),
        (b"menu\x04Open %(name)s", "Aç %(name)s {0}".encode()),
        (b"untranslated", b""),
    ]
    turkish = [(b"Light", "Işık".encode("iso8859-9"))]
    seeds = {
        "little_endian": catalogue(strings),
        "big_endian": catalogue(strings, ">"),
        "latin5": catalogue(turkish, charset="ISO-8859-9"),
        "unknown_charset": catalogue(turkish, charset="KLINGON"),
        "utf7": catalogue([(b"a", b"+AGEAYg- +")], charset="UTF-7"),
        "not_utf8": catalogue(turkish),
        "header_only": catalogue([]),
        "minor_revision": catalogue(strings, revision=1),
        "future_revision": catalogue(strings, revision=2 << 16),
        "no_catalogue": b'msgid ""\n',
    }
    overlap = bytearray(seeds["little_endian"])
    struct.pack_into("<I", overlap, 12, 20)
    outside = bytearray(seeds["little_endian"])
    struct.pack_into("<I", outside, 28, 0xFFFFFFFF)
    many = bytearray(seeds["little_endian"])
    struct.pack_into("<I", many, 8, 0x7FFFFFFF)
    seeds |= {"overlap": bytes(overlap), "outside": bytes(outside), "many": bytes(many)}
    return seeds | cut(seeds, "little_endian", "latin5")


def special(token, number):
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    return {"id": number, "content": token, **flags, "special": True}


def vocabulary(tokens):
    return {token: number for number, token in enumerate(tokens)}


BYTE_LEVEL = {
    "type": "ByteLevel",
    "add_prefix_space": False,
    "trim_offsets": True,
    "use_regex": True,
}
GPT2_PATTERN = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"
BERT = {
    "type": "BertNormalizer",
    "clean_text": True,
    "handle_chinese_chars": True,
    "strip_accents": None,
    "lowercase": True,
}


def tokenizer(model, **parts):
    keys = ("added_tokens", "normalizer", "pre_tokenizer", "post_processor", "decoder")
    return {"version": "1.0", **{key: parts.get(key) for key in keys}, "model": model}


def mark_template(boundary, separator):
    def mark(token, kind):
        return {"SpecialToken": {"id": token, "type_id": kind}}

    def text(name, kind):
        return {"Sequence": {"id": name, "type_id": kind}}

    between = mark(separator, 0)
    pair = [mark(boundary, 0), text("A", 0), between, text("B", 1), mark(boundary, 1)]
    tokens = {
        token: {"id": token, "ids": [number], "tokens": [token]}
        for number, token in enumerate((boundary, separator))
    }
    single = [mark(boundary, 0), text("A", 0), mark(boundary, 0)]
    return {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": tokens}


def bpe(tokens, merges, **more):
    return {"type": "BPE", "vocab": vocabulary(tokens), "merges": merges, **more}


def tokenizer_documents():
    words = ["$", "[SEP]", *"acht \u0131\u0307", "th", "cat", "ca"]
    pieces = ["[UNK]", "[CLS]", "the", "##s", "cat", "##at", "c", "i", "istanbul", "!", "4", "##2"]
    wordpiece = {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": vocabulary(pieces),
    }
    byte_words = ["<|endoftext|>", *"Tthecas!\u0120\u00c3\u00b6", "\u0120c", "\u0120ca"]
    byte_merges = ["\u0120 c", ["\u0120c", "a"]]
    marks = [special("$", 0), special("[SEP]", 1)]
    end_mark = {**special("<|endoftext|>", 0), "lstrip": True, "rstrip": True}
    forms = [{"type": kind} for kind in ("NFD", "NFC", "NFKC", "Lowercase", "NFKD")]
    split = {
        "type": "Split",
        "pattern": {"Regex": GPT2_PATTERN},
        "behavior": "Isolated",
        "invert": False,
    }
    return {
        "characters": tokenizer(
            bpe([*"$abc\u0131 ", "[UNK]"], [], unk_token="[UNK]"),
            added_tokens=[special("$", 0)],
            decoder={"type": "Fuse"},
        ),
        "bpe": tokenizer(
            bpe(words, ["t h", "c a", "ca t"], unk_token=None, fuse_unk=True),
            added_tokens=marks,
            normalizer={"type": "Sequence", "normalizers": forms},
            pre_tokenizer={"type": "WhitespaceSplit"},
            post_processor=mark_template("$", "[SEP]"),
            decoder={"type": "Fuse"},
        ),
        "byte_level": tokenizer(
            bpe(byte_words, byte_merges, ignore_merges=True),
            added_tokens=[end_mark],
            pre_tokenizer=BYTE_LEVEL,
            post_processor=BYTE_LEVEL,
            decoder=BYTE_LEVEL,
        ),
        "split": tokenizer(
            bpe(byte_words, byte_merges),
            added_tokens=[{**special("the", 15), "normalized": True, "special": False}],
            pre_tokenizer={
                "type": "Sequence",
                "pretokenizers": [split, {**BYTE_LEVEL, "use_regex": False}],
            },
            decoder=BYTE_LEVEL,
        ),
        "wordpiece": tokenizer(
            wordpiece,
            added_tokens=[special("[UNK]", 0), special("[CLS]", 1)],
            normalizer=BERT,
            pre_tokenizer={"type": "BertPreTokenizer"},
            post_processor={"type": "BertProcessing", "sep": ["[CLS]", 1], "cls": ["[CLS]", 1]},
            decoder={"type": "WordPiece", "prefix": "##", "cleanup": True},
        ),
    }


def tokenizer_json_seeds():
    documents = tokenizer_documents()
    seeds = {name: compact(document) for name, document in documents.items()}
    texts = {
        "bpe": "the cat $ath",
        "byte_level": "The c\u00f6t's <|endoftext|> ca",
        "wordpiece": "Cats",
    }
    for name, text in texts.items():
        seeds[f"{name}_with_text"] = seeds[name] + b"\0" + text.encode()
    wrong = json.loads(json.dumps(documents["bpe"]))
    wrong["model"]["vocab"]["cat"] = 2**40
    seeds["wrong_id"] = compact(wrong)
    wrong = json.loads(json.dumps(documents["bpe"]))
    wrong["model"]["merges"].append("c \n")
    seeds["wrong_merge"] = compact(wrong)
    seeds["unigram"] = compact(tokenizer({"type": "Unigram", "vocab": [["a", -1.5]]}))
    seeds["deep"] = b'{"version":' + b"[" * 40 + b"]" * 40 + b"}"
    return seeds | cut(seeds, "wordpiece", "byte_level")


def tokenizer_text_seeds():
    """The first byte: which tokenizer, from 128 on ids (see tokenizer_text_fuzz.cpp)."""
    texts = [
        "the cat sat",
        "The  \u0130stanbul cat's\n\n 42",
        "e\u0301 \u732b\U0001f600 \u0390",
        "$a[SEP]b",
    ]
    seeds = {}
    for number in range(12):
        seeds[f"text_{number}"] = bytes([number]) + texts[number % len(texts)].encode()
    for number in (128, 132, 136, 140):
        seeds[f"ids_{number}"] = bytes([number, 0, 1, 2, 70, 71, 72, 200, 255])
    seeds["not_utf8"] = b"\x06a\xff\xc3\xe2\x82"
    seeds["long_word"] = b"\x09" + b"a" * 200
    return seeds


def vocabulary_files_seeds():
    vocab = compact(vocabulary(["a", "b", "\u0120", "ab", "\u0120ab", "<|endoftext|>"]))
    merges = "#version: 0.2\na b\n\u0120 ab\n".encode()
    bert = b"[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\n##s\ncat\nistanbul\n"
    return {
        "gpt2": vocab + b"\0" + merges,
        "gpt2_windows": vocab + b"\0" + merges.replace(b"\n", b"\r\n"),
        "gpt2_one_part": vocab + b"\0a\n",
        "gpt2_unknown": vocab + b"\0a c\n",
        "gpt2_wrong_id": b'{"a":0,"b":2}\0',
        "bert": bert,
        "bert_windows": bert.replace(b"\n", b"\r\n"),
        "bert_twice": bert + b"the\n",
        "bert_empty_line": bert + b"\n",
        "bert_no_unknown": b"a\nb\n",
        "bert_not_utf8": bert + b"\xff\n",
    }


def pair_table_seeds():
    """The first byte: source column, target column, header (see pair_table_fuzz.cpp)."""
    table = "the cat\tkedi\nold\teski\u0131\n".encode()
    return {
        "table": b"\x04" + table,
        "turned": b"\x01" + table,
        "header": b"\x14en\ttr\n" + table,
        "windows": b"\x04" + table.replace(b"\n", b"\r\n"),
        "third_column": b"\x08a\tb\tc\n\nd\te\tf",
        "same_column": b"\x00" + table,
        "one_column": b"\x04" + table + b"alone\n",
        "empty_side": b"\x04a\t\n",
        "empty_lines": b"\x04\n\n\n",
        "parallel": b"\x04a\nb\nc\n\0x\ny\nz\n",
        "parallel_shorter": b"\x04a\nb\n\0x\n",
        "parallel_empty_line": b"\x04a\n\nc\n\0x\ny\nz\n",
        "not_utf8": b"\x04a\xff\tb\n",
    }


def utf8_seeds():
    return {
        "all_sizes": "a\u0131\u20ac\U0001f600\n".encode(),
        "limits": "\x7f\x80\u07ff\u0800\ud7ff\ue000\uffff\U00010000\U0010ffff".encode(),
        "combining": "e\u0301\u0327 \u200d\u200b\u202e".encode(),
        "overlong": b"ab\xc0\xaf\xe0\x80\x80\xf0\x80\x80\x80",
        "surrogate": b"x\xed\xa0\x80\xed\xbf\xbf",
        "too_large": b"\xf4\x90\x80\x80\xf8\x88\x80\x80\x80",
        "cut_2": b"a\xc3",
        "cut_3": b"a\xe2\x82",
        "cut_4": b"a\xf0\x9f\x98",
        "continuation": b"\x80\xbf",
    }


def translation_scores_seeds():
    return {
        "same": 2 * "k\u0131rk iki bin y\u00fcz be\u015f\n".encode(),
        "numbers": b"It costs 1,000.50 -- 10-20.\nIt costs 1,000.50 - 10 - 20 .\n",
        "entities": b'a &lt;b&gt; &amp;amp; &quot;<skipped>\na <b> & "\n',
        "spaces": "a\u00a0b\u2003c\x1cd\x85\na b c d\n".encode(),
        "not_utf8": b"caf\xe9 \xc3 \x85\ncaf\xc3\xa9\n",
        "empty": b"\n\n\nx\n",
        "corpus": b"the cat sat on the mat .\na cat sat on the mat\nwell ...\nwell...\n",
    }


def gzip_seeds():
    """The first byte: which kind, for the last one two more (see gzip_fuzz.cpp)."""
    packed = gzip.compress(b"the cat sat on the mat", mtime=0)
    stored = gzip.compress(bytes(range(200)), 0, mtime=0)
    bomb = gzip.compress(b"a" * 2**21, mtime=0)
    wrong_sum = packed[:-8] + b"\0\0\0\0" + packed[-4:]
    named = b"\x1f\x8b\x08\x1e\0\0\0\0\0\x03\x02\0xyname\0comment\0\0\0" + packed[10:]
    seeds = {
        "packed": packed,
        "stored": stored,
        "members": packed + stored,
        "bomb": bomb,
        "wrong_sum": wrong_sum,
        "named": named,
        "tail": packed + b"tail",
        "no_gzip": b"hello",
    }
    seeds |= cut(seeds, "packed", "members")
    seeds = {name: b"\0" + content for name, content in seeds.items()}
    text = "the cat sat on the mat " * 8
    return seeds | {"text": b"\x01\0\0" + text.encode(), "changed": b"\x02\0\x0b" + text.encode()}


def zip_of(*entries, comment=b"", wide=False):
    """Entries of (name, content, deflated), as PyTorch's archives have them."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content, deflated in entries:
            info = zipfile.ZipInfo(name)
            info.compress_type = zipfile.ZIP_DEFLATED if deflated else zipfile.ZIP_STORED
            with archive.open(info, "w", force_zip64=wide) as file:
                file.write(content)
        archive.comment = comment
    return out.getvalue()


def zip_seeds():
    """The first byte: which kind, for the last one two more (see zip_fuzz.cpp)."""
    entries = ("m/data.pkl", b"\x80\x02}q\x00.", False), ("m/code/a.py", b"def f(x):\n" * 9, True)
    whole = zip_of(*entries)
    wrong_sum = whole.replace(b"\x80\x02}", b"\x80\x02{", 1)
    seeds = {
        "whole": whole,
        "comment": zip_of(*entries, comment=b"PK\x05\x06 in a comment"),
        "wide": zip_of(*entries, wide=True),
        "wrong_sum": wrong_sum,
        "empty": zip_of(),
        "no_zip": b"hello",
    }
    seeds |= cut(seeds, "whole", "wide")
    seeds = {name: b"\0" + content for name, content in seeds.items()}
    text = b"the cat sat on the mat " * 8
    return seeds | {"text": b"\x01\1\0" + text, "changed": b"\x02\0\x0b" + text}


def png_chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(height, width, colour_type, rows, bits=8, interlaced=0, before=b""):
    """A PNG file; each row begins with its filter."""
    header = struct.pack(">IIBBBBB", width, height, bits, colour_type, 0, 0, interlaced)
    chunks = png_chunk(b"IHDR", header) + before + png_chunk(b"IDAT", zlib.compress(rows, 9))
    return b"\x89PNG\r\n\x1a\n" + chunks + png_chunk(b"IEND", b"")


def png_seeds():
    """The first byte: odd where checksums are mended."""
    palette = png_chunk(b"PLTE", bytes(range(12)))
    half_clear = png_chunk(b"tRNS", b"\x80")
    animation = png_chunk(b"acTL", struct.pack(">II", 2, 0))
    seeds = {
        "grey": png(2, 3, 0, b"\0abc\1abc"),
        "grey_1_bit": png(2, 3, 0, b"\0\xa0\2\x40", 1),
        "grey_2_bits": png(1, 4, 0, b"\0\x1b", 2),
        "grey_16_bits": png(1, 1, 0, b"\0ab", 16),
        "grey_alpha": png(1, 2, 4, b"\0abcd"),
        "grey_clear": png(1, 2, 0, b"\0ab", before=png_chunk(b"tRNS", b"\0a")),
        "colour": png(2, 2, 2, b"\3abcdef\4ghijkl"),
        "colour_alpha": png(1, 2, 6, b"\0abcdefgh"),
        "palette": png(1, 4, 3, b"\0\0\1\2\3", before=palette),
        "palette_clear": png(1, 4, 3, b"\0\x1b", 2, before=palette + half_clear),
        "palette_missing": png(1, 1, 3, b"\0\0"),
        "interlaced": png(3, 3, 0, b"\0a\0b\0cd\0e\0f\0ghi", interlaced=1),
        "animated": png(1, 1, 0, b"\0a", before=animation),
        "gamma": png(1, 1, 0, b"\0a", before=png_chunk(b"gAMA", struct.pack(">I", 100000))),
        "too_large": png(100000, 100000, 2, b"\0abc"),
        "too_little": png(9000, 7000, 2, b"\0abc"),
        "one_row_short": png(3, 3, 0, b"\0abc\1abc"),
        "no_png": b"GIF89a",
        "empty": b"",
    }
    seeds |= cut(seeds, "colour", "interlaced")
    seeds = {name: b"\0" + content for name, content in seeds.items()}
    return seeds | {"mended": b"\x01" + seeds["colour"][1:-20] + b"1234" + seeds["colour"][-16:]}


# Of 9 x 9 pixels; the last one of 4 x 4 in CMYK.
JPEG_FILES = {
    "grey": (
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ"
        "EBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wAALCAAJAAkBAREA/8QAHwAAAQUBAQEBAQEAAAAAAAAAAAECAwQFBgcICQoL"
        "/8QAtRAAAgEDAwIEAwUFBAQAAAF9AQIDAAQRBRIhMUEGE1FhByJxFDKBkaEII0KxwRVS0fAkM2JyggkKFhcYGRolJi"
        "coKSo0NTY3ODk6Q0RFRkdISUpTVFVWV1hZWmNkZWZnaGlqc3R1dnd4eXqDhIWGh4iJipKTlJWWl5iZmqKjpKWmp6ip"
        "qrKztLW2t7i5usLDxMXGx8jJytLT1NXW19jZ2uHi4+Tl5ufo6erx8vP09fb3+Pn6/9oACAEBAAA/APkfwR/wQT/1P/"
        "FF/wB3/lw+n/TOvbP+HCf/AFJf/kh/9rr+2DwR/wAsf+A/0r2yv//Z"
    ),
    "progressive": (
        "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ"
        "EBAQEBAQEBAQEBAQEBAQEBAQEBAQH/2wBDAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEB"
        "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQH/wgARCAAJAAkDASIAAhEBAxEB/8QAFgABAQEAAAAAAAAAAAAAAAAABgcJ/8"
        "QAFAEBAAAAAAAAAAAAAAAAAAAAA//aAAwDAQACEAMQAAABk7bbBsh//8QAGBAAAgMAAAAAAAAAAAAAAAAAAAQHEBf/"
        "2gAIAQEAAQUCSgQwQSr/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oACAEDAQE/AX//xAAUEQEAAAAAAAAAAAAAAAAAAA"
        "AA/9oACAECAQE/AX//xAAaEAACAgMAAAAAAAAAAAAAAAAAAaLhECQ0/9oACAEBAAY/AlpQo4oULH//xAAWEAEBAQAA"
        "AAAAAAAAAAAAAAAQocH/2gAIAQEAAT8hlEWZ/9oADAMBAAIAAwAAABAD/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAA"
        "gBAwEBPxB//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAgEBPxB//8QAFxAAAwEAAAAAAAAAAAAAAAAAEFHwgf/a"
        "AAgBAQABPxChQFTB/9k="
    ),
    "cmyk": (
        "/9j/7gAOQWRvYmUAZAAAAAAA/9sAQwABAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ"
        "EBAQEBAQEBAQEBAQEBAQEBAQEB/8AAFAgABAAEBEMRAE0RAFkRAEsRAP/EAB8AAAEFAQEBAQEBAAAAAAAAAAABAgME"
        "BQYHCAkKC//EALUQAAIBAwMCBAMFBQQEAAABfQECAwAEEQUSITFBBhNRYQcicRQygZGhCCNCscEVUtHwJDNicoIJCh"
        "YXGBkaJSYnKCkqNDU2Nzg5OkNERUZHSElKU1RVVldYWVpjZGVmZ2hpanN0dXZ3eHl6g4SFhoeIiYqSk5SVlpeYmZqi"
        "o6Slpqeoqaqys7S1tre4ubrCw8TFxsfIycrS09TV1tfY2drh4uPk5ebn6Onq8fLz9PX29/j5+v/aAA4EQwBNAFkASw"
        "AAPwD4Xr4Xr4Xr4Xr/2Q=="
    ),
}


def jpeg_seeds():
    seeds = {name: base64.b64decode(text) for name, text in JPEG_FILES.items()}
    grey = seeds["grey"]
    frame, scan = grey.index(b"\xff\xc0"), grey.index(b"\xff\xda")

    def with_frame(at, content):
        start = frame + at
        return grey[:start] + content + grey[start + len(content) :]

    return {
        **seeds,
        "too_large": with_frame(5, struct.pack(">HH", 65000, 65000)),
        "too_little": with_frame(5, struct.pack(">HH", 8000, 8000)),
        "bits_12": with_frame(4, b"\x0c"),
        "arithmetic": with_frame(1, b"\xc9"),
        "lossless": with_frame(1, b"\xc3"),
        "end_in_the_middle": grey[: scan + 16] + b"\xff\xd9" + grey[scan + 16 :],
        "tail": grey + b"tail",
        "empty": b"",
        **cut(seeds, "grey", "progressive"),
    }


def idx(sizes, values, kind=8):
    return bytes([0, 0, kind, len(sizes)]) + struct.pack(f">{len(sizes)}I", *sizes) + values


def idx_seeds():
    seeds = {
        "labels": idx([3], b"\0\1\2"),
        "images": idx([2, 2, 3], bytes(range(12))),
        "colour": idx([1, 3, 1, 1], b"abc"),
        "none": idx([0, 28, 28], b""),
        "too_few": idx([2, 2], b"abc"),
        "too_many": idx([2, 2], b"abcde"),
        "overflow": idx([2**31, 2**31, 2**31, 2**31], b""),
        "five_dimensions": idx([1, 1, 1, 1, 1], b"a"),
        "no_dimension": idx([], b""),
        "floats": idx([1], b"abcd", 13),
        "no_idx": b"\x1f\x8b\x08\0",
    }
    return seeds | cut(seeds, "labels", "images")


def cifar10_seeds():
    """The first byte: names, a batch, or one that is cut short (see cifar10_fuzz.cpp)."""
    names = b"airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\ntruck\n"
    return {
        "names": b"\0" + names,
        "names_windows": b"\0" + names.replace(b"\n", b"\r\n") + b"\r\n",
        "names_nine": b"\0" + names[9:],
        "names_eleven": b"\0" + names + b"plane\n",
        "names_twice": b"\0" + names.replace(b"dog", b"cat"),
        "names_not_utf8": b"\0" + names.replace(b"dog", b"d\xff"),
        "batch": b"\x01" + bytes(range(10)),
        "batch_label_10": b"\x01\x09\x0a",
        "batch_empty": b"\x01",
        "batch_cut": b"\x02\0\1",
    }


def pixel_table_seeds():
    """The first byte: the label's column and the header; the second one: the largest value."""
    table = b"0,255,7,cat\n1,2,3, dog \n"
    return {
        "table": b"\0\xff" + table,
        "label_first": b"\x01\x10x,1,16\ny,0,8\n",
        "header": b"\x04\xffa,b,c,d\n" + table,
        "windows": b"\0\xff\xef\xbb\xbf" + table.replace(b"\n", b"\r\n") + b"\r\n",
        "semicolons": b"\0\xff" + table.replace(b",", b";"),
        "tabs": b"\0\xff" + table.replace(b",", b"\t"),
        "largest_65535": b"\0\0" + b"65535,128,x\n",
        "no_column_3": b"\x03\xff1,x\n",
        "one_column": b"\0\xff1\n2\n",
        "shorter_line": b"\0\xff1,2,x\n1,x\n",
        "longer_line": b"\0\xff1,2,x\n1,2,3,x\n",
        "too_bright": b"\0\x101,17,x\n",
        "no_number": b"\0\xff1,1.5,x\n",
        "no_label": b"\0\xff1,2, \n",
        "not_utf8": b"\0\xff1,2,\xff\n",
    }


def checkpoint_seeds():
    """Manifests; the first byte says whether checkpoint_fuzz.cpp signs them."""
    weights = b"weights"  # of checkpoint_fuzz.cpp
    files = {"model.safetensors": {"bytes": 7, "sha256": hashlib.sha256(weights).hexdigest()}}
    whole = {"format_version": 2, "identity": "identity", "files": files}
    manifests = {
        "whole": whole,
        "no_files": {**whole, "files": {}},
        "other_identity": {**whole, "identity": "another"},
        "later_format": {**whole, "format_version": 3},
        "missing": {**whole, "files": {"other": files["model.safetensors"]}},
        "outside": {**whole, "files": {"../../lock": files["model.safetensors"]}},
        "parent": {**whole, "files": {"..": {"bytes": 0, "sha256": ""}}},
        "wrong_types": {"format_version": "1", "identity": 2, "files": {"a": []}},
        "list": [],
    }
    seeds = {name: b"s" + compact(manifest) for name, manifest in manifests.items()}
    return {**seeds, "unsigned": b"u" + compact(whole)}


def main():
    makers = {
        "cifar10": cifar10_seeds,
        "checkpoint": checkpoint_seeds,
        "gzip": gzip_seeds,
        "idx": idx_seeds,
        "jpeg": jpeg_seeds,
        "json": json_seeds,
        "message_catalogue": message_catalogue_seeds,
        "pair_table": pair_table_seeds,
        "pixel_table": pixel_table_seeds,
        "png": png_seeds,
        "safetensors": safetensors_seeds,
        "tokenizer_json": tokenizer_json_seeds,
        "tokenizer_text": tokenizer_text_seeds,
        "translation_scores": translation_scores_seeds,
        "utf8": utf8_seeds,
        "vocabulary_files": vocabulary_files_seeds,
        "zip": zip_seeds,
    }
    for target, make in makers.items():
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in make().items():
            (folder / name).write_bytes(content)
    print(f"wrote the seeds of {len(makers)} targets below {CORPUS}")


if __name__ == "__main__":
    main()
