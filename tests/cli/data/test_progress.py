"""How a prepare says how far it is, on a clock that the test moves."""

from l3_modeltools.data import Progress
from ogai.render.data.progress import Pace, Sparse, describe_progress

MB = 10**6


class Clock:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def encode(done: int, tokens: int = 0) -> Progress:
    return Progress(stage="encode", done_bytes=done * MB, total_bytes=100 * MB, documents=done, tokens=tokens)


def test_speed_and_time_left_count_what_this_call_did() -> None:
    clock = Clock()
    pace = Pace(clock)
    assert pace.begins(encode(60)) and not pace.begins(encode(60))
    clock.now += 10
    assert describe_progress(encode(80, 5000), pace) == "80 documents  5,000 tokens  2.0 MB/s  10s left"
    clock.now += 10
    assert describe_progress(encode(100), pace) == "100 documents  2.0 MB/s  20s"


def test_a_pipe_gets_few_lines() -> None:
    clock, lines = Clock(), list[str]()
    shown = Sparse(lines.append, clock)
    for done in range(0, 101, 10):
        shown(encode(done))
        clock.now += 4
    assert lines[0] == "encode …" and lines[-1].startswith("encode 100%  100 documents")
    assert len(lines) == 5
