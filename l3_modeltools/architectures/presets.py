"""The architectures that ogai brings: documents beside this module, each with where its sizes are published."""

from functools import cache
from importlib.resources import files

from l0_infra.core.documents import parse_document
from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.schemas import Architecture

__all__ = ["PRESETS", "preset"]

FOLDER = files(__package__).joinpath("presets")

PRESETS: tuple[str, ...] = tuple(
    sorted(file.name.removesuffix(".yaml") for file in FOLDER.iterdir() if file.name.endswith(".yaml"))
)
"""Names of all presets, sorted."""


@cache
def preset(name: str) -> Architecture:
    """The architecture of that name; UnsatisfiableError with the nearest name if there is none."""
    if name not in PRESETS:
        from difflib import get_close_matches

        close = get_close_matches(name.lower(), PRESETS, n=1)
        raise UnsatisfiableError(
            "preset",
            found=f"`{name}`",
            expected=f"one of {', '.join(f'`{known}`' for known in PRESETS)}",
            hint=f"did you mean `{close[0]}`?" if close else "",
        )
    text = FOLDER.joinpath(f"{name}.yaml").read_text("utf-8")
    return parse_document(text, source=f"preset {name}", expect=Architecture)
