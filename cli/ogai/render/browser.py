"""Shows a file in the person's browser."""

import webbrowser
from collections.abc import Mapping
from pathlib import Path

__all__ = ["open_page"]

SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")
"""One of these variables is set where a browser can be seen; a browser for terminals is no help."""


def open_page(path: Path, environ: Mapping[str, str]) -> bool:
    """Open a file with the system's opener; False where there is none."""
    return any(environ.get(name) for name in SCREENS) and webbrowser.open(path.as_uri())
