"""The random events of the engine proof, and how likely each is."""

from collections.abc import Callable
from dataclasses import dataclass

from chaos import disturb
from chaos.kinds import make_wish
from chaos.stage import Stage
from chaos.world import World

__all__ = ["EVENTS", "Event", "happen"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """One kind of event; `act` tells whether there was something to act on."""

    name: str
    weight: int
    act: Callable[[Stage, World], bool]


def submit(stage: Stage, world: World, *, kill: bool = False) -> bool:
    """Submit a job of a random kind."""
    stage.number += 1
    secret = f"hush-{stage.ground.mark}-{stage.number}"
    wish = make_wish(
        stage.rng,
        stage.number,
        program=(world.python, "-I", "-S", str(stage.ground.actor)),
        secret=secret,
        others=stage.history.ids(world.name)[-12:],
    )
    stage.history.note(f"job of kind {wish.kind.name}")
    stage.submit(world, wish, secret=secret, kill=kill)
    return True


def submit_killed(stage: Stage, world: World) -> bool:
    """Submit, and kill the command line in the middle."""
    return submit(stage, world, kill=True)


def on_jobs(verb: str, *flags: str, kill: bool = False) -> Callable[[Stage, World], bool]:
    """Make an event that applies a verb to one to three of the newest jobs."""

    def act(stage: Stage, world: World) -> bool:
        known = stage.history.ids(world.name)[-30:]
        if not known:
            return False
        chosen = stage.rng.sample(known, min(len(known), stage.rng.choice((1, 1, 3))))
        if verb == "cancel":
            stage.history.disturb("cancelled", world.name, *chosen)
        if verb == "requeue":
            stage.history.disturb("requeued", world.name, *chosen)
        if verb == "hold":
            stage.later(
                stage.rng.uniform(0.5, 4.0), lambda: stage.call(world, "job", "release", *chosen) and None
            )
        stage.call(world, "job", verb, *flags, *chosen, kill=kill)
        return True

    return act


def prioritize(stage: Stage, world: World) -> bool:
    """Move a job within the queue."""
    known = stage.history.ids(world.name)[-30:]
    if not known:
        return False
    stage.call(world, "job", "priority", "--", stage.rng.choice(known), str(stage.rng.randint(-50, 50)))
    return True


EVENTS = (
    Event(name="submit", weight=60, act=submit),
    Event(name="submit, CLI killed", weight=10, act=submit_killed),
    Event(name="cancel", weight=6, act=on_jobs("cancel")),
    Event(name="cancel now", weight=4, act=on_jobs("cancel", "--now")),
    Event(name="cancel, CLI killed", weight=3, act=on_jobs("cancel", kill=True)),
    Event(name="hold", weight=4, act=on_jobs("hold")),
    Event(name="requeue", weight=5, act=on_jobs("requeue")),
    Event(name="priority", weight=3, act=prioritize),
    Event(name="kill -9 agent", weight=10, act=disturb.kill_agent),
    Event(name="kill -9 shim", weight=10, act=disturb.kill_shim),
    Event(name="kill -9 agent and all shims", weight=2, act=disturb.kill_everything),
    Event(name="kill -9 task", weight=5, act=disturb.kill_task),
    Event(name="kill -9 grandchild", weight=4, act=disturb.kill_grandchild),
    Event(name="agent stopped and continued", weight=5, act=disturb.pause_agent),
    Event(name="clock jump", weight=5, act=disturb.jump_clock),
    Event(name="store locked", weight=5, act=disturb.lock_store),
    Event(name="disk full", weight=5, act=disturb.fill_disk),
)


def happen(stage: Stage) -> None:
    """Let one event happen in one of the worlds."""
    world = stage.rng.choices(stage.worlds, (3, 2))[0]
    event = stage.rng.choices(EVENTS, [event.weight for event in EVENTS])[0]
    if event.act(stage, world):
        stage.history.note(event.name)
