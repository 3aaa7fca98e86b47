"""The environment of a command that is told of an event: the facts, and nothing of the job's that may be a secret."""

from collections.abc import Mapping

from l0_infra.core.errors import printable
from l3_modeltools.resilience.event import Event

__all__ = ["KEPT", "facts_of", "told_environment"]

KEPT = frozenset(
    [
        "DBUS_SESSION_BUS_ADDRESS",
        "DISPLAY",
        "HOME",
        "LANG",
        "LANGUAGE",
        "LC_ALL",
        "LC_CTYPE",
        "LD_LIBRARY_PATH",
        "LOGNAME",
        "OGAI_HOME",
        "PATH",
        "SHELL",
        "TMPDIR",
        "TZ",
        "USER",
        "WAYLAND_DISPLAY",
        "XAUTHORITY",
        "XDG_DATA_HOME",
        "XDG_RUNTIME_DIR",
    ]
)
"""What programs need to find each other, the person's language, desktop and runs; all else may be a secret."""

LONGEST = 1000
"""Characters of the sentence: a variable has less room than standard input."""


def facts_of(event: Event) -> dict[str, str]:
    """Return the facts by the names that docs/resilience.md gives them; what an event does not have is empty."""
    fault = event.fault
    return {
        "OGAI_EVENT": event.event,
        "OGAI_RUN_ID": event.run,
        "OGAI_RUN_STATE": event.state,
        "OGAI_STEP": "" if event.step is None else str(event.step),
        "OGAI_FAULT_ID": "" if fault is None else str(fault.fault_id),
        "OGAI_FAULT_CLASS": "" if fault is None else fault.fault_class,
        "OGAI_TEXT": printable(event.text)[:LONGEST],
    }


def told_environment(event: Event, environment: Mapping[str, str]) -> dict[str, str]:
    """Return what a command sees that is told of `event` in a job of this environment."""
    return {name: environment[name] for name in KEPT & environment.keys()} | facts_of(event)
