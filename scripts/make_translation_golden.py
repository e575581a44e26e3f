"""Writes tests/golden/translation_scores.json: BLEU and chrF of small corpora, by sacreBLEU.

Run: pip install sacrebleu==2.6.0, then python3 scripts/make_translation_golden.py
--check compares the scores of the file with those of the installed sacreBLEU instead.
"""

import json
import platform
import random
import sys
from pathlib import Path

import sacrebleu

SEED = 20260102
TARGET = Path(__file__).resolve().parent.parent / "tests" / "golden" / "translation_scores.json"

# (name, hypothesis, reference), a corpus of one sentence each.
SENTENCES = [
    ("identical", "the cat sat on the mat", "the cat sat on the mat"),
    ("identical, one word", "cat", "cat"),
    ("identical, three words", "a small cat", "a small cat"),
    ("one letter", "a", "a"),
    ("nothing in common", "xyz xyz xyz xyz", "the cat sat on the mat"),
    ("empty hypothesis", "", "the cat sat on the mat"),
    ("empty reference", "the cat sat on the mat", ""),
    ("both empty", "", ""),
    ("only spaces", "   ", "the cat"),
    ("shorter", "the cat sat on", "the cat sat on the mat today"),
    ("longer", "the cat sat on the mat today and yesterday", "the cat sat on the mat"),
    ("one word of many", "cat", "the cat sat on the mat"),
    ("repeated word", "the the the the the the the", "the cat is on the mat"),
    ("other order", "on the mat sat the cat", "the cat sat on the mat"),
    ("no 4-gram in common", "the cat sat under the mat", "the cat lay on the mat"),
    ("case matters", "The Cat sat on the Mat", "the cat sat on the mat"),
    ("full stop", "The cat sat on the mat.", "The cat sat on the mat ."),
    ("ellipsis", "Well... the cat sat on the mat..", "Well ... the cat sat on the mat . ."),
    ("comma and quotes", '"Yes," said the cat, "I sat."', "Yes, said the cat, I sat."),
    ("numbers", "It costs 1,000.50 or 2.000,75 euros.", "It costs 1,000.50 or 2,000.75 euros."),
    ("number at the end", "It was 1999. Then 2000, then 3.", "It was 1999 . Then 2000 , then 3 ."),
    ("point before a digit", "a .5 b ,5 c a.5 5.a", "a . 5 b ,5 c a.5 5.a"),
    ("dash after a digit", "pages 10-20 and a-b and 3- and -4", "pages 10 - 20 and a-b and 3 - 4"),
    ("double dash", "2--3 well--known 4-- a", "2 - - 3 well--known 4 - - a"),
    ("all symbols", "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~ a b c", "! \" # $ % & ' a b c ~ }"),
    ("apostrophes", "don't can't 'tis o'clock's end", "don ' t can't 'tis o'clock's end"),
    ("HTML entities", "a &lt;b&gt; &amp; &quot;c&quot; d", 'a <b> & "c" d'),
    ("entity in an entity", "x &amp;lt; y &amp;quot; z w", "x < y &quot; z w"),
    ("unknown entity", "x &nbsp; y &apos; z", "x &nbsp; y ' z"),
    ("skipped", "the <skipped>cat sat <skip> on the mat", "the cat sat < skip > on the mat"),
    ("line breaks", "the ca-\nt sat\non the mat -\n", "the cat sat on the mat -"),
    (
        "tabs and odd spaces",
        "the\tcat\u00a0sat\u2003on\u3000the\x1cmat\x85 ",
        "the cat sat on the mat",
    ),
    ("zero-width space", "the cat\u200bsat on the mat", "the cat sat on the mat"),
    ("Turkish", "Iğdır'da ılık bir yağmur yağıyordu.", "Iğdır'da ılık yağmur yağıyordu."),
    ("Turkish, dotted and dotless", "İstanbul ışıl ışıl parlıyor", "istanbul isil isil parlıyor"),
    ("Turkish words", "kırk iki bin yüz beş", "kırk iki bin beş yüz"),
    ("combining accents", "cafe\u0301 re\u0301sume\u0301 a b", "café résumé a b"),
    (
        "German",
        "Die Straße ist naß, größer geht's nicht!",
        "Die Straße ist nass, größer geht es nicht!",
    ),
    ("Chinese", "猫坐在垫子上。", "猫在垫子上坐着。"),
    ("Arabic", "جلست القطة على الحصيرة.", "القطة جلست على الحصيرة."),
    ("Devanagari", "बिल्ली चटाई पर बैठी।", "बिल्ली चटाई पर बैठी थी।"),
    ("emoji", "I 😀 the 👩‍👩‍👧 cat 🇹🇷.", "I 😃 the 👩‍👩‍👧 cat 🇹🇷 ."),
    ("curly quotes", "“the cat” sat – on … the mat", '"the cat" sat - on ... the mat'),
    ("wide digits", "１.５ and 1.5 and ٣.٤", "１ . ５ and 1.5 and ٣.٤"),
    ("character before a point", "é.5 ü,a 😀.😀 ç.", "é .5 ü , a 😀 . 😀 ç ."),
    ("a date", "1999-03-03", "1999-03-13"),
    ("one long word", "abcdefghijklmnop", "abcdefghijklmnoq"),
    ("ends with a space", "the cat sat on the mat . ", "the cat sat on the mat ."),
]
WORDS = (
    "the a cat dog sat on mat, mat. house. 1,000.50 10-20 1999 kedi köpek evde yağmur! ışık "
    "İstanbul'da don't &quot;x&quot; &amp; (so) 50% e.g. U.S.A. a/b 😀 naïve – « oui » ... x_y"
).split()


def random_corpus(rng, size):
    """References of random words, and hypotheses that are them with words changed."""
    references = [" ".join(rng.choices(WORDS, k=rng.randint(1, 20))) for _ in range(size)]
    hypotheses = []
    for reference in references:
        words = []
        for word in reference.split():
            kind = rng.random()
            if kind < 0.1:
                continue
            words.append(rng.choice(WORDS) if kind < 0.25 else word)
            if kind > 0.95:
                words.append(rng.choice(WORDS))
        hypotheses.append(" ".join(words))
    return hypotheses, references


def scored(name, hypotheses, references):
    return {
        "name": name,
        "hypotheses": hypotheses,
        "references": references,
        "bleu": sacrebleu.corpus_bleu(hypotheses, [references]).score,
        "chrf": sacrebleu.corpus_chrf(hypotheses, [references]).score,
    }


def make_cases():
    rng = random.Random(SEED)
    cases = [scored(name, [hypothesis], [reference]) for name, hypothesis, reference in SENTENCES]
    _, hypotheses, references = zip(*SENTENCES)
    cases.append(scored("all of these sentences", list(hypotheses), list(references)))
    for number in range(1, 4):
        cases.append(scored(f"100 random sentences, {number}", *random_corpus(rng, 100)))
    hypotheses, references = random_corpus(rng, 100)
    rng.shuffle(hypotheses)
    cases.append(scored("100 random sentences, shuffled", hypotheses, references))
    return cases


def check(cases):
    """Exits with a message where the committed file differs."""
    committed = json.loads(TARGET.read_text(encoding="utf-8"))["cases"]
    names = [case["name"] for case in cases]
    if [case["name"] for case in committed] != names:
        sys.exit(f"{TARGET}: other cases than the script's; run it without --check")
    for old, new in zip(committed, cases):
        same = all(old[key] == new[key] for key in ("hypotheses", "references"))
        near = all(abs(old[key] - new[key]) < 1e-9 for key in ("bleu", "chrf"))
        if not same or not near:
            sys.exit(f"{TARGET}: the case '{new['name']}' differs; run the script without --check")
    print(f"{TARGET}: {len(cases)} cases agree with sacreBLEU {sacrebleu.__version__}")


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    cases = make_cases()
    if sys.argv[1:]:
        check(cases)
        return
    document = {
        "made_by": "python3 scripts/make_translation_golden.py",
        "seed": SEED,
        "versions": {"python": platform.python_version(), "sacrebleu": sacrebleu.__version__},
        "cases": cases,
    }
    text = json.dumps(document, ensure_ascii=True, indent=1)
    TARGET.write_text(text + "\n", encoding="utf-8")
    print(f"wrote {TARGET}")


if __name__ == "__main__":
    main()
