"""What a run is doing at the moment, in one word and one sentence."""

from collections.abc import Sequence
from dataclasses import dataclass

from l3_modeltools import Mark, RanksNow, restarts_left
from l3_modeltools.schemas import FaultClass, TrainingFault
from ogai.flows.train.stopping import describe_doing
from ogai.flows.train.watch import Scene
from ogai.render.job.why import describe_blocker
from ogai.render.moment import brief

__all__ = ["Standing", "breaks", "class_words", "restarts_spent", "stand"]

SILENT_S = 30.0
SILENT_STEPS = 10
STOPPING = ("restart_worker", "restart_job", "roll_back", "replace_node")
PHASES = {"validate": "validates", "save": "saves its state", "setup": "sets up"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Standing:
    """`word` is the state as documents have it, `text` why or what for; none for a run that just trains."""

    word: str
    text: str


def stand(scene: Scene, pace_s: float | None) -> Standing:
    """Say how a run stands."""
    run, now = scene.run, scene.now
    if scene.ended:
        return Standing(word=run.state, text=run.reason)
    if run.state == "PENDING":
        return Standing(word="PENDING", text=describe_wait(scene))
    if scene.job is not None and scene.job.state == "COMPLETING":
        return Standing(word=run.state, text=f"told to end: {describe_doing(scene, len(scene.marks))}")
    if (paused := open_pause(scene.marks)) is not None:
        reason = paused.text or run.reason or "waits for something"
        return Standing(word="SUSPENDED", text=f"{reason}, {brief(now - paused.at)} so far")
    if run.state == "SUSPENDED":
        return Standing(word=run.state, text=run.reason)
    if (fault := unmended(scene)) is not None:
        return Standing(word=run.state, text=describe_mending(scene, fault))
    return going(scene, pace_s)


def going(scene: Scene, pace_s: float | None) -> Standing:
    """Say how it is with a run that nothing keeps from going on."""
    last = scene.history.last
    began = max([*scene.starts, *(mark.at for mark in scene.marks if mark.mark == "spawned")], default=None)
    stepped_at = last.at if last else None
    if stepped_at is None or (began is not None and stepped_at < began):
        since = "" if began is None else f", {brief(scene.now - began)} so far"
        return Standing(word=scene.run.state, text=f"{setting_up(scene.marks, began)}{since}")
    if (phase := chief_phase(scene.ranks, stepped_at, scene.now)) in PHASES:
        return Standing(word=scene.run.state, text=PHASES[phase])
    silent_s = scene.now - stepped_at
    if silent_s > max(SILENT_S, SILENT_STEPS * (pace_s or 0.0)):
        return Standing(word=scene.run.state, text=f"no step for {brief(silent_s)}")
    return Standing(word=scene.run.state, text="")


def chief_phase(ranks: RanksNow | None, stepped_at: float, now: float) -> str:
    """Say where the first rank is, unless that was told long ago or before the last step."""
    if ranks is None or not ranks.ranks or ranks.at < stepped_at or now - ranks.at >= SILENT_S:
        return ""
    return ranks.ranks[0].phase


def setting_up(marks: Sequence[Mark], began: float | None) -> str:
    """Say what is done before the first step, as the marks since the start tell."""
    told = [mark.mark for mark in marks if began is None or mark.at >= began]
    if "ready" in told:
        return "works on its first step"
    return "sets up its ranks" if "spawned" in told else "sets up"


def describe_wait(scene: Scene) -> str:
    """Say what its job waits for."""
    job, blockers = scene.job, scene.blockers
    if blockers:
        rest = f" (and {len(blockers) - 1} more)" if len(blockers) > 1 else ""
        return f"waits: {describe_blocker(blockers[0], scene.now)}{rest}"
    if job is not None and job.not_before is not None and job.not_before > scene.now:
        return f"starts again in {brief(job.not_before - scene.now)}: {job.reason}"
    return scene.run.reason or "waits in its queue"


def open_pause(marks: Sequence[Mark]) -> Mark | None:
    """Return the pause that a run is in."""
    found = None
    for mark in marks:
        if mark.mark == "paused":
            found = mark
        elif mark.mark in ("went_on", "ended", "supervised", "spawned"):
            found = None
    return found


def unmended(scene: Scene) -> TrainingFault | None:
    """Return the newest fault if it stopped the run and no step was done since."""
    last = scene.history.last
    fault = scene.faults[-1] if scene.faults else None
    if fault is None or fault.resumed_at is not None or fault.taken not in STOPPING:
        return None
    return fault if last is None or (last.at or 0.0) < fault.detected_at else None


def describe_mending(scene: Scene, fault: TrainingFault) -> str:
    """Say that it starts again, why, and how far that is."""
    again = [m for m in scene.marks if m.at >= fault.detected_at and m.mark in ("spawned", "ready")]
    doing = "sets up its ranks again" if again else "starts again"
    if again and again[-1].mark == "ready":
        doing = "works on its first step"
    since = brief(scene.now - fault.detected_at)
    return f"{doing} after fault {fault.fault_id} ({class_words(fault.fault_class)}), {since} so far"


def class_words(name: FaultClass) -> str:
    """Write a class as people say it."""
    return name.replace("_", " ")


def breaks(scene: Scene) -> tuple[float, ...]:
    """Return when steps were interrupted, ascending."""
    marks = [mark.at for mark in scene.marks if mark.mark in ("supervised", "spawned", "paused", "went_on")]
    return tuple(sorted([*scene.starts, *marks]))


def restarts_spent(scene: Scene) -> int:
    """Count the restarts that lie in the window of the budget, as the supervisor counts them; a resume clears it."""
    policy = scene.run.train.resilience
    if any(mark.mark == "supervised" for mark in scene.marks):
        return policy.max_restarts - restarts_left(scene.marks, policy, now=scene.now)
    return sum(at >= scene.now - policy.window_s for at in scene.starts[1:])
