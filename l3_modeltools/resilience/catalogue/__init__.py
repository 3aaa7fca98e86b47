"""Known errors of logs: the entries that ship with ogai and a person's own, matched in linear time."""

from l3_modeltools.resilience.catalogue.load import OWN_ERRORS, load_catalogue
from l3_modeltools.resilience.catalogue.match import COLOUR, STANDINGS, Catalogue, Match

__all__ = ["COLOUR", "OWN_ERRORS", "STANDINGS", "Catalogue", "Match", "load_catalogue"]
