"""Where a shell looks for a user's completions, and putting ours there."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from l0_infra.core.errors import UnsatisfiableError
from l0_infra.core.store import save_file

__all__ = ["SHELLS", "Place", "Shell", "plan_place", "save"]

Shell = Literal["bash", "zsh", "fish"]
SHELLS: tuple[Shell, ...] = ("bash", "zsh", "fish")


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """The file a shell reads, and what a person still has to do for it to be read."""

    path: Path
    instruction: str


def plan_place(shell: Shell, environ: Mapping[str, str], home: Path) -> Place:
    """Decide where the completion script of one user belongs."""
    data = Path(environ.get("XDG_DATA_HOME") or home / ".local/share")
    config = Path(environ.get("XDG_CONFIG_HOME") or home / ".config")
    if shell == "bash":
        path = data / "bash-completion/completions/ogai"
        return Place(
            path=path, instruction="open a new shell (the package bash-completion must be installed)"
        )
    if shell == "fish":
        return Place(path=config / "fish/completions/ogai.fish", instruction="open a new shell")
    path = data / "zsh/site-functions/_ogai"
    return Place(path=path, instruction=f"put before compinit in ~/.zshrc: fpath+=({path.parent})")


def save(script: str, path: Path) -> bool:
    """Write the script; False when it was there already. UnsatisfiableError when it cannot be written."""
    try:
        if path.is_file() and path.read_text(encoding="utf-8") == script:
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        save_file(path, script.encode())
    except OSError as error:
        raise UnsatisfiableError(
            str(path),
            found=error.strerror or str(error),
            expected="a file this user may write",
            hint="print the script instead and source it from your shell's startup file",
        ) from error
    return True
