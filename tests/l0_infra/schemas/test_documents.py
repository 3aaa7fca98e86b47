"""What holds for each document of this layer: described whole, exemplified, and kept as typed."""

import pytest

from l0_infra.core.documents import Document, list_fields, parse_document, render_example
from l0_infra.schemas import Device, Node, NodeFacts, Pins, Plan

KINDS = (Node, NodeFacts, Device, Pins, Plan)


@pytest.mark.parametrize("kind", KINDS)
def test_the_generated_example_is_good(kind: type[Document]) -> None:
    text = render_example(kind, schema="x.schema.json")
    assert isinstance(parse_document(text, source="example", expect=kind), kind)


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_is_described(kind: type[Document]) -> None:
    tags = ("kind", "version", "steps[].action.type")
    assert [
        field.path for field in list_fields(kind) if not field.description and field.path not in tags
    ] == []


def test_what_a_person_typed_stays() -> None:
    text = "kind: node\nname: no\nserial: 0012347\nrack: 010\nmac: 12:34:56:12:34:58\naddress: 10.7.0.1\n"
    node = parse_document(text, source="n.yaml", expect=Node)
    assert (node.name, node.serial, node.rack, node.mac) == ("no", "0012347", "010", "12:34:56:12:34:58")


def test_a_pinned_version_stays_as_typed() -> None:
    text = "kind: pins\nsoftware:\n  - {vendor: nvidia, component: driver, version: 535.10}\nsysctl:\n  vm.x: 010\n"
    pins = parse_document(text, source="p.yaml", expect=Pins)
    assert (pins.software[0].version, pins.sysctl["vm.x"]) == ("535.10", "010")
