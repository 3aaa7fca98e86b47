"""Signs are chosen by what the terminal can show."""

import pytest

from ogai.render.glyphs import ASCII, UNICODE, Glyphs, choose_glyphs


@pytest.mark.parametrize(
    ("encoding", "environ", "chosen"),
    [
        ("utf-8", {"LANG": "de_DE.UTF-8"}, UNICODE),
        ("utf-8", {}, UNICODE),
        ("ascii", {"LANG": "de_DE.UTF-8"}, ASCII),
        ("iso8859-1", {"LANG": "de_DE"}, ASCII),
        ("no such encoding", {}, ASCII),
        ("utf-8", {"LANG": "C"}, ASCII),
        ("utf-8", {"LANG": "C", "LC_CTYPE": "C.UTF-8"}, ASCII),
        ("utf-8", {"LC_ALL": "POSIX", "LANG": "en_US.UTF-8"}, ASCII),
        ("utf-8", {"LC_ALL": "C.UTF-8"}, UNICODE),
        ("utf-8", {"LC_CTYPE": "en_US.UTF-8", "LANG": "C"}, UNICODE),
        ("utf-8", {"TERM": "linux", "LANG": "en_US.UTF-8"}, ASCII),
    ],
)
def test_signs_fit_the_terminal(encoding: str, environ: dict[str, str], chosen: Glyphs) -> None:
    assert choose_glyphs(encoding, environ) is chosen


def test_all_signs_of_ascii_are_ascii_and_one_wide() -> None:
    signs = [getattr(ASCII, name) for name in Glyphs.__slots__ if name != "braille"]
    assert all(len(sign) == 1 and sign.isascii() for sign in signs)
