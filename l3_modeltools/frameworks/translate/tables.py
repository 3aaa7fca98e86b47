"""All frameworks whose configurations are read and written, and how one is recognised."""

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace

from l0_infra.core.errors import DocumentError, Fault, UnsatisfiableError, UsageError
from l3_modeltools.frameworks.translate.config import BadValue, Config, Found
from l3_modeltools.frameworks.translate.deepspeed import DEEPSPEED
from l3_modeltools.frameworks.translate.engine import read_with, write_with
from l3_modeltools.frameworks.translate.face import Exported, Imported
from l3_modeltools.frameworks.translate.megatron import FLAGS, MEGATRON, NAMES
from l3_modeltools.frameworks.translate.mindformers import DYNAMIC_MINDFORMERS, MINDFORMERS
from l3_modeltools.frameworks.translate.models import architecture_in
from l3_modeltools.frameworks.translate.reading import argument_values, toml_values, yaml_values
from l3_modeltools.frameworks.translate.table import Table
from l3_modeltools.frameworks.translate.told import Told
from l3_modeltools.frameworks.translate.torchtitan import OLDER_TORCHTITAN, TORCHTITAN
from l3_modeltools.frameworks.translate.torchtitan.words import torchtitan_values
from l3_modeltools.schemas import Architecture, Strategy

__all__ = ["TABLES", "export_strategy", "import_strategy", "recognise"]

TABLES: Mapping[str, Table] = {
    "megatron": MEGATRON,
    "torchtitan": TORCHTITAN,
    "torchtitan-toml": OLDER_TORCHTITAN,
    "deepspeed": DEEPSPEED,
    "mindformers": MINDFORMERS,
    "mindformers-2": DYNAMIC_MINDFORMERS,
}
"""By name: a framework, and with a suffix another of its configurations."""

OPTION = re.compile(r"(^|\s)--[a-z]+([-_.][a-z]+)+", re.MULTILINE)
SIGNS = {
    "deepspeed": ("zero_optimization", "train_micro_batch_size_per_gpu", "train_batch_size"),
    "mindformers": ("parallel_config", "recompute_config", "micro_batch_interleave_num"),
    "mindformers-2": ("parallelism",),
}
"""Sections or fields that only this framework's YAML or JSON has; the first that is found decides."""


def export_strategy(strategy: Strategy, framework: str, architecture: Architecture | None = None) -> Exported:
    """Write a strategy in a framework's words, and name what it has none for.

    Layers are counted from the workload's architecture, else from `architecture`. Raises UnsatisfiableError,
    naming the degree, for a strategy that the framework cannot run.
    """
    return write_with(_table(framework), Told.of(strategy, architecture))


def import_strategy(
    given: str | Sequence[str],
    framework: str | None = None,
    *,
    source: str = "configuration",
    architecture: Architecture | None = None,
    world_size: int | None = None,
) -> Imported:
    """Read a framework's configuration, a text or arguments; the framework is recognised unless told.

    `architecture` is the model's, where the configuration does not tell its sizes; `world_size` how many ranks there
    are, which few configurations say. Raises DocumentError with every fault, UsageError when nobody's configuration
    is recognised.
    """
    name = framework or recognise(given, source)
    values = _values(name, given, source)
    config = Config(source=source, values=values, architecture=architecture, world_size=world_size)
    known = architecture or _model(name, config)
    return read_with(_table(name), replace(config, architecture=known))


def _model(framework: str, config: Config) -> Architecture | None:
    try:
        return architecture_in(framework, config)
    except BadValue as bad:
        raise DocumentError(config.source, [bad.fault]) from None


def recognise(given: str | Sequence[str], source: str) -> str:
    """Say whose configuration it is. Raises UsageError when it is nobody's that is known."""
    if not isinstance(given, str):
        return _whose_arguments(given)
    if any(line.startswith("[") and line.rstrip().endswith("]") for line in given.splitlines()):
        return "torchtitan-toml"
    return _by_sections(given, source) or _by_options(given, source)


def _by_sections(text: str, source: str) -> str | None:
    try:
        roots = {name.split(".")[0] for name in yaml_values(text, source)}
    except DocumentError:
        if not OPTION.search(text):
            raise
        return None
    return next((framework for framework, signs in SIGNS.items() if roots.intersection(signs)), None)


def _by_options(text: str, source: str) -> str:
    if OPTION.search(text):
        return _whose_arguments(_words(text, source))
    raise UsageError(
        source,
        found="nobody's configuration that is known",
        expected=f"that of {', '.join(f'`{name}`' for name in TABLES)}",
        hint="say whose it is: --from megatron",
    )


def _words(text: str, source: str) -> list[str]:
    """The words of a shell script, its lines joined where it says so."""
    try:
        return shlex.split(text.replace("\\\n", " "), comments=True)
    except ValueError as error:
        fault = Fault(path=(), found=str(error).lower(), expected="words as a shell reads them", where=source)
        raise DocumentError(source, [fault]) from None


def _whose_arguments(argv: Sequence[str]) -> str:
    dotted = any(word.startswith(("--parallelism.", "--training.")) for word in argv)
    return "torchtitan" if dotted else "megatron"


def _values(framework: str, given: str | Sequence[str], source: str) -> dict[str, Found]:
    if framework == "torchtitan-toml" and isinstance(given, str):
        return toml_values(given, source)
    if framework in ("megatron", "torchtitan"):
        argv = _words(given, source) if isinstance(given, str) else given
        place = "argument" if not isinstance(given, str) else f"{source}: argument"
        if framework == "torchtitan":
            return torchtitan_values(argv, place)
        return argument_values(argv, flags=FLAGS, known=NAMES, source=place)
    if not isinstance(given, str):
        raise UsageError(source, found="arguments", expected=f"the text of a file for `{framework}`")
    return yaml_values(given, source)


def _table(framework: str) -> Table:
    if framework not in TABLES:
        known = ", ".join(f"`{name}`" for name in TABLES)
        raise UnsatisfiableError("framework", found=f"`{framework}`", expected=f"one of {known}")
    return TABLES[framework]
