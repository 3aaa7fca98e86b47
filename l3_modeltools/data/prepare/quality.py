"""Plain measures of a text say whether it is worth learning from."""

from l3_modeltools.schemas import Quality

__all__ = ["is_worthy"]


def is_worthy(text: str, wanted: Quality) -> bool:
    """Tell whether a text keeps every bound that `wanted` sets."""
    if wanted.min_characters is not None and len(text) < wanted.min_characters:
        return False
    if wanted.max_characters is not None and len(text) > wanted.max_characters:
        return False
    return _words_are_worthy(text, wanted) and _lines_are_worthy(text, wanted)


def _words_are_worthy(text: str, wanted: Quality) -> bool:
    if wanted.min_alphabetic_words is None:
        return True
    words = text.split()
    alphabetic = sum(any(map(str.isalpha, word)) for word in words)
    return alphabetic >= wanted.min_alphabetic_words * len(words)


def _lines_are_worthy(text: str, wanted: Quality) -> bool:
    """Look at lines with something in them; the mean is of characters without the line's end."""
    lines = [line for line in text.splitlines() if line.strip()]
    repeated = len(lines) - len(set(lines))
    if wanted.max_repeated_lines is not None and repeated > wanted.max_repeated_lines * len(lines):
        return False
    most = wanted.max_mean_line_characters
    return most is None or sum(map(len, lines)) <= most * len(lines)
