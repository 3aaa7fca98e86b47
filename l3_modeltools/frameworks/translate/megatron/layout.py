"""The grammar of `--pipeline-model-parallel-layout`: what each stage holds, in the order a token meets it.

E, t, m and L are embedding, decoder layer, multi-token-prediction layer and loss; `|` parts stages, `x*n` and
`(…)*n` repeat, commas mean nothing.
Source: NVIDIA/Megatron-LM@d98e8a6 megatron/core/transformer/pipeline_parallel_layer_layout.py.
"""

import re
from collections.abc import Sequence

from l3_modeltools.frameworks.translate.stages import runs

__all__ = ["MOST_STAGES", "parse_layout", "write_layout"]

MOST_STAGES = 100_000
MOST_TEXT = 1_000_000
GROUP, ONE = re.compile(r"\(([^)]+)\)\*(\d+)"), re.compile(r"(.)\*(\d+)")


def parse_layout(text: str) -> list[int]:
    """Layers of each stage, decoder and multi-token-prediction ones together. Raises ValueError, saying why."""
    written = text.replace(",", "")
    for pattern in (GROUP, ONE):
        if sum(len(one[1]) * int(one[2]) for one in pattern.finditer(written)) > MOST_TEXT:
            raise ValueError("repeats too much")
        written = pattern.sub(lambda one: one[1] * int(one[2]), written)
    strange = sorted(set(written) - set("EtmL|"))
    if strange:
        raise ValueError(f"`{strange[0]}` is neither E, t, m, L nor |")
    if (
        not written.startswith("E")
        or not written.endswith("L")
        or written.count("E") + written.count("L") != 2
    ):
        raise ValueError("it must begin with the one E and end with the one L")
    return [stage.count("t") + stage.count("m") for stage in written.split("|")]


def write_layout(stages: Sequence[int], further: int) -> str:
    """Write stages that hold so many decoder layers, the last one those for multi-token prediction too."""
    words = [_stage(held, 0) for held in stages]
    words[-1] = _stage(stages[-1], further) + "L"
    words[0] = "E" + words[0]
    numbers = [words.index(word) for word in words]
    parts = [words[which] if count == 1 else f"({words[which]}|)*{count}" for which, count in runs(numbers)]
    text = ""
    for part in parts:
        text += part if part.startswith("(") else f"{part}|"
    return text.removesuffix("|")


def _stage(decoders: int, further: int) -> str:
    return "".join(
        letter if count == 1 else f"{letter}*{count}"
        for letter, count in (("t", decoders), ("m", further))
        if count
    )
