"""A text with `*` is found where a regular expression would find it, however long and hostile the line."""

import re

from hypothesis import given
from hypothesis import strategies as st

from l3_modeltools.resilience.catalogue import Catalogue
from l3_modeltools.resilience.catalogue.match import SHOWN, find_text, seek
from l3_modeltools.schemas import KnownError, Standing

FEW = st.text("ab*", min_size=1, max_size=6)
LINES = st.lists(st.text("ab ", max_size=12), max_size=5)


def entry(name: str, *texts: str, standing: Standing = "cause") -> KnownError:
    return KnownError(
        name=name,
        fault_class="crash",
        advised="restart_worker",
        standing=standing,
        texts=texts,
        explanation="e",
        hint="h",
    )


@given(FEW.filter(lambda text: text.strip("*") != ""), LINES)
def test_a_text_is_found_where_a_regular_expression_finds_it(text: str, lines: list[str]) -> None:
    pattern = re.compile(".*".join(map(re.escape, text.split("*"))))
    first = next((number for number, line in enumerate(lines) if pattern.search(line)), None)
    log = "\n".join(lines)
    place = find_text(log, seek(entry("x", text), text))
    assert (None if place is None else log.count("\n", 0, place.start)) == first


def test_work_grows_with_the_line_and_not_with_its_square() -> None:
    """Each search begins where the one before ended: a line is walked through once, whatever it holds."""

    class Counted(str):
        walked = 0

        def find(self, sub: str, start: int = 0, end: int | None = None) -> int:  # type: ignore[override]
            stop = len(self) if end is None else end
            at = str.find(self, sub, start, stop)
            Counted.walked += (stop if at < 0 else at) - start
            return at

    hostile = Counted("open a door " * 20_000 + "open")
    for text in ("open *door *open *shut it now", "open *door *open *wall"):
        assert find_text(hostile, seek(entry("x", text), text)) is None
    assert Counted.walked <= 3 * len(hostile)


def test_the_cause_counts_before_the_general_and_that_before_the_symptom() -> None:
    catalogue = Catalogue(
        [
            entry("lost", "peer lost", standing="symptom"),
            entry("some", "it failed", standing="general"),
            entry("disk", "disk burnt"),
        ]
    )
    lines = ["peer lost", "it failed", "the disk burnt", "disk burnt too"]
    assert [match.error.name for match in catalogue.find(lines)] == ["disk", "some", "lost"]
    assert [match.number for match in catalogue.find(lines)] == [2, 1, 0]
    assert catalogue.match(lines[:1]) == catalogue.find(lines)[-1]


def test_of_causes_the_first_line_counts_and_in_a_line_what_says_more() -> None:
    catalogue = Catalogue(
        [entry("any", "error 12"), entry("exact", "error 12 of the * disk"), entry("b", "bbbb")]
    )
    found = catalogue.find(["bbbb", "error 12 of the last disk"])
    assert [match.error.name for match in found] == ["b", "exact"]


def test_colours_progress_bars_and_what_is_too_long_are_not_shown() -> None:
    catalogue = Catalogue([entry("x", "it * broke")])
    match = catalogue.match(["fine", "\x1b[1;31mstep 1\rstep 2\rit \x1b[0mall broke \x1b[0m\r"])
    assert match is not None and (match.line, match.number) == ("it all broke", 1)
    long = catalogue.match(["x" * 5000 + "it broke, it broke" + "y" * 5000])
    assert long is not None and long.line.startswith("it broke") and len(long.line) == SHOWN


def test_nothing_known_is_nothing() -> None:
    assert Catalogue([entry("x", "it * broke")]).match(["it", "broke", "broke it"]) is None
    assert Catalogue([]).match([]) is None
