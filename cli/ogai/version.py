"""The version, declared once; the project file takes it from here."""

__all__ = ["__version__"]

__version__ = "0.1.0"
