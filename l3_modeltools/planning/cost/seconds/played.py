"""What virtual stages of unlike length make each other wait, beyond the bubble: told by playing the schedule.

Ranks take turns in step, one virtual stage after the other. Where the longest turns of all virtual stages are one
rank's, that rank sets the pace and the formula of a step has it all; where they are different ranks', each holds up the
others in its turn.
"""

from l3_modeltools.planning.cost.seconds.exchange import hand_over_s
from l3_modeltools.planning.cost.seconds.rates import Rates
from l3_modeltools.planning.cost.seconds.stages import chunk_times
from l3_modeltools.planning.cost.setting import Setting
from l3_modeltools.planning.schedule import Pace, simulate

__all__ = ["hand_over_of", "pace_of", "played_s"]

ROUNDS = 3
"""Groups of pp micro batches that are played: the others take as long as the last of them."""

ALIKE = 1e-6


def hand_over_of(setting: Setting, rates: Rates) -> float:
    """Seconds to hand a micro batch on to the next stage and its gradients back; 0 without stages."""
    degrees = setting.strategy.degrees
    if degrees.pp == 1:
        return 0.0
    stream = 2 * setting.micro_tokens * setting.architecture.hidden_size / degrees.tp
    return 2 * hand_over_s(rates, stream, degrees.tp * degrees.cp * degrees.dp)


def pace_of(setting: Setting, rates: Rates) -> Pace:
    """Seconds of every turn of a step."""
    chunks = chunk_times(setting, rates)
    return Pace(
        forward=tuple(tuple(one.forward for one in row) for row in chunks),
        backward=tuple(tuple(one.backward for one in row) for row in chunks),
        weights=tuple(tuple(min(one.weight_gradients, one.backward) for one in row) for row in chunks),
        hand_over=hand_over_of(setting, rates) / 2,
    )


def played_s(setting: Setting, rates: Rates) -> float | None:
    """Seconds of all turns, played; None where the formula tells them: see above.

    With a zero-bubble schedule it is what is put off that fills waits, where a rank sees fit: that is no fixed order,
    in which a turn that ends sooner can make no step longer, and is left to the formula.
    """
    if setting.strategy.degrees.vp == 1 or setting.strategy.pipeline.schedule != "interleaved":
        return None
    pace = pace_of(setting, rates)
    turns = [
        [forward + backward for forward, backward in zip(*rows, strict=True)]
        for rows in zip(pace.forward, pace.backward, strict=True)
    ]
    longest = max(map(sum, zip(*turns, strict=True)))
    return None if sum(map(max, turns)) <= longest * (1 + ALIKE) else _length(setting, pace)


def _length(setting: Setting, pace: Pace) -> float:
    """From the first turn to the end of the last."""
    schedule, pp, count = (
        setting.strategy.pipeline.schedule,
        setting.strategy.degrees.pp,
        setting.microbatches,
    )
    few = ROUNDS * pp
    if count <= few or count % pp:
        return simulate(pace, schedule, count).length
    length = simulate(pace, schedule, few).length
    return length + (count - few) / pp * (length - simulate(pace, schedule, few - pp).length)
