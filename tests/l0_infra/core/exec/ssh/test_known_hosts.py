import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from l0_infra.core.exec.ssh.known_hosts import (
    add_known_host,
    fingerprint,
    hash_name,
    judge_key,
    parse_known_hosts,
    read_known_hosts,
)

KEY = "AAAAC3NzaC1lZDI1NTE5AAAAIGk5Vv0qkz0Jp3cKqY1oQ8ZtqfWmAQz0yZ8l8wS6mX1b"
OTHER = "AAAAC3NzaC1lZDI1NTE5AAAAIAbcVv0qkz0Jp3cKqY1oQ8ZtqfWmAQz0yZ8l8wS6mX1b"
ED = "ssh-ed25519"


@pytest.mark.parametrize(
    ("hosts", "name", "matches"),
    [
        ("n1", "n1", True),
        ("n1", "N1", True),
        ("n1", "n10", False),
        ("a,n1,10.0.0.1", "10.0.0.1", True),
        ("[n1]:2222", "[n1]:2222", True),
        ("[n1]:2222", "n1", False),
        ("n1", "[n1]:2222", False),
        ("*.lab", "n1.lab", True),
        ("n?", "n7", True),
        ("*.lab,!evil.lab", "evil.lab", False),
        ("*.lab,!evil.lab", "good.lab", True),
        ("!n1", "n2", False),
        (hash_name("n1", b"salt" * 5), "n1", True),
        (hash_name("n1", b"salt" * 5), "n2", False),
        ("|1|no base64|x", "n1", False),
    ],
)
def test_names_match_as_ssh_has_them(hosts: str, name: str, matches: bool) -> None:
    [entry] = parse_known_hosts(f"{hosts.replace(' ', '_')} {ED} {KEY} comment")
    assert entry.matches(name) is matches


@pytest.mark.parametrize(
    ("text", "verdict", "line"),
    [
        ("", "unknown", ""),
        (f"other {ED} {OTHER}", "unknown", ""),
        (f"# n1 {ED} {OTHER}\n\nn1\nn1 {ED} {KEY}", "known", "known_hosts:4"),
        (f"n1 {ED} {OTHER}", "changed", "known_hosts:1"),
        (f"n1 {ED} {OTHER}\nn1 {ED} {KEY}", "known", "known_hosts:2"),
        (f"n1 ssh-rsa {OTHER}", "changed", "known_hosts:1"),
        (f"n1 {ED} {KEY}\n@revoked * {ED} {KEY}", "revoked", "known_hosts:2"),
        (f"@cert-authority * {ED} {OTHER}", "unknown", ""),
    ],
)
def test_a_key_is_judged(text: str, verdict: str, line: str) -> None:
    assert judge_key(parse_known_hosts(text), "n1", ED, KEY) == (verdict, line)


@pytest.mark.parametrize("hashed", [False, True])
def test_what_is_added_is_found_again_by_us_and_by_ssh(tmp_path: Path, hashed: bool) -> None:
    file = tmp_path / "ssh" / "known_hosts"
    add_known_host(str(file), "n1", ED, OTHER, hashed=hashed)
    file.write_text(file.read_text().rstrip("\n"))
    add_known_host(str(file), "[n2]:2222", ED, KEY, hashed=hashed)
    entries = read_known_hosts([str(tmp_path / "none"), str(file)])
    assert judge_key(entries, "[n2]:2222", ED, KEY) == ("known", f"{file}:2")
    assert judge_key(entries, "n1", ED, OTHER) == ("known", f"{file}:1")
    assert ("[n2]" in file.read_text()) is not hashed  # base64 has no brackets
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    if shutil.which("ssh-keygen"):
        found = subprocess.run(
            ["ssh-keygen", "-F", "[n2]:2222", "-f", str(file)], capture_output=True, text=True
        )
        assert KEY in found.stdout


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen (Debian: openssh-client)")
def test_the_fingerprint_is_the_one_ssh_keygen_prints(tmp_path: Path) -> None:
    (tmp_path / "key.pub").write_text(f"{ED} {KEY}\n")
    printed = subprocess.run(
        ["ssh-keygen", "-l", "-f", str(tmp_path / "key.pub")], capture_output=True, text=True, check=True
    )
    assert fingerprint(KEY) == printed.stdout.split()[1]
