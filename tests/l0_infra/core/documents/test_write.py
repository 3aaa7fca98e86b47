"""What is written reads back as the same document, whatever its texts look like."""

import json
import subprocess
import sys

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.core.documents import parse_document, render_document, render_json
from tests.l0_infra.core.documents.site import Host, Local, Nfs, Site

TRICKY = [
    "no", "010", "1e3", "~", "null", "2026-01-01", "", " a ", "a: b", "# c", "- d", "a\nb\n", "a\n\n  b",
    "\t", "é😀", "*a", "'", '"', "\\", "12:34:56", "0x1F", "1_000", "=", "<<", "a\u2028b", "\x85", "\x00\x1b",
    "|", "x" * 300,
]  # fmt: skip

texts = st.one_of(st.sampled_from(TRICKY), st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
hosts = st.builds(
    Host,
    name=texts,
    address=st.ip_addresses(v=4).map(str),
    serial=st.none() | texts,
    mac=texts,
    bmc_port=st.integers(1, 65535),
    weight=st.floats(min_value=1e-300, max_value=1e300),
)
sites = st.builds(
    Site,
    driver=texts,
    hosts=st.lists(hosts, min_size=1, max_size=3, unique_by=(lambda h: h.name, lambda h: h.address)).map(
        tuple
    ),
    storage=st.none() | st.builds(Nfs, server=texts) | st.builds(Local, path=texts.map(lambda t: f"/{t}")),
    labels=st.dictionaries(texts, texts, max_size=4),
    burn_in=st.booleans(),
    timeout_s=st.floats(min_value=0, max_value=1e12),
    scratch_bytes=st.integers(0, 2**63 - 1),
)


@given(sites)
def test_yaml_reads_back_exactly(site: Site) -> None:
    assert parse_document(render_document(site), source="f", expect=Site) == site


@given(sites)
def test_json_reads_back_exactly(site: Site) -> None:
    assert parse_document(render_json(site), source="f", expect=Site) == site


@pytest.mark.parametrize("text", TRICKY)
def test_another_yaml_reader_sees_a_text(text: str) -> None:
    host = Host(name=text, address="10.0.0.1")
    data = yaml.safe_load(render_document(Site(driver=text, hosts=(host,), labels={text: text})))
    assert (data["driver"], data["hosts"][0]["name"], data["labels"]) == (text, text, {text: text})


def test_the_kind_comes_first_and_lines_stay_readable() -> None:
    host = Host(name="a", address="10.0.0.1", rack="first\nsecond\n")
    written = render_document(Site(driver="535.10", hosts=(host,)))
    assert written.startswith("kind: site\nversion: 1\ndriver: '535.10'\nhosts:\n- name: a\n")
    assert "rack: |\n    first\n    second\n" in written


def test_json_is_json() -> None:
    site = Site(driver="1", hosts=(Host(name="é", address="10.0.0.1"),))
    assert json.loads(render_json(site))["hosts"][0]["name"] == "é"


def test_nothing_heavy_is_imported_before_a_file_is_read() -> None:
    program = (
        "import sys; import l0_infra.core.documents; "
        "print(sorted({'yaml', 'jsonschema', 'difflib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
