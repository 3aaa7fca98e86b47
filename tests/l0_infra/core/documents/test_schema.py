"""The generated schema accepts what our reader accepts, and the example starts a person off right."""

import re
from typing import Annotated

import jsonschema
import pytest
import yaml
from msgspec import Meta

from l0_infra.core.documents import Document, json_schema, list_fields, parse_document, render_example
from tests.l0_infra.core.documents.site import Local, Nfs, Site

BASE = {"kind": "site", "driver": "1", "hosts": [{"name": "a", "address": "10.0.0.1"}]}


def test_the_schema_is_a_schema_and_names_itself() -> None:
    schema = json_schema(Site)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert (schema["$id"], schema["title"], schema["description"]) == ("site.schema.json", "site", "A site.")


@pytest.mark.parametrize(
    "more",
    [
        {"scratch_bytes": 4096},
        {"scratch_bytes": "64 GiB"},
        {"scratch_bytes": "1.5TB"},
        {"timeout_s": 1.5},
        {"timeout_s": "2h30m"},
        {"timeout_s": "1-12:00:00"},
        {"timeout_s": "02:00:00"},
        {"storage": {"type": "local", "path": "/srv", "size_bytes": "1 GiB"}},
        {"storage": None},
    ],
)
def test_an_editor_accepts_what_the_reader_accepts(more: dict[str, object]) -> None:
    document = BASE | more
    jsonschema.validate(document, json_schema(Site))
    assert parse_document(yaml.safe_dump(document), source="f", expect=Site)


@pytest.mark.parametrize(
    "more",
    [
        {"scratch_bytes": "64 Gbit"},
        {"scratch_bytes": -1},
        {"timeout_s": "soon"},
        {"timeout_s": "30:00"},
        {"colour": "red"},
        {"storage": {"type": "tape", "path": "/srv"}},
        {"mode": "wet"},
    ],
)
def test_an_editor_refuses_what_the_reader_refuses(more: dict[str, object]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(BASE | more, json_schema(Site))


def test_fields_are_listed_with_their_parts() -> None:
    lines = {line.path: line for line in list_fields(Site)}
    assert lines["hosts[].bmc_port"].wanted == "an integer from 1 to 65535"
    assert lines["hosts[].bmc_port"].default == "443"
    assert lines["hosts[].name"].description == "Host name."
    assert lines["scratch_bytes"].wanted == "a size such as `4096` or `64 GiB`"
    assert {"storage.server", "storage.path", "dhcp.first"} <= set(lines)


class Ticket(Document, frozen=True, kw_only=True, forbid_unknown_fields=True, tag="ticket"):
    """A pattern that nobody guesses."""

    number: Annotated[str, Meta(pattern="^[A-Z]{2}-[0-9]{5}$", examples=["AB-12345"])]
    parts: dict[str, Nfs | Local]
    roles: Annotated[tuple[str, ...], Meta(examples=[["head", "no"]])] = ()
    rest: str = ""


def test_the_example_uses_the_declared_one_and_names_tags() -> None:
    example = render_example(Ticket, schema="s")
    read = parse_document(example, source="f", expect=Ticket)
    assert (read.number, read.parts) == ("AB-12345", {"example": Nfs(server="example")})
    assert (read.roles, read.rest) == (("head", "no"), "")


def test_the_example_shows_every_field_with_its_meaning() -> None:
    example = render_example(Site, schema="site.schema.json")
    assert example.startswith("# yaml-language-server: $schema=site.schema.json\n# A site.\n")
    assert "# Driver version.\ndriver: example\n" in example
    assert "# Timeout.\n#timeout_s: 1m\n" in example
    assert "#labels: {}\n" in example


def test_the_example_without_its_comment_marks_names_only_known_keys() -> None:
    example = render_example(Site, schema="s").replace("address: example", "address: 10.0.0.1")
    uncommented = re.sub(r"(?m)^(\s*)#(?! \S)", r"\1", example)
    uncommented = uncommented.replace("first: example", "first: 10.0.0.1").replace(
        "last: example", "last: 10.0.0.2"
    )
    assert parse_document(uncommented, source="f", expect=Site).storage is not None
