"""`ogai node facts` of the machine the tests run on."""

import json
import platform

import pytest
import yaml

from ogai.main import main


@pytest.mark.real
def test_programs_get_the_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["node", "facts", "-o", "json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["version"]) == ("node_facts", 1)
    assert facts["os"]["kernel"] == platform.release()


@pytest.mark.real
def test_yaml_is_the_same_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["node", "facts", "-o", "yaml"]) == 0
    assert yaml.safe_load(capsys.readouterr().out)["hostname"] == platform.node()


@pytest.mark.real
def test_people_get_a_table_without_escapes_in_a_pipe(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["node", "facts"]) == 0
    out, err = capsys.readouterr()
    assert err == "" and "\x1b" not in out
    assert platform.node() in out.split("\n")[0]
