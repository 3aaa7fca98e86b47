"""Judge a host's key by known_hosts files (format: sshd(8), SSH_KNOWN_HOSTS), and add to them."""

import base64
import fcntl
import hashlib
import hmac
import os
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from stat import S_ISREG
from typing import Literal

__all__ = [
    "KnownHost",
    "add_known_host",
    "fingerprint",
    "judge_key",
    "parse_known_hosts",
    "read_known_hosts",
]


GLOBS = frozenset("*?!")


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownHost:
    """One line: `hosts` is a hashed name or patterns with commas; `key` is base64; `where` is file:line."""

    hosts: str
    key_type: str
    key: str
    marker: str = ""
    where: str = ""

    def matches(self, name: str) -> bool:
        """Tell whether the line speaks of a host; `name` is `host` or `[host]:port`."""
        if self.hosts.startswith("|1|"):
            return _matches_hash(self.hosts, name)
        patterns = self.hosts.lower().split(",")
        if not GLOBS & set(self.hosts):
            return name.lower() in patterns
        if any(fnmatchcase(name.lower(), _glob(p[1:])) for p in patterns if p.startswith("!")):
            return False
        return any(fnmatchcase(name.lower(), _glob(p)) for p in patterns if not p.startswith("!"))


def parse_known_hosts(text: str, file: str = "known_hosts") -> tuple[KnownHost, ...]:
    """Read a file's lines; what is no entry is skipped, as ssh does."""
    entries = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        marker = words.pop(0) if words and words[0].startswith("@") else ""
        if len(words) >= 3 and not words[0].startswith("#"):
            hosts, key_type, key = words[:3]
            entries.append(
                KnownHost(hosts=hosts, key_type=key_type, key=key, marker=marker, where=f"{file}:{number}")
            )
    return tuple(entries)


def read_known_hosts(files: Iterable[str]) -> tuple[KnownHost, ...]:
    """Read several files in order; a missing one has no entries."""
    return tuple(entry for file in files for entry in _entries(file))


def _entries(file: str) -> tuple[KnownHost, ...]:
    """Return a file's entries; they are kept while it does not change, for many hosts are looked for in it."""
    try:
        state = Path(file).stat()
    except OSError:
        return ()
    if not S_ISREG(state.st_mode):
        return ()
    return _entries_as_of(file, (state.st_dev, state.st_ino, state.st_size, state.st_mtime_ns))


@lru_cache(maxsize=8)
def _entries_as_of(file: str, _: tuple[int, int, int, int]) -> tuple[KnownHost, ...]:
    return parse_known_hosts(Path(file).read_text("utf-8", errors="replace"), file)


def judge_key(
    entries: Iterable[KnownHost], name: str, key_type: str, key: str
) -> tuple[Literal["known", "unknown", "changed", "revoked"], str]:
    """Judge the key a host shows, and say which line decided.

    A host that is known only by keys of other types and shows this one is "changed": it was asked for the
    known types first, so it has lost its keys or is another host. Certificate authorities are not consulted.
    """
    mine = [entry for entry in entries if entry.matches(name) and entry.marker != "@cert-authority"]
    same = [entry for entry in mine if (entry.key_type, entry.key) == (key_type, key)]
    if revoked := [entry for entry in same if entry.marker == "@revoked"]:
        return "revoked", revoked[0].where
    if same:
        return "known", same[0].where
    others = [entry for entry in mine if not entry.marker]
    return ("changed", others[0].where) if others else ("unknown", "")


def add_known_host(file: str, name: str, key_type: str, key: str, *, hashed: bool) -> None:
    """Append a host's key; several writers do not mix their lines."""
    path = Path(file)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    line = f"{hash_name(name, os.urandom(20)) if hashed else name} {key_type} {key}\n"
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "rb+", buffering=0) as stream:
        fcntl.flock(stream, fcntl.LOCK_EX)
        size = stream.seek(0, os.SEEK_END)
        complete = size == 0 or os.pread(descriptor, 1, size - 1) == b"\n"
        stream.write((line if complete else f"\n{line}").encode())
        os.fsync(descriptor)


def hash_name(name: str, salt: bytes) -> str:
    """Hash a host name as HashKnownHosts does: HMAC-SHA1 of the name under a salt."""
    digest = hmac.new(salt, name.encode(), hashlib.sha1).digest()
    return f"|1|{base64.b64encode(salt).decode()}|{base64.b64encode(digest).decode()}"


def fingerprint(key: str) -> str:
    """Return the SHA256 fingerprint of a base64 key, as `ssh-keygen -l` prints it."""
    digest = hashlib.sha256(base64.b64decode(key)).digest()
    return f"SHA256:{base64.b64encode(digest).decode().rstrip('=')}"


def _matches_hash(hosts: str, name: str) -> bool:
    _, _, salt, _ = (hosts.split("|") + [""] * 4)[:4]
    try:
        return hmac.compare_digest(hash_name(name, base64.b64decode(salt)), hosts)
    except ValueError:
        return False


def _glob(pattern: str) -> str:
    return pattern.replace("[", "[[]")
