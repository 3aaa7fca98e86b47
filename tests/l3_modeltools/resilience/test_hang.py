"""Simulated ranks that work, wait for each other, stop, and are only slow: hangs are found in time, the rest is not."""

import random
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import accumulate

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from l3_modeltools.resilience.hang import Hang, HangWatch
from l3_modeltools.resilience.heartbeat import Beat, Phase, SectionTime
from l3_modeltools.resilience.limits import Limits
from l3_modeltools.resilience.threads import ThreadState

EVER = 1e6
LOOK_S = 0.1

Place = tuple[int, int, Phase]
"""Rank, step, phase."""


@dataclass(frozen=True, slots=True)
class Part:
    """A phase of a rank: first it does something else, then it works, then it sleeps until the others are there."""

    since: float
    phase: Phase
    step: int
    odd_s: float
    odd_state: str
    work_s: float


@dataclass
class Simulation:
    """Ranks that meet at the end of each backward pass, with noise."""

    ranks: int = 2
    steps: int = 40
    step_s: float = 0.4
    odd: Mapping[Place, tuple[float, str]] = field(default_factory=dict)
    """Where a rank does something else first: for so many seconds, in this state."""
    after: Mapping[Phase, Mapping[int, float]] = field(default_factory=dict)
    """Phases of rank 0 alone after some steps: how many seconds it sleeps in them."""
    seed: int = 0
    parts: list[list[Part]] = field(init=False)

    def __post_init__(self) -> None:
        noise = random.Random(self.seed)
        self.parts = [[] for _ in range(self.ranks)]
        now = [100.0] * self.ranks
        self._all("setup", 0, 2.0, now, noise)
        for step in range(1, self.steps + 1):
            slow = 10.0 if step < 3 else 1.0
            self._all("data", step, 0.05 * self.step_s, now, noise)
            self._all("forward", step, 0.3 * self.step_s * slow, now, noise)
            self._all("backward", step, 0.6 * self.step_s, now, noise)
            now = [max(now)] * self.ranks
            self._all("optimizer", step, 0.05 * self.step_s, now, noise)
            for phase, seconds in self.after.items():
                if step in seconds:
                    self._add(0, phase, step, (seconds[step], "S"), 0.0, now)

    def _all(self, phase: Phase, step: int, seconds: float, now: list[float], noise: random.Random) -> None:
        for rank in range(self.ranks):
            odd = self.odd.get((rank, step, phase), (0.0, "S"))
            self._add(rank, phase, step, odd, seconds * noise.lognormvariate(0.0, 0.15), now)

    def _add(
        self, rank: int, phase: Phase, step: int, odd: tuple[float, str], work: float, now: list[float]
    ) -> None:
        self.parts[rank].append(Part(now[rank], phase, step, *odd, work))
        now[rank] += odd[0] + work

    def began(self, place: Place) -> float:
        rank, step, phase = place
        return next(part.since for part in self.parts[rank] if (part.step, part.phase) == (step, phase))

    def end(self) -> float:
        return max(parts[-1].since for parts in self.parts)


def state_of(part: Part, now: float) -> str:
    into = now - part.since
    if into < part.odd_s:
        return part.odd_state
    return "R" if into < part.odd_s + part.work_s else "S"


@dataclass
class Seen:
    """What a supervisor sees of one rank as time goes on."""

    parts: list[Part]
    told: int = 0
    cpu_s: float = 0.0

    def look(self, now: float, passed_s: float) -> tuple[Beat, ThreadState, Iterator[SectionTime]]:
        at = bisect_right(self.parts, now, key=lambda part: part.since) - 1
        begun, self.told = self.told, max(at, 0)
        part = self.parts[at]
        state = state_of(part, now)
        self.cpu_s += passed_s if state == "R" else 0.0
        ended = (
            SectionTime(phase=one.phase, step=one.step, seconds=after.since - one.since, starved_s=0.0)
            for one, after in zip(self.parts[begun:at], self.parts[begun + 1 :], strict=False)
        )
        beat = Beat(phase=part.phase, step=part.step, since_s=part.since)
        return beat, ThreadState(state=state, cpu_s=round(self.cpu_s, 2)), ended


def watch(simulation: Simulation, looks: Iterator[float] | None = None) -> tuple[Hang, float] | None:
    """Return the first hang that is told, and when."""
    limits = Limits()
    watcher = HangWatch(limits)
    seen = [Seen(parts) for parts in simulation.parts]
    before = 100.0
    for now in looks or accumulate([100.0] + [LOOK_S] * 8000):
        if now > simulation.end():
            break
        beats, states = {}, {}
        for rank, one in enumerate(seen):
            beats[rank], states[rank], ended = one.look(now, now - before)
            for part in ended:
                limits.learn(rank, part)
        if hang := watcher.look(now, beats, states):
            return hang, now
        before = now
    return None


IN_A_STEP = st.sampled_from(("data", "forward", "backward", "optimizer"))


@settings(max_examples=30, deadline=None)
@given(
    rank=st.integers(0, 2),
    step=st.integers(14, 30),
    phase=IN_A_STEP,
    state=st.sampled_from("STD"),
    step_s=st.floats(0.05, 5.0),
    seed=st.integers(0, 99),
)
def test_a_rank_that_sleeps_or_is_stopped_is_named_within_three_steps_and_two_seconds(
    rank: int, step: int, phase: Phase, state: str, step_s: float, seed: int
) -> None:
    assume(phase != "data" or state == "T")  # data may be late
    place = (rank, step, phase)
    simulation = Simulation(ranks=3, odd={place: (EVER, state)}, step_s=step_s, seed=seed)
    found = watch(simulation)
    assert found is not None
    hang, at = found
    median_s = (hang.limit_s - 1.5) / 2.5
    assert at - simulation.began(place) <= 3 * median_s + 2.0
    assert hang.occurred_at_s == simulation.began((hang.suspects[0], step, phase))
    assert (hang.phase, hang.step) == (phase, step)
    assert hang.is_stopped == (state == "T")
    assert rank in hang.suspects
    if phase != "backward" or state == "T":  # there the others wait, too: only stacks can tell
        assert hang.suspects == (rank,)


def test_data_that_do_not_come_have_more_time() -> None:
    place = (1, 20, "data")
    simulation = Simulation(odd={place: (EVER, "S")}, step_s=0.5)
    found = watch(simulation)
    assert found is not None
    hang, at = found
    assert (hang.suspects, hang.phase) == ((1,), "data")
    assert 30.0 < at - simulation.began(place) < 31.0


def test_it_says_where_all_are() -> None:
    found = watch(Simulation(odd={(1, 20, "forward"): (EVER, "D")}))
    assert found is not None
    (first, sleeps), (second, waits) = found[0].evidence
    assert (first, second) == (0, 1)
    assert "in backward of step 20" in sleeps
    assert sleeps.endswith("main thread sleeps")
    assert "in forward of step 20" in waits
    assert f"where {found[0].limit_s:.1f} s is the limit" in waits
    assert waits.endswith("main thread waits for storage")


def test_a_rank_behind_in_an_earlier_step_is_named_not_those_that_wait_for_it() -> None:
    found = watch(Simulation(ranks=4, after={"save": {15: EVER}}))
    assert found is not None
    hang, at = found
    assert (hang.suspects, hang.phase, hang.step) == ((0,), "save", 15)
    assert at > 120.0, "the first save has two minutes"


def test_all_ranks_in_setup_have_ten_minutes() -> None:
    odd: dict[Place, tuple[float, str]] = {(rank, 0, "setup"): (EVER, "S") for rank in (0, 1)}
    found = watch(Simulation(odd=odd))
    assert found is not None
    hang, at = found
    assert (hang.suspects, hang.phase) == ((0, 1), "setup")
    assert 700.0 < at < 701.0


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 9999), step_s=st.floats(0.02, 3.0), ranks=st.integers(1, 4))
def test_ranks_that_work_with_noise_are_left_alone(seed: int, step_s: float, ranks: int) -> None:
    after: dict[Phase, dict[int, float]] = {
        "validate": {10: 20 * step_s, 20: 25 * step_s, 30: 15 * step_s},
        "save": {15: 2.0, 30: 1.0},
    }
    assert watch(Simulation(ranks=ranks, step_s=step_s, seed=seed, after=after)) is None


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param({(0, 20, "forward"): (35.0, "R")}, id="busy"),
        pytest.param({(1, 1, "forward"): (90.0, "S")}, id="slow first step"),
        pytest.param({(1, 20, "forward"): (2.0, "S")}, id="a short pause"),
        pytest.param({(0, 20, "forward"): (300.0, "t")}, id="in a debugger"),
        pytest.param({(0, 20, "optimizer"): (300.0, "Z")}, id="gone"),
    ],
)
def test_what_is_no_hang(odd: Mapping[Place, tuple[float, str]]) -> None:
    assert watch(Simulation(odd=odd)) is None


@pytest.mark.parametrize(("phase", "seconds"), [("validate", (30.0, 80.0)), ("save", (0.2, 55.0))])
def test_one_that_takes_longer_than_ever_is_no_hang(phase: Phase, seconds: tuple[float, float]) -> None:
    assert watch(Simulation(after={phase: {15: seconds[0], 30: seconds[1]}})) is None


def test_a_validation_that_does_not_come_back_is_found() -> None:
    found = watch(Simulation(after={"validate": {15: 4.0, 30: EVER}}))
    assert found is not None
    hang, at = found
    assert (hang.suspects, hang.phase, hang.step) == ((0,), "validate", 30)
    assert at - hang.occurred_at_s == pytest.approx(2.5 * 4.0 + 10.0, abs=0.5)


def test_a_busy_loop_is_found_in_the_end() -> None:
    found = watch(Simulation(odd={(1, 20, "forward"): (EVER, "R")}))
    assert found is not None
    hang, at = found
    assert hang.suspects == (1,)
    assert at - hang.occurred_at_s < 1.0, "it works to the last"
    assert 4 * 2.5 + 30 < at - Simulation().began((1, 20, "forward")) < 50.0


def test_a_pause_of_the_whole_machine_is_no_hang() -> None:
    """The watch did not look either; ranks need a moment longer to come back."""
    simulation = Simulation(odd={(rank, 20, "forward"): (60.8, "S") for rank in (0, 1)})
    pause = simulation.began((0, 20, "forward")) + 0.1
    looks = [100 + LOOK_S * number for number in range(5000)]
    assert watch(simulation, iter(looks)) is not None
    assert watch(simulation, (look for look in looks if not pause < look < pause + 60)) is None


def test_a_rank_that_waited_long_for_a_slow_one_is_not_to_blame_when_that_goes_on() -> None:
    """Rank 0 waited 20 s for rank 1, which goes on while rank 0 is still asleep for half a second."""
    limits, states = Limits(), {0: ThreadState(state="S", cpu_s=1.0), 1: ThreadState(state="R", cpu_s=1.0)}
    for step in range(12):
        limits.learn(0, SectionTime(phase="optimizer", step=step, seconds=0.4, starved_s=0.0))
    watcher = HangWatch(limits)
    waits = Beat(phase="backward", step=9, since_s=0.0)
    behind = Beat(phase="forward", step=9, since_s=0.0)
    ahead = Beat(phase="optimizer", step=9, since_s=20.0)
    for tenths in range(206):
        now = tenths / 10
        states[1] = ThreadState(state="R", cpu_s=now)
        beats = {0: waits, 1: behind if now < 20 else ahead}
        assert watcher.look(now, beats, states) is None


def test_nobody_hangs_while_a_rank_says_that_it_is_paused() -> None:
    limits = Limits()
    for step in range(12):
        limits.learn(0, SectionTime(phase="optimizer", step=step, seconds=0.4, starved_s=0.0))
    watcher = HangWatch(limits)
    states = dict.fromkeys((0, 1), ThreadState(state="S", cpu_s=1.0))
    waits = Beat(phase="backward", step=9, since_s=0.0)
    for tenths in range(9000):
        now = tenths / 10
        paused = Beat(phase="paused", step=8, since_s=0.0)
        assert watcher.look(now, {0: paused, 1: waits}, states) is None
    ended = Beat(phase="ended", step=8, since_s=900.0)
    found = [watcher.look(900 + tenths / 10, {0: ended, 1: waits}, states) for tenths in range(40)]
    assert [hang.suspects for hang in found if hang] == [(1,)] * 14


def test_who_is_stopped_by_a_signal_does_not_pause() -> None:
    """Its save was over, and the others have gone on: they wait for one that will never come."""
    watcher = HangWatch(Limits())
    states = {0: ThreadState(state="T", cpu_s=1.0), 1: ThreadState(state="S", cpu_s=1.0)}
    beats = {0: Beat(phase="paused", step=9, since_s=0.0), 1: Beat(phase="save", step=9, since_s=0.0)}
    found = [watcher.look(tenths / 10, beats, states) for tenths in range(1500)]
    assert next(hang.suspects for hang in found if hang) == (0,)
