"""torchtitan's command line: `--section.field value`, and a word that chooses the policy of checkpointing."""

import json
from collections.abc import Sequence

from l3_modeltools.frameworks.translate.config import Found, Value
from l3_modeltools.frameworks.translate.reading import argument_values
from l3_modeltools.frameworks.translate.torchtitan.pipeline import MODULES

__all__ = ["torchtitan_values"]

POLICIES = "activation-checkpoint:", "activation_checkpoint:"


def torchtitan_values(argv: Sequence[str], source: str) -> dict[str, Found]:
    """Values by the names of the dataclasses, however tyro lets them be written."""
    values = {"activation_checkpoint.selective_ac_option": Found(value="op", where="its default")}
    for name, found in argument_values(argv, flags={}, known=frozenset(), source=source).items():
        if name.startswith(POLICIES):
            policy = name.partition(":")[2]
            values["activation_checkpoint.mode"] = Found(value=policy, where=found.where)
            continue
        section, dot, field = name.removeprefix("--").partition(".")
        negated = field.startswith(("no-", "no_")) and found.value is True
        word = field.removeprefix("no-").removeprefix("no_") if negated else field
        whole = f"{section}{dot}{word}".replace("-", "_")
        value = _nested(found.value) if whole == MODULES else False if negated else found.value
        values[whole] = Found(value=value, where=found.where)
    return values


def _nested(value: Value) -> Value:
    """A list of lists in one word, as JSON."""
    try:
        parts = json.loads(str(value).replace("'", '"'))
    except ValueError:
        return value
    if not isinstance(parts, list) or not all(isinstance(part, list) for part in parts):
        return value
    return tuple(tuple(map(str, part)) for part in parts)
