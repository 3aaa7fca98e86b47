"""What a trainer said of one step, whatever it calls things: one struct, its other names, and how a line is read."""

import json
import math
from collections.abc import Iterator, Mapping

import msgspec

from l0_infra.core.documents import Count

__all__ = ["OTHER_NAMES", "Metric", "measured", "merge_metrics", "parse_metrics"]


class Metric(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """What is known of one optimizer step; None: not told."""

    step: Count
    """Optimizer steps done, from 1."""
    at: float | None = None
    """When the step ended, in seconds since the epoch."""
    monotonic_s: float | None = None
    """The same by CLOCK_MONOTONIC of the node, which nobody can set."""
    loss: float | None = None
    """Mean over the tokens of the step, in nats."""
    learning_rate: float | None = None
    grad_norm: float | None = None
    """Before clipping."""
    validation_loss: float | None = None
    tokens: float | None = None
    """Tokens trained on since the first step."""
    tokens_per_s: float | None = None
    step_s: float | None = None
    memory_bytes: float | None = None
    """Highest of a rank."""
    mfu: float | None = None
    """Model FLOPs utilisation, as a share of 1."""
    extra: Mapping[str, object] = msgspec.field(default_factory=dict)
    """What else the line held."""


OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "step": ("global_step", "iteration"),
    "at": ("timestamp", "wall_time"),
    "monotonic_s": (),
    "loss": ("train/loss", "train_loss", "training_loss", "loss/train"),
    "learning_rate": ("lr", "train/lr", "train/learning_rate"),
    "grad_norm": ("train/grad_norm", "gradient_norm"),
    "validation_loss": (
        "val/loss",
        "val_loss",
        "eval/loss",
        "eval_loss",
        "valid/loss",
        "validation/loss",
        "loss/val",
        "loss/validation",
    ),
    "tokens": ("tokens_seen", "train/tokens", "num_input_tokens_seen"),
    "tokens_per_s": ("tokens_per_second", "tokens_per_sec", "tokens/s"),
    "step_s": ("step_time", "step_time_s"),
    "memory_bytes": ("max_memory_bytes", "peak_memory_bytes"),
    "mfu": ("train/mfu",),
}
"""What trainers call the fields too, in JSON lines and as TensorBoard tags; capitals do not matter."""

DIVERGING = frozenset(("loss", "grad_norm", "validation_loss"))
"""What may be no finite number and still tell something; of any other field that tells nothing."""

DECODER = json.JSONDecoder()
OWN_WORDS = msgspec.json.Decoder(Metric)
FIELDS = tuple(name for name in Metric.__struct_fields__ if name != "extra")
FIELD_OF = {name: field for field, others in OTHER_NAMES.items() for name in (field, *others)}


def parse_metrics(line: bytes) -> Iterator[Metric]:
    """Yield what a line tells; a line that was cut off, of no step or no JSON tells nothing.

    Whole objects are found behind one that was cut off, as a trainer writes them that goes on after a kill.
    """
    own = _in_own_words(line)
    yield from _in_other_words(line) if own is None else (own,)


def _in_own_words(line: bytes) -> Metric | None:
    """Decode a line that holds nothing but fields of `Metric`, ten times as fast as others; None for any other."""
    if b'"extra"' in line:  # a word of somebody else's that is the name of a field of ours
        return None
    try:
        return OWN_WORDS.decode(line)
    except msgspec.MsgspecError:
        return None


def _in_other_words(line: bytes) -> Iterator[Metric]:
    for fields in _objects(line.replace(b"\0", b"").decode(errors="replace").strip()):
        metric = _metric(fields)
        if metric is not None:
            yield metric


def measured(step: int, name: str, value: float, *, at: float) -> Metric:
    """Return the metric that says only that `name` was `value` after `step`."""
    field = FIELD_OF.get(name.lower(), "")
    if field in ("", "step", "at", "monotonic_s") or not _tells(field, value):
        return Metric(step=step, at=at, extra={name: value})
    return msgspec.structs.replace(Metric(step=step, at=at), **{field: value})


def merge_metrics(earlier: Metric, later: Metric) -> Metric:
    """Lay what was told later of a step over what was told earlier."""
    told = {name: value for name in FIELDS if (value := getattr(later, name)) is not None}
    extra = {**earlier.extra, **later.extra}
    return msgspec.structs.replace(earlier, **(told | {"extra": extra}))


def _metric(fields: Mapping[str, object]) -> Metric | None:
    known: dict[str, float] = {}
    extra: dict[str, object] = {}
    for name, value in fields.items():
        field, number = FIELD_OF.get(name.lower()), _number(value)
        if field is None or (number is None and value is not None):
            extra[name] = value
        elif number is not None and _tells(field, number) and (field not in known or name == field):
            known[field] = number
    step = known.pop("step", -1.0)
    if step < 0 or not step.is_integer():
        return None
    return msgspec.structs.replace(Metric(step=int(step), extra=extra), **known)


def _tells(field: str, number: float) -> bool:
    return field in DIVERGING or math.isfinite(number)


def _number(value: object) -> float | None:
    """Return a JSON number, or one that is written as a text such as `"NaN"`; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except (ValueError, OverflowError):
        return None


def _objects(text: str) -> list[dict[str, object]]:
    """Return the JSON objects of a line: all of it, else those that it ends with."""
    start = 0
    while start >= 0:
        found = _sequence(text[start:])
        if found:
            return found
        start = text.find("{", start + 1)
    return []


def _sequence(text: str) -> list[dict[str, object]]:
    """Return the JSON objects that `text` is made of, one behind the other; none if anything else is there."""
    found: list[dict[str, object]] = []
    while text:
        try:
            value, end = DECODER.raw_decode(text)
        except (ValueError, RecursionError):
            return []
        if not isinstance(value, dict):
            return []
        found.append(value)
        text = text[end:].lstrip()
    return found
