"""The agent as others see it, without one: its bell, its lock and its identity are files that a test can hold."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from l0_infra.core.errors import EngineError
from l2_scheduler.local.agent_process import AgentGuard, stop_agent, wake_agent
from l2_scheduler.local.bell import Bell
from l2_scheduler.local.layout import Layout
from l2_scheduler.local.locks import exclusive
from l2_scheduler.local.serve import introduce


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    return Layout(tmp_path).prepare()


@pytest.fixture
def bell(layout: Layout) -> Iterator[Bell]:
    """Listen as an agent does."""
    bell = Bell(layout.bell)
    yield bell
    bell.close()


def test_stopping_waits_for_an_agent_that_has_not_said_who_it_is(layout: Layout, bell: Bell) -> None:
    with exclusive(layout.agent_lock), pytest.raises(EngineError, match="still at work"):
        stop_agent(layout, timeout_s=0.05)
    assert bell.wait(0) == {"quit"}
    assert stop_agent(layout)


def test_there_is_nothing_to_stop_without_an_agent(layout: Layout) -> None:
    assert not stop_agent(layout)


def test_an_agent_is_woken_and_one_of_another_version_replaced(layout: Layout, bell: Bell) -> None:
    started: list[int] = []
    introduce(layout.agent_identity, "1.0")
    wake_agent(layout, "1.0", started.append)
    assert (bell.wait(0), started) == ({"look"}, [])
    wake_agent(layout, "1.1", started.append)
    assert bell.wait(0) == {"look", "quit"}
    assert len(started) == 1


def test_who_finds_no_agent_starts_one_unless_somebody_is_doing_that(layout: Layout) -> None:
    started: list[int] = []
    with exclusive(layout.root / "agent.spawn"):
        wake_agent(layout, "1.0", started.append)
    assert not started
    wake_agent(layout, "1.0", started.append)
    assert len(started) == 1


def test_a_guard_starts_an_agent_every_two_seconds_and_gives_up_after_three(layout: Layout) -> None:
    layout.agent_log.write_text("first\nno space left on device\n")
    starts: list[float] = []
    guard = AgentGuard(layout, lambda: starts.append(1))
    for now in (0.0, 1.0, 2.0, 4.0):
        guard.look(now)
    assert len(starts) == 3
    with pytest.raises(EngineError, match="no space left on device"):
        guard.look(6.0)


def test_a_guard_that_finds_an_agent_again_forgets_its_earlier_starts(layout: Layout) -> None:
    starts: list[float] = []
    guard = AgentGuard(layout, lambda: starts.append(1))
    guard.look(0.0)
    bell = Bell(layout.bell)
    guard.look(2.0)
    bell.close()
    for now in (4.0, 6.0, 8.0):
        guard.look(now)
    assert len(starts) == 4
