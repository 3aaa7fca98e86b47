"""`ogai cluster import` and `export`: the result on stdout, what is left out on stderr, no file overwritten."""

from pathlib import Path

import pytest
import yaml

from l0_infra.core.documents import parse_document, read_document
from l1_podsys import ClusterPlace, cluster_members, ensure_secrets
from l1_podsys.schemas import Cluster
from ogai.cluster import export_inventory, import_list
from ogai.main import main

LIST = """\
[head]
hub ansible_host=10.7.0.1

[compute]
n[1:3] gpus=8

[compute:vars]
ansible_password=s3cret
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OGAI_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.fixture
def hosts(home: Path) -> Path:
    path = Path("Pod 1.ini")
    path.write_text(LIST)
    return path


def test_the_document_goes_to_stdout_and_the_rest_is_named_on_stderr(
    hosts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["cluster", "import", "--from", "ansible-inventory", str(hosts)]) == 0
    told = capsys.readouterr()
    cluster = parse_document(told.out, source="out", expect=Cluster)
    assert cluster.name == "pod-1" and list(cluster_members(cluster)) == ["hub", "n1", "n2", "n3"]
    assert "Pod 1.ini:5: `gpus` (3 hosts)" in told.err and "`ansible_password`" in told.err
    assert "s3cret" not in told.out + told.err


def test_a_file_that_is_there_is_overwritten_by_force_only(
    hosts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("pod.yaml").write_text("mine")
    assert main(["cluster", "import", str(hosts), "--to", "pod.yaml"]) == 2
    assert Path("pod.yaml").read_text() == "mine" and "--force" in capsys.readouterr().err
    assert main(["cluster", "import", str(hosts), "--to", "pod.yaml", "--name", "pod2", "--force"]) == 0
    assert capsys.readouterr().out == "pod.yaml\n"
    assert read_document(Path("pod.yaml"), expect=Cluster).name == "pod2"


def test_all_faults_come_at_once_with_their_lines(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("hosts.csv").write_text("name,ip\nhead,10.7.0.999\nn1,10.7.0.2\nn1,10.7.0.2\n")
    assert main(["cluster", "import", "hosts.csv"]) == 2
    err = capsys.readouterr().err
    assert "hosts.csv:2: found `10.7.0.999`" in err and "hosts.csv:4: found the name `n1`" in err


def test_a_file_that_cannot_be_read_is_told(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("bytes.csv").write_bytes(b"name\n\xff\n")
    assert main(["cluster", "import", "none.csv"]) == main(["cluster", "import", "bytes.csv"]) == 2
    assert "not UTF-8" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "name", "form"),
    [
        ("10.0.0.1 head\n", "list", "hosts"),
        ("[head]\nhub\n", "inventory", "ansible-inventory"),
        ("all:\n  hosts:\n    head:\n", "inventory.yaml", "ansible-inventory"),
        ("Hostname,IP\nhead,10.0.0.1\n", "nodes.txt", "csv"),
        ("0012 head 10.0.0.1/24 none none none\n", "iplist.txt", "csv"),
        ("head\n", "list", "ansible-inventory"),
    ],
)
def test_the_form_is_guessed_by_what_stands_there(home: Path, text: str, name: str, form: str) -> None:
    Path(name).write_text(text)
    assert import_list(name, head="hub" if "hub" in text else "head").form == form


def test_variables_in_files_beside_are_told_as_not_read(hosts: Path) -> None:
    Path("group_vars").mkdir()
    assert any("group_vars" in str(note) for note in import_list(hosts).notes)


def test_an_export_holds_what_roles_are_told_and_no_secret(hosts: Path, home: Path) -> None:
    place = ClusterPlace(home=home, name="pod-1")
    place.prepare()
    ensure_secrets(place.secrets)
    place.save(import_list(hosts).cluster)
    text = export_inventory().text
    whole = yaml.safe_load(text)["all"]
    assert whole["vars"]["munge_key_file"] == str(place.secrets / "munge.key")
    assert whole["hosts"]["hub"]["time_serve"] is True and whole["vars"]["time_serve"] is False
    assert (place.secrets / "accounting.password").read_text().strip() not in text


def test_an_export_of_a_document_makes_nothing(hosts: Path, home: Path) -> None:
    assert main(["cluster", "import", str(hosts), "--to", "pod.yaml"]) == 0
    assert (
        yaml.safe_load(export_inventory("pod.yaml").text)["all"]["hosts"]["hub"]["ansible_host"] == "10.7.0.1"
    )
    assert not home.exists()
