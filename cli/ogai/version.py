"""The version of what is installed, declared once in the project file."""

from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed

__all__ = ["version"]


def version() -> str:
    """Return the version, or `0+source` when the code runs without being installed."""
    try:
        return installed("ogai")
    except PackageNotFoundError:
        return "0+source"
