#!/usr/bin/env python3
"""Writes data/moved/: pairs of a row of dots with a word of three letters in it, and the word.

In train and in same.tsv the word starts at one of the places 1 to 5, in moved.tsv at 6 to 10, where
no model has seen one. The words of same.tsv and moved.tsv are not those of train.

usage: scripts/make_moved_words.py
"""

import itertools
import pathlib
import random

LETTERS = "abcdefgh"
ROW = 12
TRAINED, MOVED = range(0, 5), range(5, 10)
HELD_OUT = 112


def pairs(words, places):
    for word, place in itertools.product(words, places):
        yield f"{'.' * place}{word}{'.' * (ROW - place - len(word))}\t{word}\n"


def main():
    words = ["".join(letters) for letters in itertools.product(LETTERS, repeat=3)]
    random.Random(1).shuffle(words)
    folder = pathlib.Path(__file__).resolve().parent.parent / "data" / "moved"
    folder.mkdir(exist_ok=True)
    for name, some, places in [
        ("train", words[HELD_OUT:], TRAINED),
        ("same", words[:HELD_OUT], TRAINED),
        ("moved", words[:HELD_OUT], MOVED),
    ]:
        (folder / f"{name}.tsv").write_text("".join(pairs(some, places)))


if __name__ == "__main__":
    main()
