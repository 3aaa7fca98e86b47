"""How a node is asked for its kernel's log: what may matter of it, and all of it for a support bundle."""

from importlib.resources import files

from l0_infra.facts.bundle import Source

__all__ = ["LOG"]

NEWEST = 100_000
"""Lines of the journal that are searched: some ten megabytes, a second or two."""

WHOLE_BYTES = 990_000
"""What a support bundle takes of it: the newest, as much as one source may print."""


def _script(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")


LOG = Source(
    name="kernel.log",
    program="dmesg",
    command="\n".join((f"set -- {NEWEST}", _script("log.sh"), _script("sieve.sh"), _script("pick.sh"))),
    whole="\n".join(
        (f"set -- {NEWEST}", _script("log.sh"), f"log >/dev/null || exit; log | tail -c {WHOLE_BYTES}")
    ),
    also=("dmesg*", "*kernel*log*", "kern.log*", "kmsg*", "syslog*", "messages*", "journal*"),
    marks=("NVRM: ", "kernel: ", "Linux version "),
)
