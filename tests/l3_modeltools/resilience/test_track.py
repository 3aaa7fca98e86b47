"""What counts as a sign of life of one rank."""

import pytest

from l3_modeltools.resilience.heartbeat import Beat, Phase
from l3_modeltools.resilience.threads import ThreadState
from l3_modeltools.resilience.track import Track, begin_track


def track(phase: Phase = "forward", step: int = 7, before: Track | None = None) -> Track:
    beat = Beat(phase=phase, step=step, since_s=0.0)
    return begin_track(beat, ThreadState(state="S", cpu_s=5.0), 0.0, before=before)


def live(one: Track, state: str, share: float, seconds: float = 60.0) -> float:
    """Let a rank use this share of a CPU; return when it last worked."""
    for tenths in range(1, round(10 * seconds) + 1):
        now = tenths / 10
        one.use(now, 0.1, ThreadState(state=state, cpu_s=5.0 + round(share * now, 2)))
    return one.alive_at_s


@pytest.mark.parametrize(
    ("state", "share", "works"),
    [
        ("S", 0.0, False),
        ("D", 0.0, False),
        ("T", 0.0, False),
        ("S", 0.05, False),
        ("S", 0.4, True),
        ("R", 0.0, True),
    ],
)
def test_a_rank_works_that_uses_a_cpu_or_waits_for_one(state: str, share: float, works: bool) -> None:
    assert (live(track(), state, share) > 58.0) is works


def test_one_that_was_seen_awake_for_a_moment_still_sleeps() -> None:
    one = track()
    one.use(0.1, 0.1, ThreadState(state="R", cpu_s=5.0))
    assert live(one, "S", 0.0) == 0.0


def test_work_without_end_does_not_count() -> None:
    one = track()
    live(one, "R", 1.0, 50.0)
    assert one.silent_since_s(49.9, 5.0) > 49.0
    assert one.silent_since_s(50.1, 5.0) == 0.0


def test_the_first_step_after_setup_is_the_first_to_its_end() -> None:
    started = track("setup", 0)
    data = track("data", 7, before=started)
    forward = track("forward", 7, before=data)
    assert (started.is_first, data.is_first, forward.is_first) == (True, True, True)
    assert not track("data", 8, before=forward).is_first
    assert track("setup", 0, before=track("data", 8, before=forward)).is_first
