"""Legal strategies by the hundred, the same ones for each seed."""

from collections.abc import Iterator, Sequence
from random import Random

from l3_modeltools.architectures import preset
from l3_modeltools.schemas import (
    Architecture,
    Degrees,
    Pipeline,
    Recompute,
    Strategy,
    Workload,
    balanced_offset,
    layers_by_stage,
)

__all__ = ["legal_strategies"]

MODELS = ("llama-3.1-8b", "llama-3.1-405b", "deepseek-v3", "gpt-3-175b", "yuan-1.0-245.7b")
LENGTH = 8192


def legal_strategies(
    count: int, seed: int, *, models: Sequence[str] = MODELS, length: int = LENGTH
) -> Iterator[Strategy]:
    """Yield so many strategies of some presets, each with a workload and without a fault."""
    random = Random(seed)
    while count:
        strategy = _strategy(random, preset(random.choice(models)), length)
        if not any(_faults(strategy)):
            count -= 1
            yield strategy


def _faults(strategy: Strategy) -> Iterator[object]:
    yield from strategy.degrees.faults()
    yield from strategy.recompute.faults()
    yield from strategy.faults()


def _strategy(random: Random, model: Architecture, length: int) -> Strategy:
    pp = random.choice([1, 1, 2, 3, 4, 8, 16])
    vp = random.choice([1, 1, 2, 3]) if pp > 1 else 1
    tp, dp = random.choice([1, 2, 4, 8]), random.choice([1, 2, 6, 8])
    degrees = Degrees(
        dp=dp,
        tp=tp,
        pp=pp,
        vp=vp,
        cp=random.choice([1, 1, 2, 4]),
        ep=random.choice([1, 2, 4]) if model.experts else 1,
        sequence_parallel=tp > 1 and random.random() < 0.7,
    )
    pipeline = Pipeline(
        schedule=random.choice(["interleaved" if vp > 1 else "1f1b", "zero_bubble"] if pp > 1 else ["1f1b"]),
        offset=_offset(random, model.layers, pp, vp),
    )
    plain = Strategy(degrees=degrees, pipeline=pipeline)
    stages = layers_by_stage(plain, model.layers)
    micro = random.choice([1, 2, 4])
    workload = Workload(
        architecture=model,
        sequence_length=length,
        global_batch_size=micro * dp * pp * random.randint(1, 4),
    )
    return Strategy(
        degrees=degrees,
        pipeline=pipeline,
        recompute=_recompute(random, stages),
        zero_stage=random.choice([0, 1, 2, 3]),
        micro_batch_size=micro,
        padded_vocab_size=_padded(random, model.vocab_size, tp),
        vocab_parallel=tp == 1 or random.random() < 0.7,
        workload=workload,
    )


def _padded(random: Random, vocabulary: int, tp: int) -> int | None:
    unit = random.choice([1, 64, 128]) * tp
    padded = -(-vocabulary // unit) * unit
    return padded if padded != vocabulary else None


def _offset(random: Random, layers: int, pp: int, vp: int) -> tuple[tuple[int, ...], ...] | None:
    table = [list(row) for row in balanced_offset(layers, pp, vp)]
    for _ in range(random.choice([0, 0, 1, 3])):
        table[random.randrange(vp)][random.randrange(pp)] += 1
        table[random.randrange(vp)][random.randrange(pp)] -= 1
    return tuple(map(tuple, table)) if any(map(any, table)) else None


def _recompute(random: Random, stages: tuple[tuple[int, ...], ...]) -> Recompute:
    mode = random.choice(["none", "selective", "full"])
    if mode == "none" or random.random() < 0.4:
        return Recompute(mode=mode)
    some = tuple(tuple(random.randint(0, max(0, held)) for held in row) for row in stages)
    if mode == "selective" or random.random() < 0.5:
        return Recompute(mode=mode, layers=some)
    left = [
        [held - taken for held, taken in zip(*rows, strict=True)] for rows in zip(stages, some, strict=True)
    ]
    further = tuple(tuple(random.randint(0, max(0, count)) for count in row) for row in left)
    gathering = tuple(tuple(random.randint(0, max(0, count)) for count in row) for row in left)
    return Recompute(mode=mode, layers=some, selective_layers=further, gathering_layers=gathering)
