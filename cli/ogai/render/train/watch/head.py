"""The upper lines: what run it is, how it stands, how far it is, its newest numbers."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING

from l0_infra.core.units import format_bytes, format_count
from l3_modeltools.schemas import Architecture
from ogai.flows.train.history import Curve
from ogai.flows.train.watch import Scene
from ogai.render.glyphs import Glyphs
from ogai.render.moment import brief, local_time
from ogai.render.train.watch.lines import one_line
from ogai.render.train.watch.standing import Standing
from ogai.render.train.words import describe_work, loss, number

if TYPE_CHECKING:
    from rich.text import Text

__all__ = ["describe_model", "draw_progress", "left_s", "list_numbers", "title"]

COLOURS = {"RUNNING": "green", "COMPLETED": "green", "FAILED": "red"}
NARROW_BAR = 10
FAR_S = 600.0
RECENT = 10


def title(scene: Scene, standing: Standing, width: int) -> Iterator[Text]:
    """Say which run it is and how it stands."""
    from rich.text import Text

    colour = COLOURS.get(standing.word, "magenta")
    head = Text.assemble((scene.run.run_id, "bold"), "  ", (standing.word, f"bold {colour}"))
    told = one_line(standing.text)
    if head.cell_len + 2 + len(told) <= width:
        yield Text.assemble(head, "  ", told) if told else head
        return
    yield head
    yield from (Text(f"  {line}") for line in wrap(told, max(8, width - 2), max_lines=3, placeholder=" …"))


def describe_model(scene: Scene) -> str:
    """Say what is trained, on how many ranks of what, since when."""
    run, parts = scene.run, []
    architecture = run.train.model.architecture if run.train.model else None
    if isinstance(architecture, Architecture):
        size = f", {number(scene.parameters)} parameters" if scene.parameters else ""
        parts.append(f"{architecture.name}{size}")
    elif run.train.framework == "command":
        parts.append("a command of yours")
    ranks = run.train.strategy.degrees.world_size if run.train.strategy else run.train.ranks
    parts.append(f"{format_count(ranks, 'rank')} on {device_of(scene)}")
    if told := describe_work(run.figures, scene.now):
        parts.append(f"at work {told}")
    return "; ".join(parts)


def device_of(scene: Scene) -> str:
    """Name what it runs on: `cpu`, or the vendor of its accelerators."""
    held = [name for share in scene.job.allocation for name in share.accelerators] if scene.job else []
    if held:
        return held[0].partition(":")[0]
    return "accelerators" if scene.run.train.resources.gpus_per_node else "cpu"


def draw_progress(scene: Scene, pace_s: float | None, *, width: int, glyphs: Glyphs) -> Text:
    """Draw how many of the steps are done, and say how long the rest takes."""
    from rich.text import Text

    done, steps = scene.run.step, scene.run.train.steps
    if not steps:
        return Text.assemble((f"step {done}", "bold"))
    share = min(1.0, done / steps)
    told = f" {int(100 * share):3}%  step {done} of {steps}{describe_left(scene, pace_s)}"
    room = width - len(told)
    if room < NARROW_BAR:
        return Text(told.strip())
    full = int(share * room)
    return Text.assemble((glyphs.full * full, "green"), glyphs.empty * (room - full), told)


def describe_left(scene: Scene, pace_s: float | None) -> str:
    """Write how long it still takes, and when it ends if that is not soon."""
    seconds = left_s(scene, pace_s)
    if seconds is None:
        return ""
    ends = f", ends {local_time(scene.now + seconds, scene.now)[:-3]}" if seconds >= FAR_S else ""
    return f"  {brief(seconds)} left{ends}"


def left_s(scene: Scene, pace_s: float | None) -> float | None:
    """Estimate the seconds to the end at the present pace; None where nothing is known, and where it has ended."""
    steps, last = scene.run.train.steps, scene.history.last
    if not steps or pace_s is None or scene.ended or scene.run.state == "PENDING":
        return None
    since = min(pace_s, max(0.0, scene.now - last.at)) if last and last.at else 0.0
    return max(0.0, (steps - scene.run.step) * pace_s - since)


def list_numbers(scene: Scene) -> Iterator[tuple[str, str]]:
    """Yield what is known, the most wanted first."""
    history = scene.history
    if history.loss.values:
        yield "loss", loss(newest(history.loss))
    if history.validation_loss.values:
        yield (
            "validation",
            f"{loss(newest(history.validation_loss))} at step {history.validation_loss.steps[-1]}",
        )
    yield from list_speeds(scene)
    last = history.last
    memory = next((m.memory_bytes for m in reversed(history.newest) if m.memory_bytes is not None), None)
    if memory:
        yield "memory", format_bytes(int(memory))
    if last and last.mfu is not None:
        yield "MFU", f"{last.mfu:.1%}"
    if history.learning_rate.values:
        yield "lr", f"{newest(history.learning_rate):.2e}"
    if history.grad_norm.values:
        yield "grad norm", f"{newest(history.grad_norm):.3g}"


def list_speeds(scene: Scene) -> Iterator[tuple[str, str]]:
    """Yield tokens, and how fast they go: now, and in general."""
    tokens = scene.run.figures.tokens
    if tokens:
        yield "tokens", number(tokens)
    typical = scene.history.typical_speed()
    if typical is None:
        return
    recent = sorted(scene.history.tokens_per_s.values[-RECENT:])
    now = "" if scene.ended else f"{number(recent[len(recent) // 2])} now, "
    yield "tokens/s", f"{now}{number(typical)} median"


def newest(curve: Curve) -> float:
    return curve.values[-1]
