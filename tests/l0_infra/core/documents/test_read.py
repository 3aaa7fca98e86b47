"""What a person typed is what the program gets; what cannot be read is told, never thrown."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.core.documents import Document, parse_document, place_faults, read_document, render_json
from l0_infra.core.errors import DocumentError, Fault
from l2_scheduler.schemas import Job, Queue, Queues
from tests.l0_infra.core.documents.site import Local, Nfs, Site

BASE = "kind: site\ndriver: 535.10\nhosts:\n  - {name: a, address: 10.0.0.1}\n"


def site(more: str = "", *settings: str) -> Site:
    return parse_document(BASE + more, source="site.yaml", expect=Site, settings=settings)


def faults_of(text: str, *settings: str) -> list[str]:
    with pytest.raises(DocumentError) as caught:
        parse_document(text, source="f", expect=Site, settings=settings)
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.parametrize(
    "typed",
    ["010", "no", "yes", "535.10", "0012345", "12:34:56:12:34:56", "1e3", "0x1F", "null", "~", "2026-01-01"],
)
def test_a_text_field_keeps_what_was_typed(typed: str) -> None:
    assert site(f"labels: {{key: {typed}}}").labels == {"key": typed}


def test_inventory_values_stay_as_typed() -> None:
    text = """
kind: site
driver: 470.0
hosts:
  - name: no
    address: 10.0.0.1
    serial: 0012345
    mac: 12:34:56:12:34:56
    rack: 010
    bmc_port: 0623
"""
    (host,) = parse_document(text, source="f", expect=Site).hosts
    assert (host.name, host.serial, host.mac, host.rack) == ("no", "0012345", "12:34:56:12:34:56", "010")
    assert host.bmc_port == 623


@pytest.mark.parametrize("typed", ["", "~", "null", "Null", "NULL"])
def test_null_is_null_where_null_is_allowed(typed: str) -> None:
    assert site(f"dhcp: {typed}").dhcp is None


def test_quoted_null_is_a_text() -> None:
    text = BASE.replace("10.0.0.1}", '10.0.0.1, serial: "null"}')
    assert parse_document(text, source="f", expect=Site).hosts[0].serial == "null"


@pytest.mark.parametrize(
    ("typed", "size"),
    [
        ("0", 0),
        ("4096", 4096),
        ("64 GiB", 64 * 2**30),
        ("64GB", 64 * 10**9),
        ("1.5 TiB", 3 * 2**39),
        ('"2 MiB"', 2**21),
    ],
)
def test_a_size_may_carry_its_unit(typed: str, size: int) -> None:
    assert site(f"scratch_bytes: {typed}").scratch_bytes == size


@pytest.mark.parametrize(
    ("typed", "seconds"),
    [("90", 90), ("0.5", 0.5), ("2h30m", 9000), ("1-12:00:00", 129600), ("02:00:00", 7200)],
)
def test_a_duration_may_carry_its_unit(typed: str, seconds: float) -> None:
    assert site(f"timeout_s: {typed}").timeout_s == seconds


def test_a_tagged_union_takes_the_branch_of_its_tag() -> None:
    assert site("storage: {type: nfs, server: files}").storage == Nfs(server="files")
    local = site("storage: {type: local, path: /srv, size_bytes: 1 GiB}").storage
    assert local == Local(path="/srv", size_bytes=2**30)


def test_anchors_and_merge_keys_are_followed() -> None:
    text = """
kind: site
driver: &version "1"
hosts:
  - &first {name: a, address: 10.0.0.1, rack: r1}
  - {<<: *first, name: b, address: 10.0.0.2}
labels: {driver: *version}
"""
    read = parse_document(text, source="f", expect=Site)
    assert [(host.name, host.rack) for host in read.hosts] == [("a", "r1"), ("b", "r1")]
    assert read.labels == {"driver": "1"}


def test_line_ends_and_a_byte_order_mark_do_not_matter(tmp_path: Path) -> None:
    path = tmp_path / "site.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + BASE.replace("\n", "\r\n").encode())
    assert read_document(path, expect=Site) == site()


def test_json_is_read_too() -> None:
    text = '{"kind": "site", "driver": "1", "hosts": [{"name": "a", "address": "10.0.0.1", "weight": 2e0}]}'
    assert parse_document(text, source="f", expect=Site).hosts[0].weight == 2.0


def test_json_as_programs_write_it_is_judged_like_any_other() -> None:
    written = render_json(site())
    assert parse_document(written, source="f", expect=Site) == site()
    twice = written.replace('  "driver": "535.10",', '  "driver": "535.10",\n  "driver": "535.10",')
    assert any("driver" in fault for fault in faults_of(twice))
    assert any("adress" in fault for fault in faults_of(written.replace('"address"', '"adress"')))
    assert parse_document(written, source="f", expect=Site, settings=["driver=1"]).driver == "1"


def test_what_a_part_says_of_itself_counts_in_json_as_programs_write_it() -> None:
    written = render_json(Job(name="a", command=("b\0",)))
    with pytest.raises(DocumentError, match=r"U\+0000"):
        parse_document(written, source="f", expect=Job)


def test_the_kind_chooses_among_many() -> None:
    kinds: dict[str, type[Document]] = {"job": Job, "site": Site}
    assert isinstance(parse_document(BASE, source="f", kinds=kinds), Site)
    assert isinstance(parse_document("kind: job\nname: a\ncommand: [b]", source="f", kinds=kinds), Job)


def test_another_kind_than_expected_is_refused() -> None:
    assert faults_of("kind: job\nname: a\n") == ["f:1:7: found the kind `job`; expected the kind `site`"]


def test_a_document_says_its_kind() -> None:
    with pytest.raises(DocumentError) as raised:
        parse_document("name: a\n", source="f", expect=Job)
    assert str(raised.value) == "f:1:1: found no `kind`; expected `kind: job`"


def test_settings_are_laid_over_the_file() -> None:
    read = site(
        "", "timeout_s=2h", "storage.type=local", "storage.path=/srv", "hosts[0].name=010", "labels={a: no}"
    )
    assert (read.timeout_s, read.storage, read.labels) == (7200, Local(path="/srv"), {"a": "no"})
    assert read.hosts[0].name == "010"
    assert site("mode: dry", "mode=real", "mode=dry").mode == "dry"


def test_a_bad_setting_is_told_as_such_after_the_file() -> None:
    found = faults_of(
        BASE + "colour: red\n",
        "timeout_s=soon",
        "hosts[7].name=x",
        "mode.x=1",
        "mode",
        "labels=[",
        "driver.x=1",
    )
    assert found == [
        "f:5:1: found the key `colour`; expected a key that is known here",
        "--set timeout_s=soon: found `soon`; expected a duration such as `90`, `2h30m` or `1-12:00:00`",
        "--set hosts[7].name=x: found no item [7] there; expected an item that the document has",
        "--set mode.x=1: found a mapping; expected one of `dry`, `real`",
        "--set mode: found `mode`; "
        "expected `path=value`, such as `limits.time_s=2h` or `depends_on[0].job=12`",
        "--set labels=[: found a sign where a value belongs; "
        "expected a value, or quotes around a text that begins so",
        "--set driver.x=1: found `x` below a value that has no keys; expected a path through mappings",
    ]


@pytest.mark.parametrize("name", ["absent.yaml", "."])
def test_a_file_that_cannot_be_read_is_a_document_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(DocumentError, match="a file that can be read"):
        read_document(tmp_path / name, expect=Site)


def test_a_misspelt_file_name_gets_the_nearest_one(tmp_path: Path) -> None:
    (tmp_path / "cluster.yaml").touch()
    with pytest.raises(DocumentError) as caught:
        read_document(tmp_path / "clusters.yaml", expect=Site)
    assert caught.value.hint == "did you mean `cluster.yaml`?"


def test_a_huge_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "huge.yaml"
    path.write_bytes(b"a: " + b"x" * 10_000_000)
    with pytest.raises(DocumentError, match="more than 8 MiB"):
        read_document(path, expect=Site)


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "a: &b ["])
def test_deep_nesting_is_refused(opening: str) -> None:
    assert faults_of(opening * 5000)


def test_a_chain_of_aliases_cannot_nest_deeper_than_text() -> None:
    links = "".join(f"k{n}: &a{n} [*a{n - 1}]\n" for n in range(1, 200))
    assert any("nesting" in fault for fault in faults_of(f"k0: &a0 [x]\n{links}"))


@given(st.binary(max_size=200))
def test_random_bytes_are_a_document_error(data: bytes) -> None:
    _read_or_refuse(data.decode("utf-8", errors="surrogateescape"))


@given(st.text(alphabet="kindsite: -[]{}#&*!|>'\"%@`\n\t,?~019.<=\\é\u2028\ufeff", max_size=80))
def test_random_yaml_is_read_or_refused(text: str) -> None:
    _read_or_refuse(text)


FULL = BASE + "storage: {type: local, path: /srv}\nlabels: &l {a: 'b'}\nmode: dry\ntimeout_s: 1h\n# dhcp: x\n"


@given(
    st.integers(0, len(FULL)), st.integers(0, 12), st.text(alphabet=":-[]{}#&*!|>'\"\n\t, 0a\x00", max_size=6)
)
def test_a_mutated_document_is_read_or_refused(start: int, cut: int, insert: str) -> None:
    _read_or_refuse(FULL[:start] + insert + FULL[start + cut :])


def _read_or_refuse(text: str) -> None:
    try:
        read = parse_document(text, source="f", kinds={"site": Site, "job": Job})
    except DocumentError as error:
        assert error.faults
        assert all(fault.where.startswith("f:") and fault.found and fault.expected for fault in error.faults)
    else:
        assert isinstance(read, Site | Job)


class Outer(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="outer"):
    """A document that may hold another one."""

    queues: Queues | None = None


def test_a_document_inside_another_may_leave_out_its_kind() -> None:
    text = "kind: outer\nqueues:\n  age_points_per_hour: 2\n  queues:\n    - name: a\n      priority: 3\n"
    queues = Queues(age_points_per_hour=2.0, queues=(Queue(name="a", priority=3),))
    assert parse_document(text, source="f", expect=Outer) == Outer(queues=queues)
    with pytest.raises(DocumentError) as caught:
        parse_document(text.replace(" 3", " x"), source="f", expect=Outer)
    assert [fault.where for fault in caught.value.faults] == ["f:3:3", "f:6:17"]


def test_a_fault_found_later_is_told_at_its_line(tmp_path: Path) -> None:
    path = tmp_path / "site.yaml"
    path.write_text(BASE)
    fault = Fault(path=("hosts", 0, "address"), found="10.0.0.1, which answers no more", expected="a host")
    error = place_faults(path, [fault], settings=["driver=1"])
    assert str(error) == f"{path}:4:24: found 10.0.0.1, which answers no more; expected a host"
    assert error.faults[0].path == fault.path


def test_a_fault_of_a_setting_is_told_as_the_setting(tmp_path: Path) -> None:
    path = tmp_path / "site.yaml"
    path.write_text(BASE)
    error = place_faults(path, [Fault(path=("driver",), found="2", expected="1")], settings=["driver=2"])
    assert error.faults[0].where.startswith("--set driver=2")


def test_a_fault_found_later_keeps_its_path_where_the_file_has_gone(tmp_path: Path) -> None:
    error = place_faults(tmp_path / "gone.yaml", [Fault(path=("driver",), found="2", expected="1")])
    assert str(error) == "driver: found 2; expected 1"
