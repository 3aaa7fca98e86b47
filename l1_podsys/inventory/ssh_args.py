"""Options of ssh as an inventory gives them, and those of them that a cluster's document has a field for."""

import re
import shlex
from collections.abc import Iterator, Mapping

from l1_podsys.inventory.listed import Typed

__all__ = ["values_of_args"]

OPTIONS: Mapping[str, str] = {
    "proxyjump": "proxy_jump",
    "identityfile": "identity_file",
    "userknownhostsfile": "known_hosts_file",
    "port": "port",
    "user": "user",
}
FLAGS: Mapping[str, str] = {"-J": "proxyjump", "-i": "identityfile", "-p": "port", "-l": "user"}
THROUGH = re.compile(
    r"ssh\s+(?:-q\s+)?(?:-W\s*\[?%h\]?:%p\s+(?P<last>[\w.@:-]+)|(?P<first>[\w.@:-]+)\s+-W\s*\[?%h\]?:%p)"
)
"""A ProxyCommand that means no more than a ProxyJump."""


def values_of_args(typed: Typed) -> tuple[dict[str, Typed], tuple[str, ...]]:
    """Take what is understood of a line of options, and name the others."""
    values: dict[str, Typed] = {}
    rest: list[str] = []
    for option, value in _options(typed.text):
        jump = THROUGH.fullmatch(value.strip()) if option.lower() == "proxycommand" else None
        field = "proxy_jump" if jump else OPTIONS.get(option.lower())
        if field is None or value in ("/dev/null", "none"):
            rest.append(f"{option}={value}" if value else option)
        else:
            values[field] = Typed(text=(jump["last"] or jump["first"]) if jump else value, line=typed.line)
    return values, tuple(rest)


def _options(text: str) -> Iterator[tuple[str, str]]:
    """Yield names and values; `-o Name=value`, `-oName value`, `-J host`."""
    try:
        words = shlex.split(text)
    except ValueError:
        yield text, ""
        return
    while words:
        word = words.pop(0)
        if word.startswith("-o"):
            setting = word[2:] or (words.pop(0) if words else "")
            name, _, value = (
                setting.replace(" ", "=", 1).partition("=") if "=" not in setting else setting.partition("=")
            )
            yield name.strip(), value.strip()
        elif word in FLAGS and words:
            yield FLAGS[word], words.pop(0)
        else:
            yield word, ""
