"""The calibration that comes with the package."""

from functools import cache
from importlib.resources import files

from l0_infra.core.documents import parse_document
from l3_modeltools.schemas import Calibration

__all__ = ["load_calibration"]

FILE = "published.yaml"


@cache
def load_calibration() -> Calibration:
    """Read it; it was fitted to published runs, which it names."""
    text = files(__package__).joinpath(FILE).read_text(encoding="utf-8")
    return parse_document(text, source=FILE, expect=Calibration)
