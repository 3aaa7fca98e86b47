"""The way of a run to its end in a pipe: a line for what is new, and one now and then for what takes long."""

from ogai.flows.train.stopping import Stopping
from ogai.render.train.stopping import Sparse


def test_a_line_comes_when_something_is_new_and_when_it_takes_long() -> None:
    lines: list[str] = []
    tell = Sparse(lines.append)
    for passed_s, doing in (
        (0.0, "saves"),
        (0.2, "saves"),
        (9.9, "saves"),
        (10.1, "saves"),
        (10.3, "ends"),
        (19.0, "ends"),
    ):
        tell(Stopping(doing=doing, passed_s=passed_s, grace_s=300.0))
    assert lines == ["saves", "saves, 10s of at most 5m so far", "ends"]
