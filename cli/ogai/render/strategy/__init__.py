"""How strategies and what they cost look to a person."""

from ogai.render.strategy.score import print_calibration, print_score

__all__ = ["print_calibration", "print_score"]
