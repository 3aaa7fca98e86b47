"""A lab takes packages from where this machine does, however that is written down."""

from pathlib import Path

import pytest

from l0_infra.core.exec import Answer, ScriptedRunner
from l1_podsys.lab.mirror import (
    Mirror,
    choose_mirror,
    image_archive,
    parse_settings,
    parse_sources,
    probe_mirror,
)

CASES = Path(__file__).parents[2] / "cases" / "lab"
DUMP = ("apt-config", "dump", "Acquire")


@pytest.mark.parametrize(
    ("case", "archive", "security"),
    [
        ("deb822", "https://mirror.example.org/debian", "https://mirror.example.org/security"),
        ("one_line", "http://near.example.org/debian", "http://near.example.org/debian-security"),
    ],
)
def test_sources_of_both_kinds_tell_the_mirror(case: str, archive: str, security: str) -> None:
    text = (CASES / f"{case}.sources").read_text()
    assert choose_mirror(parse_sources(text)) == Mirror(archive=archive, security=security)


def test_where_an_image_takes_packages_from_is_read_from_it(tmp_path: Path) -> None:
    file = tmp_path / "etc/apt/sources.list.d/debian.sources"
    file.parent.mkdir(parents=True)
    file.write_text((CASES / "deb822.sources").read_text())
    assert image_archive(tmp_path) == "https://mirror.example.org/debian"


def test_a_machine_of_another_distribution_gets_debians_own_servers() -> None:
    ubuntu = "deb http://archive.example.org/ubuntu noble main\n"
    assert choose_mirror(parse_sources(ubuntu)) == Mirror()
    assert Mirror().archive == "http://deb.debian.org/debian"


def test_of_apts_settings_those_are_kept_that_say_how_packages_are_fetched() -> None:
    kept = parse_settings((CASES / "apt-config.txt").read_text())
    assert kept == (
        'Acquire::http::Proxy "http://proxy.example.org:3128";',
        'Acquire::http::Proxy::own.example.org "DIRECT";',
        'Acquire::https::CaInfo "/etc/ssl/our.pem";',
        'Acquire::Check-Valid-Until "false";',
        'Acquire::Retries "3";',
        'Acquire::ForceIPv4 "true";',
    )


def test_a_machine_is_read_with_its_certificates_and_the_word_given_wins(tmp_path: Path) -> None:
    (tmp_path / "apt" / "sources.list.d").mkdir(parents=True)
    (tmp_path / "apt" / "sources.list").write_text("deb http://old.example.org/debian bookworm main\n")
    sources = (CASES / "deb822.sources").read_text()
    (tmp_path / "apt" / "sources.list.d" / "ours.sources").write_text(sources)
    (tmp_path / "own" / "ca-certificates" / "ours").mkdir(parents=True)
    certificate = tmp_path / "own" / "ca-certificates" / "ours" / "root.crt"
    certificate.write_text("PEM")
    runner = ScriptedRunner().answer(DUMP, Answer(stdout='Acquire::Retries "5";\n'))
    found = probe_mirror(runner, apt=tmp_path / "apt", own=tmp_path / "own")
    assert found.archive == "http://old.example.org/debian"
    assert found.security == "https://mirror.example.org/security"
    assert (found.settings, found.authorities) == (('Acquire::Retries "5";',), (certificate,))
    given = probe_mirror(runner, "http://given.example.org/debian/", apt=tmp_path / "apt", own=tmp_path)
    assert given.archive == "http://given.example.org/debian"


def test_a_machine_without_apt_is_read_too(tmp_path: Path) -> None:
    runner = ScriptedRunner().answer(DUMP, Answer(exit_code=127, stderr="not found"))
    assert probe_mirror(runner, apt=tmp_path / "none", own=tmp_path / "none") == Mirror()
