"""What a rank stands on before its first step: its data, what learns, its state, and where it goes on from."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from l3_modeltools.checkpoint import MemoryCopies, Shelf, architecture_sha256, owned_by
from l3_modeltools.data import Loader, open_dataset
from l3_modeltools.memory import available_memory
from l3_modeltools.resilience import Heart
from l3_modeltools.runs import RunLayout, reserve_journal
from l3_modeltools.training.drill import Drills
from l3_modeltools.training.learner import Learner, describe, make_learner
from l3_modeltools.training.logbook import Logbook
from l3_modeltools.training.plan import Plan
from l3_modeltools.training.report import Console
from l3_modeltools.training.seat import Seat
from l3_modeltools.training.state import Begun, LearnerState
from l3_modeltools.training.steps import micro_batches
from l3_modeltools.training.validate import validation_samples
from l3_modeltools.training.world import World

__all__ = ["Ground", "prepare_ground"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Ground:
    """One rank's part of a run that has its state, and has taken no step yet."""

    plan: Plan
    world: World
    heart: Heart
    console: Console
    logbook: Logbook
    loader: Loader
    learner: Learner
    drills: Drills
    copies: MemoryCopies
    state: LearnerState
    begun: Begun

    @property
    def done(self) -> int:
        """The last step that is done."""
        return self.begun.position.step

    @property
    def rows(self) -> Sequence[range]:
        """The rows of the global batch that this rank works on, a micro batch at a time."""
        return micro_batches(
            global_batch=self.plan.data.global_batch_size,
            micro_batch=self.plan.strategy.micro_batch_size,
            rank=self.world.rank,
            ranks=self.world.size,
        )


def prepare_ground(plan: Plan, *, world: World, seat: Seat) -> Ground:
    """Open the data, make what learns and load the newest state. Raises OgaiError where one cannot be had."""
    console = Console(steps=plan.steps, quiet=not world.is_chief)
    say = console.say if world.is_chief else None
    logbook = Logbook(plan.directory, plan.run.run_id, seat.heart, say=say)
    if world.is_chief:
        reserve_journal(plan.directory)
    loader = _make_loader(plan)
    learner = make_learner(plan, world=world)
    console.say(describe(plan, learner, world=world))
    copies = _copies(plan, learner, world=world, seat=seat)
    drills = Drills(plan.directory, rank=world.rank, ranks=world.size, forget=copies.forget)
    state = _state(plan, learner, drills)
    return Ground(
        plan=plan,
        world=world,
        heart=seat.heart,
        console=console,
        logbook=logbook,
        loader=loader,
        learner=learner,
        drills=drills,
        copies=copies,
        state=state,
        begun=state.load(world=world, copies=copies, skipped=plan.run.skipped, logbook=logbook),
    )


def _make_loader(plan: Plan) -> Loader:
    data = plan.data
    datasets = [open_dataset(Path(part.dataset)) for part in data.mixture]
    wanted = validation_samples(data.sequence_length, global_batch=data.global_batch_size)
    return Loader(datasets, data, plan.train.objective, validation_samples=wanted)


def _copies(plan: Plan, learner: Learner, *, world: World, seat: Seat) -> MemoryCopies:
    """Make what copies the state in memory; only where all ranks are on this node, whose files it sees."""
    model = learner.model
    owned = owned_by(
        plan.run.run_id, model.inner, learner.optimizer, sharded=model.is_sharded, ranks=world.size
    )
    files = seat.memory if len(seat.memory) == world.size else ()
    limit_bytes = plan.train.resources.memory_bytes_per_node
    available = partial(available_memory, limit_bytes=limit_bytes, processes=world.size)
    return MemoryCopies(files, seat.local_rank, owned, available=available)


def _state(plan: Plan, learner: Learner, drills: Drills) -> LearnerState:
    return LearnerState(
        directory=plan.directory,
        shelf=Shelf(RunLayout(plan.directory).checkpoints),
        run=plan.run.run_id,
        architecture_sha256=architecture_sha256(plan.architecture),
        keep=plan.train.checkpoint,
        model=learner.model.inner,
        optimizer=learner.optimizer,
        before_write=drills.before_write,
    )
