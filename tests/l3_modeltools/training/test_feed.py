import pytest

from l3_modeltools.training.feed import Feed


def test_the_next_step_is_made_ready_and_any_other_may_be_asked_for() -> None:
    asked: list[tuple[int, range]] = []

    def load(step: int, rows: range) -> str:  # a batch is whatever the loader makes
        asked.append((step, rows))
        return f"{step}:{rows.start}"

    feed = Feed(load, (range(0, 2), range(2, 4)))  # type: ignore[arg-type]
    assert [feed.take(step) for step in (1, 1, 2, 7)] == [["1:0", "1:2"]] * 2 + [
        ["2:0", "2:2"],
        ["7:0", "7:2"],
    ]
    feed.close()
    assert {step for step, _ in asked} >= {1, 2, 3, 7}


def test_what_the_loader_raises_is_raised_where_the_step_is_taken() -> None:
    def load(step: int, rows: range) -> str:
        raise OSError(f"no step {step}")

    feed = Feed(load, (range(1),))  # type: ignore[arg-type]
    with pytest.raises(OSError, match="no step 4"):
        feed.take(4)
    feed.close()
