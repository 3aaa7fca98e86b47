"""The live view as pictures: what is on them in every state, and that they never leave the terminal."""

from dataclasses import replace

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from l2_scheduler import Blocker
from l3_modeltools import Mark, RankNow, RanksNow, Sample
from l3_modeltools.schemas import Checkpointing, Resilience
from ogai.flows.train.history import History
from ogai.flows.train.watch import Scene
from ogai.render.glyphs import ASCII, UNICODE, Glyphs
from ogai.render.train.watch.frame import View, draw_frame, turn
from tests.support.runs import a_command, a_run, a_status
from tests.support.scenes import BEGAN, a_fault, a_scene, metrics_of, scenes, slow_ranks

FAULTS = (
    a_fault(1, step=300, at=BEGAN + 150),
    a_fault(2, step=810, at=BEGAN + 405, redone_steps=3),
)
MARKS = (
    Mark(at=BEGAN - 8, mark="supervised"),
    Mark(at=BEGAN - 7, mark="spawned"),
    Mark(at=BEGAN + 151, mark="spawned", fault_id=1),
    Mark(at=BEGAN + 250, mark="saved", step=500),
    Mark(at=BEGAN + 406, mark="spawned", fault_id=2),
)
SAMPLE = Sample(step=1000, prompt="def read(path):", text="\n    return open(path)")


def lines(
    scene: Scene,
    view: View | None = None,
    *,
    width: int = 80,
    height: int | None = 24,
    glyphs: Glyphs = UNICODE,
) -> list[str]:
    drawn = draw_frame(scene, view or View(keys=True), width=width, height=height, glyphs=glyphs)
    return [line.plain.rstrip() for line in drawn]


def shown(scene: Scene, view: View | None = None, **size: int) -> str:
    return "\n".join(lines(scene, view, **size))


def lived() -> Scene:
    """A run that went through two faults."""
    scene = a_scene()
    return replace(scene, faults=FAULTS, marks=MARKS, samples=(SAMPLE,), saved_at=scene.now - 30)


@settings(max_examples=150, deadline=None)
@given(
    scene=scenes(),
    width=st.integers(1, 150),
    height=st.none() | st.integers(1, 60),
    glyphs=st.sampled_from([UNICODE, ASCII]),
    view=st.builds(
        View, tenth=st.booleans(), log_scale=st.booleans(), lines=st.booleans(), keys=st.booleans()
    ),
)
def test_no_picture_leaves_the_terminal(
    scene: Scene, width: int, height: int | None, glyphs: Glyphs, view: View
) -> None:
    drawn = draw_frame(scene, view, width=width, height=height, glyphs=glyphs)
    assert all(line.cell_len <= width for line in drawn)
    assert height is None or len(drawn) <= height
    assert all("\n" not in line.plain and "\x1b" not in line.plain for line in drawn)
    assert glyphs.braille or all(line.plain.isascii() for line in drawn)
    assert drawn[0].plain.startswith("small-1"[: max(0, width - 1)])


def test_a_screen_of_80_by_24_has_all_of_it() -> None:
    picture = lines(lived())
    assert len(picture) == 24
    text = "\n".join(picture)
    assert picture[0] == "small-1  RUNNING"
    assert picture[1].startswith("tiny-llama, 4.2M parameters; 1 rank on cpu; at work 10m8s, since ")
    assert picture[2].endswith(" 60%  step 1200 of 2000  6m40s left") and picture[2].startswith("████")
    assert "loss 3.0" in picture[3] and "validation 3.450 at step 1000" in picture[3]
    assert "tokens 4.92M" in text and "tokens/s 8.19K now, 8.19K median" in text and "memory 640 MiB" in text
    assert "▲ fault" in text and "◆ checkpoint" in text and "● validation" in text
    below_axis = next(line for line in picture if "▲" in line and "fault" not in line)
    assert (below_axis.count("▲"), below_axis.count("◆")) == (2, 2)
    assert "checkpoint  step 1000, 30s ago; next at 1500" in picture
    assert "last fault  killed in step 810, 3m15s ago: rank 1 was killed by signal 9" in picture
    assert "            ranks started again; cost 4.1s, 3 steps done again" in picture
    assert "restarts    2 of 10 within 1d; 2 faults in all" in picture
    assert picture[-1].startswith("q leave, the run goes on")


def test_a_larger_screen_gives_the_curves_the_room() -> None:
    small, large = lines(lived()), lines(lived(), width=120, height=40)
    assert len(large) == 40
    assert (
        sum("│" in line or "┤" in line for line in large)
        > sum("│" in line or "┤" in line for line in small) + 8
    )
    assert max(map(len, large)) > 100


def test_a_small_screen_keeps_what_matters() -> None:
    picture = lines(lived(), width=60, height=15)
    assert len(picture) == 15
    assert "restarts" not in "\n".join(picture) and "sample" not in "\n".join(picture)
    assert any(line.startswith("last fault") for line in picture)
    assert sum("│" in line or "┤" in line for line in picture) >= 4
    tiny = lines(lived(), width=30, height=4)
    assert tiny[:3] == ["small-1  RUNNING", "60%  step 1200 of 2000  6m40s…", "loss 3.017"]


def test_nothing_of_a_picture_without_a_height_is_left_out() -> None:
    text = shown(lived(), View(), width=80, height=None)
    assert all(word in text for word in ("restarts", "sample", "grad norm", "lr", "last fault", "checkpoint"))
    assert "q leave" not in text


def test_the_loss_is_drawn_where_steps_came_again() -> None:
    scene = a_scene()
    history = History(metrics_of(1200))
    history.take(metrics_of(1250, began=scene.now + 60, first=1100))
    run = msgspec.structs.replace(scene.run, step=1250)
    drawn = shown(replace(scene, run=run, history=history, now=history.at.values[-1] + 0.1))
    assert "62%  step 1250 of 2000" in drawn


def test_the_time_left_leaves_out_what_restarts_took_and_counts_saves() -> None:
    history = History(metrics_of(600))
    gap = history.at.values[-1] + 1000
    history.take(metrics_of(1200, began=gap, first=601))
    scene = replace(
        a_scene(),
        history=history,
        now=history.at.values[-1],
        marks=(Mark(at=gap - 5, mark="spawned", fault_id=1),),
    )
    assert "6m40s left" in shown(scene)


def test_a_queued_run_says_what_it_waits_for() -> None:
    run = a_run(state="PENDING", job_ids=("7",), reason="job 7 waits in its queue")
    waiting = a_scene(run=run, job=a_status("PENDING"), history=History(), starts=())
    assert shown(waiting).startswith("small-1  PENDING  job 7 waits in its queue")
    blocker = Blocker(code="resources", where="nodes", found="0 CPUs left", expected="1 node with 2 CPUs")
    blocked = replace(waiting, blockers=(blocker, blocker))
    assert "waits: nodes: found 0 CPUs left; expected 1 node with 2 CPUs (and 1 more)" in " ".join(
        shown(blocked).split()
    )
    again = replace(
        waiting, job=a_status("PENDING", not_before=waiting.now + 4, reason="task 0 ended with exit code 1")
    )
    assert "starts again in 4s: task 0 ended with exit code 1" in shown(again)


def test_a_run_before_its_first_step_says_how_far_it_is() -> None:
    begun = BEGAN - 8
    fresh = a_scene(done=0, history=History(), now=begun + 12, starts=(begun,))
    assert "RUNNING  sets up, 12s so far" in shown(fresh)
    spawned = Mark(at=begun + 2, mark="spawned")
    assert "sets up its ranks, 10s so far" in shown(replace(fresh, marks=(spawned,)))
    ready = Mark(at=begun + 9, mark="ready", step=0)
    assert "works on its first step" in shown(replace(fresh, marks=(spawned, ready)))
    assert "0%  step 0 of 2000" in shown(fresh)


def test_a_run_between_two_starts_names_the_fault() -> None:
    scene = lived()
    down = scene.now + 1
    fault = a_fault(3, step=1200, at=down, resumed_at=None, redone_steps=None)
    scene = replace(scene, now=down + 2, faults=(*FAULTS, fault))
    assert "RUNNING  starts again after fault 3 (killed), 2s so far" in shown(scene)
    spawned = Mark(at=down + 0.5, mark="spawned", fault_id=3)
    assert "sets up its ranks again after fault 3" in shown(replace(scene, marks=(*MARKS, spawned)))
    ready = Mark(at=down + 1, mark="ready", step=1199)
    assert "works on its first step after fault 3" in shown(replace(scene, marks=(*MARKS, spawned, ready)))
    assert "3 of 10 within 1d; 3 faults in all" in shown(replace(scene, marks=(*MARKS, spawned)))


def test_a_paused_run_says_what_it_waits_for_and_no_time_left() -> None:
    scene = lived()
    paused = Mark(at=scene.now - 65, mark="paused", text="no room for a checkpoint: 1.2 GiB free")
    text = shown(replace(scene, marks=(*MARKS, paused)))
    assert "SUSPENDED  no room for a checkpoint: 1.2 GiB free, 1m5s so far" in text
    assert " left" not in text
    judged = replace(scene, run=msgspec.structs.replace(scene.run, state="SUSPENDED", reason="no room"))
    assert "SUSPENDED  no room" in shown(judged)
    went_on = Mark(at=scene.now - 1, mark="went_on")
    assert "SUSPENDED" not in shown(replace(scene, marks=(*MARKS, paused, went_on)))


def test_a_run_that_was_told_to_end_says_what_it_still_does() -> None:
    scene = replace(lived(), job=a_status("COMPLETING", attempt=1))
    saving = RanksNow(at=scene.now, ranks=(RankNow(rank=0, phase="save", step=1200, own_s=0.4, idle_s=3.0),))
    told = "RUNNING  told to end: saves its state after step 1200"
    assert told in shown(replace(scene, ranks=saving))


def test_a_silent_run_and_one_that_validates_say_so() -> None:
    scene = a_scene()
    assert "no step for 45s" in shown(replace(scene, now=scene.now + 45))
    validating = RanksNow(
        at=scene.now, ranks=(RankNow(rank=0, phase="validate", step=1200, own_s=0.4, idle_s=3.0),)
    )
    assert "RUNNING  validates" in shown(replace(scene, ranks=validating))
    before_the_last_step = msgspec.structs.replace(validating, at=scene.now - 1)
    told = replace(scene, ranks=before_the_last_step, now=scene.now + 0.5)
    assert "validates" not in shown(told)


def test_restarts_are_counted_as_the_supervisor_counts_them() -> None:
    by_hand = (Mark(at=BEGAN + 410, mark="ended", exit_code=143), Mark(at=BEGAN + 420, mark="supervised"))
    resumed = replace(lived(), marks=(*MARKS, *by_hand))
    assert "restarts" not in shown(resumed)
    again = Mark(at=BEGAN + 430, mark="spawned", fault_id=2)
    assert "restarts    1 of 10 within 1d" in shown(replace(resumed, marks=(*MARKS, *by_hand, again)))


@pytest.mark.parametrize("state", ["COMPLETED", "FAILED", "CANCELLED"])
def test_an_ended_run_is_a_last_picture(state: str) -> None:
    scene = a_scene()
    figures = msgspec.structs.replace(scene.run.figures, at_work_since=None)
    run = msgspec.structs.replace(
        scene.run, state=state, reason="that is why", ended_at=scene.now, figures=figures
    )
    text = shown(replace(scene, run=run, log=("Traceback", "ValueError: no")), View(lines=True))
    assert text.startswith(f"small-1  {state}  that is why")
    assert "; at work 10m8s\n" in text and " left" not in text and " now, " not in text
    assert text.endswith("Traceback\nValueError: no")


def test_bars_come_when_a_rank_lags_and_only_then() -> None:
    scene = a_scene()
    even = slow_ranks(16, slowest=3, at=scene.now, factor=1.15)
    assert "own time of a step" not in shown(replace(scene, ranks=even))
    text = shown(replace(scene, ranks=slow_ranks(16, slowest=3, at=scene.now)), height=40)
    bars = [line for line in text.splitlines() if line.startswith("  rank")]
    assert len(bars) == 8 and "and 8 more" in text
    assert bars[0].startswith("  rank  3  ███") and bars[0].endswith("800ms, 2.0 times")
    assert bars[0].count("█") == 2 * bars[1].count("█")
    stale = slow_ranks(16, slowest=3, at=scene.now - 60)
    assert "own time of a step" not in shown(replace(scene, ranks=stale))


def test_a_silent_rank_is_named_with_where_it_is() -> None:
    scene = a_scene()
    ranks = slow_ranks(4, slowest=0, at=scene.now, factor=1.0)
    quiet = msgspec.structs.replace(ranks.ranks[2], idle_s=12.0, phase="backward", step=1201)
    ranks = msgspec.structs.replace(ranks, ranks=(*ranks.ranks[:2], quiet, ranks.ranks[3]))
    text = shown(replace(scene, ranks=ranks))
    first = next(line for line in text.splitlines() if line.startswith("  rank"))
    assert "rank 2" in first and first.endswith("400ms, 12s in backward of 1201")
    saving = msgspec.structs.replace(quiet, phase="save")
    ranks = msgspec.structs.replace(ranks, ranks=(*ranks.ranks[:2], saving, ranks.ranks[3]))
    assert "own time of a step" not in shown(replace(scene, ranks=ranks))


def test_keys_turn_what_is_seen() -> None:
    view = View(keys=True)
    assert turn(turn(view, "z"), "Z") == view
    assert turn(view, "x") == view and turn(view, "") == view
    scene = lived()
    tenth = shown(scene, turn(view, "z"))
    assert "whole run" in tenth and "▲" not in tenth and "1100" in tenth
    assert "loss, log scale" in shown(scene, turn(view, "l"))
    log = replace(scene, log=tuple(f"\tline {number}" for number in range(30)))
    assert "line" not in shown(log)
    assert shown(log, turn(view, "t")).splitlines()[-2] == "    line 29"


def test_a_command_shows_only_what_is_known() -> None:
    run = a_run(a_command("x"), state="RUNNING", step=3, job_ids=("7",))
    scene = a_scene(run=run, history=History(), parameters=None)
    assert "a command of yours; 1 rank on cpu" in shown(scene)
    assert "step 3" in shown(scene) and "%" not in shown(scene) and "checkpoint" not in shown(scene)


def test_what_saving_and_restarting_are_set_to_is_told() -> None:
    scene = lived()
    train = msgspec.structs.replace(
        scene.run.train,
        checkpoint=Checkpointing(interval="auto"),
        resilience=Resilience(max_restarts=4, window_s=100),
    )
    text = shown(replace(scene, run=msgspec.structs.replace(scene.run, train=train)))
    assert "next at" not in text
    assert "restarts" not in text


def test_colours_are_those_that_any_background_bears() -> None:
    drawn = draw_frame(lived(), View(keys=True), width=80, height=24, glyphs=UNICODE)
    styles = {str(span.style) for line in drawn for span in line.spans} | {str(line.style) for line in drawn}
    words = {word for style in styles for word in style.split()}
    assert words <= {"bold", "red", "green", "blue", "magenta"}
