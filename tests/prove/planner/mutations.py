"""Inputs made wrong: cells and values replaced, rows cut, names doubled, bytes of other encodings."""

import re
from collections.abc import Callable, Sequence
from random import Random

__all__ = ["mutated"]

VALUES = (
    *("", " ", "0", "-1", "-0.0", "1", "2", "3", "7", "8.0", "8.5", "1e3", "0x10", "1_000", "007", "+4"),
    *(
        "1000000000",
        "1e9",
        "1e17",
        "999999999999999999",
        "1e18",
        "1e308",
        "1e-300",
        "9" * 400,
        "-" + "9" * 30,
    ),
    *("nan", "NaN", "inf", "-inf", ".inf", ".nan", "true", "false", "null", "None", "~", "no", "[]", "{}"),
    *(
        "[1, 2]",
        "[[1, 2], [3]]",
        "{a: 1}",
        "&a",
        "*a",
        "!!python/name:os.system",
        "'",
        '"',
        "`",
        ",",
        ";",
        "=1+1",
    ),
    *(
        "\x00",
        "\x1b[31m",
        "\u0663",
        "\u2028",
        "\U0001f600",
        "\ufeff",
        "bf16",
        "fp8",
        "full",
        "selective",
        "x" * 5000,
    ),
)
"""What stands where something else should."""

NUMBER = re.compile(r"(?<![\w.])-?\d+(\.\d+)?(e-?\d+)?(?![\w.])")
WORD = re.compile(r"[A-Za-z_][\w.-]{2,}")


def mutated(text: str, random: Random) -> bytes:
    """One to three changes of a text, and sometimes another encoding of all of it."""
    for _ in range(random.choice([1, 1, 1, 2, 3])):
        text = random.choice(CHANGES)(text, random)
    return random.choice(ENCODINGS)(text)


def _cell(text: str, random: Random) -> str:
    """Another cell of a table."""
    lines = text.split("\n")
    at = random.randrange(len(lines))
    cells = lines[at].split(",")
    cells[random.randrange(len(cells))] = random.choice(VALUES)
    lines[at] = ",".join(cells)
    return "\n".join(lines)


def _number(text: str, random: Random) -> str:
    return _instead(text, [match.span() for match in NUMBER.finditer(text)], random.choice(VALUES), random)


def _large(text: str, random: Random) -> str:
    """A number of the text becomes a very large one."""
    value = random.choice(["1000000000", "1e9", "999999999", "123456789012", "1000000"])
    return _instead(text, [match.span() for match in NUMBER.finditer(text)], value, random)


def _near(text: str, random: Random) -> str:
    """A number of the text becomes one that may well be meant."""
    value = str(random.choice([1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 64, 100, 128, 256, 1000, 4096, 65536]))
    return _instead(text, [match.span() for match in NUMBER.finditer(text)], value, random)


def _word(text: str, random: Random) -> str:
    return _instead(text, [match.span() for match in WORD.finditer(text)], random.choice(VALUES), random)


def _instead(text: str, spans: Sequence[tuple[int, int]], value: str, random: Random) -> str:
    if not spans:
        return text
    begin, end = random.choice(spans)
    return text[:begin] + value + text[end:]


def _cut_line(text: str, random: Random) -> str:
    lines = text.split("\n")
    del lines[random.randrange(len(lines))]
    return "\n".join(lines)


def _cut_short(text: str, random: Random) -> str:
    return text[: random.randrange(len(text) + 1)]


def _cut_out(text: str, random: Random) -> str:
    begin = random.randrange(len(text) + 1)
    return text[:begin] + text[begin + random.randrange(1, 30) :]


def _double_line(text: str, random: Random) -> str:
    """A line again: a heading, a row, a field."""
    lines = text.split("\n")
    lines.insert(random.randrange(len(lines) + 1), random.choice(lines))
    return "\n".join(lines)


def _double_name(text: str, random: Random) -> str:
    """A name of the first line in place of another: a table's column twice."""
    head, _, rest = text.partition("\n")
    names = head.split(",")
    names[random.randrange(len(names))] = random.choice(names)
    return ",".join(names) + "\n" + rest


def _swap(text: str, random: Random) -> str:
    lines = text.split("\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return "\n".join(lines)


def _insert(text: str, random: Random) -> str:
    at = random.randrange(len(text) + 1)
    return text[:at] + random.choice(VALUES) + text[at:]


def _indent(text: str, random: Random) -> str:
    lines = text.split("\n")
    at = random.randrange(len(lines))
    lines[at] = random.choice(["  ", "\t", "- ", "    "]) + lines[at]
    return "\n".join(lines)


def _deep(text: str, random: Random) -> str:
    return text + random.choice(["[", "{a: ", "- ", "[[a]]\n"]) * random.choice([10, 2000])


CHANGES: tuple[Callable[[str, Random], str], ...] = (
    *(
        _cell,
        _cell,
        _number,
        _number,
        _number,
        _large,
        _large,
        _near,
        _near,
        _near,
        _near,
        _near,
        _word,
        _word,
    ),
    *(_cut_line, _cut_short, _cut_out, _double_line, _double_name, _swap, _insert, _indent, _deep),
)

ENCODINGS: tuple[Callable[[str], bytes], ...] = (
    *(lambda text: text.encode("utf-8", "replace"),) * 16,
    lambda text: text.encode("utf-8-sig", "replace"),
    lambda text: text.encode("utf-16", "replace"),
    lambda text: text.encode("latin-1", "replace") + b"\xe9\xff",
    lambda text: text.replace("\n", "\r\n").encode("utf-8", "replace"),
)
