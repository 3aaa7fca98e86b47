"""Tables, configurations and documents made wrong, given to the commands that read them."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from l0_infra.core.documents import render_document
from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.architectures import PRESETS
from l3_modeltools.frameworks.translate import TABLES, export_strategy
from l3_modeltools.schemas import Strategy
from planner.commands import CPU_S, Said, say
from planner.mutations import mutated
from tests.support.strategies import legal_strategies

__all__ = ["COMMANDS", "Tried", "try_command"]

HEADING = (
    "dataset,model,hidden,ffn,layers,heads,kv_heads,vocab,gated_mlp,gpu,precision,framework,gpus,tp,pp,cp,vp,dp,fsdp,"
    "zero_stage,ep,mbs,gbs,seq_len,recompute,iter_s,tokens_per_s_per_gpu,peak_mem_gib,note,source"
)
ROWS = (
    "ours,small,2048,5632,24,16,8,32000,1,h100-sxm-80,bf16,megatron,16,2,4,1,1,2,0,,1,1,64,4096,none,2.5,,41.5,,own",
    "ours,wide,4096,11008,32,32,32,50304,0,A100-80GB,fp16,,8,8,1,1,1,1,0,1,1,2,32,2048,full,,1400,30,ZeRO-1,own",
    "theirs,moe,1024,4096,12,16,16,32000,1,h100-sxm-80,bf16,torchtitan,8,1,1,1,1,8,1,3,1,2,16,8192,selective,0.9,,,,x",
    "theirs,long,2048,8192,16,16,4,128256,1,MI300X,bf16,llama3,32,4,4,2,2,1,0,,1,1,8,16384,none,3,,,interleaved,x",
    "theirs,open,1024,,24,16,,51200,,A100-80GB,,,8,,,,,,,,,,64,2048,,1.1,,,,x",
)
REFUSAL = re.compile(r"^error: .+: found .+; expected .+", re.MULTILINE | re.DOTALL)
ALLOWED = (0, 2, 3, 4)
UNREAL = ("NaN", "Infinity", "-Infinity")


@dataclass(frozen=True, kw_only=True, slots=True)
class Tried:
    """A command line, what it was given, and how it ended."""

    words: tuple[str, ...]
    given: bytes
    said: Said
    wrong: tuple[str, ...]


def try_command(name: str, random: Random, folder: Path) -> Tried:
    """Give a command what is wrong in a random way, and look at how it takes it."""
    for left in folder.iterdir():
        if left.is_file():
            left.unlink()
    words, given = COMMANDS[name](random, folder)
    said = say(words, folder)
    return Tried(words=tuple(words), given=given, said=said, wrong=tuple(_wrong(words, said, folder)))


def _wrong(words: Sequence[str], said: Said, folder: Path) -> list[str]:
    found = []
    if said.code not in ALLOWED:
        found.append(f"exit code {said.code} after {said.seconds:.1f} s: {said.err[-1500:]}")
    if "Traceback" in said.err or "Warning" in said.err:
        found.append(f"a traceback or a warning: {said.err[-1500:]}")
    if said.code in (2, 3, 4) and not REFUSAL.search(said.err):
        found.append(f"no sentence with where, found and expected: {said.err[:500]!r}")
    if said.code in (2, 3) and (folder / "written").exists():
        found.append("refused, and yet the file was written")
    if said.seconds > CPU_S / 3:
        found.append(f"{said.seconds:.0f} s of a processor")
    if said.code == 0:
        found += _unreal(words, said.out)
    return found


def _unreal(words: Sequence[str], out: str) -> list[str]:
    """A document that is printed is JSON with finite numbers only."""
    if "json" not in words:
        return [] if out.strip() or "--to" in words or "--file" in words else ["nothing was printed"]
    strange: list[str] = []
    try:
        json.loads(out, parse_constant=strange.append)
    except ValueError as error:
        return [f"no JSON: {error}: {out[:200]!r}"]
    return [f"{word} in what is printed" for word in strange]


def _table(random: Random, folder: Path) -> bytes:
    rows = random.sample(ROWS, random.choice([1, 1, 2, 3]))
    given = mutated("\n".join((HEADING, *rows)) + "\n", random)
    (folder / "given").write_bytes(given)
    return given


def _score(random: Random, folder: Path) -> tuple[list[str], bytes]:
    return ["strategy", "score", "given", *_printed(random), *random.choice([[], ["--each"]])], _table(
        random, folder
    )


def _calibrate(random: Random, folder: Path) -> tuple[list[str], bytes]:
    words = ["strategy", "calibrate", "given", "--to", "written", *_printed(random)]
    return words, _table(random, folder)


def _import(random: Random, folder: Path) -> tuple[list[str], bytes]:
    """A file, or arguments as they are typed."""
    strategy, framework, text, argv = _written(random)
    words = ["strategy", "import", *_printed(random)]
    words += random.choice([[], ["--from", framework]])
    words += random.choice([[], ["--model", random.choice(PRESETS)]])
    words += random.choice([[], ["--world-size", str(strategy.degrees.world_size)]])
    words += random.choice([[], ["--to", "written"]])
    given = mutated(text, random)
    if argv and random.random() < 0.5:
        typed = [part for part in given.decode("utf-8", "replace").replace("\0", "").split("\n") if part]
        return [*words, "--", *(typed or ["--x"])], given
    (folder / "given").write_bytes(given)
    return [*words, "given"], given


def _written(random: Random) -> tuple[Strategy, str, str, bool]:
    while True:
        strategy, framework = _strategy(random), random.choice(tuple(TABLES))
        try:
            exported = export_strategy(strategy, framework)
        except UnsatisfiableError:
            continue
        text = "\n".join(exported.argv) or next(iter(exported.files.values()))
        return strategy, framework, text, bool(exported.argv)


def _export(random: Random, folder: Path) -> tuple[list[str], bytes]:
    words = ["strategy", "export", "given", "--to", random.choice(tuple(TABLES)), *_printed(random)]
    words += random.choice([[], ["--file", "written"]])
    return words, _document(random, folder)


def _explain(random: Random, folder: Path) -> tuple[list[str], bytes]:
    words = [
        "strategy",
        "explain",
        "given",
        "--device",
        random.choice(["h100-sxm-80", "mi300x", "v100-sxm2-32"]),
    ]
    words += random.choice([[], ["--framework", random.choice(["megatron", "torchtitan", "ogai"])]])
    words += random.choice(
        [[], [], ["--term", random.choice(["bubble", "activations", "x"])], ["--stage", "1"]]
    )
    return [*words, *_printed(random), *random.choice([[], ["--html", "written"]])], _document(random, folder)


def _document(random: Random, folder: Path) -> bytes:
    given = mutated(render_document(_strategy(random)), random)
    (folder / "given").write_bytes(given)
    return given


def _strategy(random: Random) -> Strategy:
    (strategy,) = legal_strategies(1, random.randrange(2**32), models=PRESETS)
    return strategy


def _printed(random: Random) -> list[str]:
    return random.choice([[], ["-o", "json"]])


COMMANDS: Mapping[str, Callable[[Random, Path], tuple[list[str], bytes]]] = {
    "score": _score,
    "calibrate": _calibrate,
    "import": _import,
    "export": _export,
    "explain": _explain,
}
