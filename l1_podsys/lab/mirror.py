"""Where this machine takes Debian's packages from, so that a lab takes them from there too."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from l0_infra.core.exec import Command, Runner

__all__ = [
    "Mirror",
    "Source",
    "choose_mirror",
    "image_archive",
    "parse_settings",
    "parse_sources",
    "probe_mirror",
]

ARCHIVE = "http://deb.debian.org/debian"
SECURITY = "http://deb.debian.org/debian-security"
SOURCES = "etc/apt/sources.list.d/debian.sources"
"""Where `image.sh` writes them in an image."""
CODENAMES = ("bullseye", "bookworm", "trixie", "forky", "stable", "testing", "sid")

KEPT = re.compile(r'Acquire::((?:https?|ftp)(?:::|\b)[^"]*|Check-[^"]*|ForceIPv[46]|Retries) "[^"]+";')
ONE_LINE = re.compile(r"deb\s+(?:\[[^\]]*\]\s+)?(?P<uri>\S+)\s+(?P<suite>\S+)")


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """One place apt takes packages from."""

    uri: str
    suites: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Mirror:
    """Where packages come from; `settings` are lines of apt.conf, `authorities` certificates this machine adds."""

    archive: str = ARCHIVE
    security: str = SECURITY
    settings: tuple[str, ...] = ()
    authorities: tuple[Path, ...] = ()


def parse_sources(text: str) -> tuple[Source, ...]:
    """Read apt's sources, both ways of writing them (sources.list(5))."""
    return (*_stanzas(text), *_lines(text))


def parse_settings(text: str) -> tuple[str, ...]:
    """Keep of `apt-config dump` how packages are fetched: proxies, certificates, checks of dates."""
    return tuple(line for line in text.splitlines() if KEPT.fullmatch(line))


def choose_mirror(sources: tuple[Source, ...]) -> Mirror:
    """Take the first source of Debian's own archive and of its security updates; Debian's servers without one."""
    found = Mirror()
    archive = next((one.uri for one in sources if _has(one, CODENAMES)), found.archive)
    security = next(
        (one.uri for one in sources if _has(one, [f"{name}-security" for name in CODENAMES])), found.security
    )
    return Mirror(archive=archive.rstrip("/"), security=security.rstrip("/"))


def probe_mirror(
    runner: Runner,
    archive: str | None = None,
    *,
    apt: Path = Path("/etc/apt"),
    own: Path = Path("/usr/local/share"),
) -> Mirror:
    """Read this machine's apt configuration where `archive` does not say otherwise; else Debian's own servers."""
    lists = [apt / "sources.list", *sorted((apt / "sources.list.d").glob("*"))]
    texts = [file.read_text(errors="replace") for file in lists if file.is_file()]
    chosen = choose_mirror(tuple(source for text in texts for source in parse_sources(text)))
    dump = runner.run(Command(argv=("apt-config", "dump", "Acquire")))
    return Mirror(
        archive=chosen.archive if archive is None else archive.rstrip("/"),
        security=chosen.security,
        settings=parse_settings(dump.stdout),
        authorities=tuple(sorted((own / "ca-certificates").glob("**/*.crt"))),
    )


def image_archive(image: Path) -> str:
    """Read where the hosts that start from an image take Debian's packages from."""
    return choose_mirror(parse_sources((image / SOURCES).read_text())).archive


def _has(source: Source, suites: tuple[str, ...] | list[str]) -> bool:
    return not set(suites).isdisjoint(source.suites) and source.uri.startswith(("http://", "https://"))


def _stanzas(text: str) -> Iterator[Source]:
    for stanza in re.split(r"\n\s*\n", text):
        fields = {}
        for line in stanza.splitlines():
            name, colon, value = line.partition(":")
            if colon and not line.startswith((" ", "\t", "#")):
                fields[name.lower()] = value.split()
        if "deb" in fields.get("types", []) and "no" not in fields.get("enabled", []):
            for uri in fields.get("uris", []):
                yield Source(uri=uri, suites=tuple(fields.get("suites", [])))


def _lines(text: str) -> Iterator[Source]:
    for line in text.splitlines():
        if match := ONE_LINE.match(line):
            yield Source(uri=match["uri"], suites=(match["suite"],))
