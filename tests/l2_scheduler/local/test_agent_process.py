from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from l2_scheduler.local.agent_process import stop_agent
from l2_scheduler.local.bell import Bell
from l2_scheduler.local.layout import Layout
from l2_scheduler.local.locks import exclusive


def test_stopping_waits_for_an_agent_that_has_not_said_yet_who_it_is(tmp_path: Path) -> None:
    layout = Layout(tmp_path / "scheduler").prepare()
    with ThreadPoolExecutor(1) as pool:
        with exclusive(layout.agent_lock):
            bell = Bell(layout.bell)
            stopping = pool.submit(stop_agent, layout)
            assert bell.wait(10) == {"quit"}
            with pytest.raises(TimeoutError):
                stopping.result(0.2)
            bell.close()
        assert stopping.result(10)


def test_stopping_where_no_agent_is_says_so(tmp_path: Path) -> None:
    assert stop_agent(Layout(tmp_path / "scheduler").prepare()) is False
