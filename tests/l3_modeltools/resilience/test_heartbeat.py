"""What a rank says of itself arrives at its supervisor, whole, whatever it missed."""

import mmap
import threading
from pathlib import Path

import pytest

from l3_modeltools.resilience.heartbeat import KEPT, Heart, Pulse, open_page, page_bytes, section_of


@pytest.fixture
def page() -> mmap.mmap:
    return mmap.mmap(-1, page_bytes(2))


def test_a_rank_is_seen_where_it_is(page: mmap.mmap) -> None:
    heart, pulse, other = Heart(page, 1), Pulse(page, 1), Pulse(page, 0)
    heart.enter("data", 7)
    beat, ended = pulse.look()
    assert (beat.phase, beat.step) == ("data", 7)
    assert [(past.phase, past.step) for past in ended] == [("setup", 0)]
    heart.enter("forward", 7)
    _, ended = pulse.look()
    assert [(past.phase, past.step) for past in ended] == [("data", 7)]
    assert ended[0].seconds >= ended[0].starved_s >= 0
    assert pulse.look()[1] == ()
    assert other.look()[0].step == 0


def test_of_more_than_is_kept_the_last_are_told(page: mmap.mmap) -> None:
    heart, pulse = Heart(page, 0), Pulse(page, 0)
    for step in range(KEPT * 2):
        heart.enter("forward", step)
    _, ended = pulse.look()
    assert [past.step for past in ended] == list(range(KEPT - 1, 2 * KEPT - 1))


def test_a_new_generation_begins_in_setup(page: mmap.mmap) -> None:
    heart, pulse = Heart(page, 0), Pulse(page, 0)
    heart.enter("forward", 3)
    pulse.clear()
    beat, ended = pulse.look()
    assert (beat.phase, beat.step, ended) == ("setup", 0, ())
    Heart(page, 0).enter("data", 1)
    assert pulse.look()[0].phase == "data"


def test_a_reader_meets_no_half_written_place(page: mmap.mmap) -> None:
    heart, pulse = Heart(page, 0), Pulse(page, 0)
    heart.enter("data", 1)
    done = threading.Event()

    def write() -> None:
        for step in range(20_000):
            heart.enter("data" if step % 2 else "save", step)
        done.set()

    writer = threading.Thread(target=write)
    writer.start()
    steps = []
    while not done.is_set():
        steps.append(pulse.look()[0].step)
    writer.join()
    assert steps == sorted(steps)


def test_descriptors_lead_to_the_same_page(tmp_path: Path) -> None:
    with (tmp_path / "page").open("w+b") as file:
        file.truncate(page_bytes(1))
        Heart(open_page(file.fileno(), 1), 0).enter("validate", 9)
        assert Pulse(open_page(file.fileno(), 1), 0).look()[0].step == 9


def test_documents_know_one_word_for_both_passes() -> None:
    assert section_of("forward") == section_of("backward") == "forward_backward"
    assert section_of("save") == "save"
    assert section_of("paused") is None and section_of("ended") is None
