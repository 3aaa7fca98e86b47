"""How strategies and what they cost look to a person."""

from ogai.render.strategy.export import print_exported
from ogai.render.strategy.import_ import print_understood
from ogai.render.strategy.score import print_calibration, print_score

__all__ = ["print_calibration", "print_exported", "print_score", "print_understood"]
