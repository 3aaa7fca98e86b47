"""A cluster that is kept here may be named wherever a file may."""

from collections.abc import Callable
from pathlib import Path

import pytest

from l0_infra.core.errors import DocumentError
from l1_podsys import ClusterPlace
from l1_podsys.schemas import Cluster
from ogai.flows.cluster.places import wanted_cluster as read_by_checks
from ogai.flows.cluster.work import wanted_cluster
from ogai.main import main
from tests.support.scripted_clusters import a_cluster

Read = Callable[[str], Cluster]
EVERY_WAY = pytest.mark.parametrize(
    "read", [read_by_checks, lambda file: wanted_cluster(Path(file), None)[0]]
)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Keep two clusters, `pod` the current one of them."""
    monkeypatch.setenv("OGAI_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    for name in ("blue", "pod"):
        place = ClusterPlace(home=tmp_path / "home", name=name)
        place.prepare()
        place.save(a_cluster(2, name))
    return tmp_path


@EVERY_WAY
def test_its_name_stands_for_its_document(read: Read) -> None:
    assert read("blue").name == "blue"


@EVERY_WAY
def test_a_file_of_that_name_goes_first(read: Read, here: Path) -> None:
    (here / "blue").write_text("kind: cluster\nname: [")
    with pytest.raises(DocumentError, match="blue:3:1"):
        read("blue")


@EVERY_WAY
def test_what_is_neither_is_told_with_the_names_there_are(read: Read) -> None:
    with pytest.raises(DocumentError, match="red") as raised:
        read("red")
    assert raised.value.hint == "clusters that are kept here, by name: blue, pod"


def test_the_names_there_are_reach_the_person(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cluster", "check", "--cluster", "red"]) == 2
    assert capsys.readouterr().err.endswith("hint: clusters that are kept here, by name: blue, pod\n")
