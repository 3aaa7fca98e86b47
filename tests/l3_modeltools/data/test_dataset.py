"""A data set is found by name or path, opened when it is whole, and read across its shards."""

from pathlib import Path

import numpy as np
import pytest

from l0_infra.core.errors import DocumentError, UnsatisfiableError
from l3_modeltools.data import find_dataset, open_dataset
from tests.support.datasets import make_dataset, make_text


def test_a_split_is_one_stream_over_shards(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "d", [[[1, 2], [3]], [[4]], [[5, 6, 7]]], [[[8, 9]]])
    train = dataset.split("train")
    assert (train.tokens, train.documents) == (7, 4)
    for start in range(8):
        for stop in range(start, 8):
            assert train.window(start, stop).tolist() == list(range(start + 1, stop + 1))
    assert [train.document(index).tolist() for index in range(4)] == [[1, 2], [3], [4], [5, 6, 7]]
    assert dataset.split("validation").window(0, 2).tolist() == [8, 9]
    for beyond in (lambda: train.window(0, 8), lambda: train.window(-1, 2), lambda: train.document(4)):
        with pytest.raises(IndexError):
            beyond()


def test_masks_go_with_their_documents(tmp_path: Path) -> None:
    dataset = make_dataset(tmp_path / "d", [[([1, 2], [0, 1])], [([3], [0]), ([4, 5], [1, 0])], [[6, 7]]])
    train = dataset.split("train")
    assert [train.mask(index).tolist() for index in range(4)] == [[0, 1], [0], [1, 0], [1, 1]]


def test_a_split_that_was_not_prepared_is_empty(tmp_path: Path) -> None:
    held_out = make_text(tmp_path / "d", 50).split("validation")
    assert (held_out.tokens, held_out.documents) == (0, 0)


def test_the_fingerprint_is_that_of_the_content(tmp_path: Path) -> None:
    one, same = make_text(tmp_path / "a", 50), make_text(tmp_path / "b", 50, held_out=9)
    assert one.fingerprint == same.fingerprint
    assert one.fingerprint != make_text(tmp_path / "c", 51).fingerprint
    assert one.fingerprint != make_text(tmp_path / "e", 50, shards=5).fingerprint


@pytest.mark.parametrize("name", ["train-00001.bin", "train-00000.idx", "train-00000.mask"])
def test_a_changed_file_is_told(tmp_path: Path, name: str) -> None:
    make_dataset(tmp_path / "d", [[([1, 2], [0, 1])], [([3], [1])]])
    path = tmp_path / "d" / name
    content = path.read_bytes()
    path.write_bytes(content[:-1])
    with pytest.raises(UnsatisfiableError) as caught:
        open_dataset(tmp_path / "d" / "dataset.json")
    assert f"{name}: found {len(content) - 1} bytes; expected {len(content)}" in str(caught.value)
    path.unlink()
    with pytest.raises(UnsatisfiableError, match=f"{name}: found no such file"):
        open_dataset(tmp_path / "d" / "dataset.json")


def test_an_index_of_another_count_is_told(tmp_path: Path) -> None:
    make_dataset(tmp_path / "d", [[[1, 2], [3]]])
    manifest = tmp_path / "d" / "dataset.json"
    manifest.write_text(manifest.read_text().replace('"documents": 2', '"documents": 5'))
    with pytest.raises(UnsatisfiableError, match="found 2 documents and 3 tokens; expected 5 and 3"):
        open_dataset(manifest)


def test_a_bad_manifest_is_a_bad_document(tmp_path: Path) -> None:
    (tmp_path / "dataset.json").write_text("{}")
    with pytest.raises(DocumentError):
        open_dataset(tmp_path / "dataset.json")


def test_a_name_and_a_path_mean_the_same(tmp_path: Path) -> None:
    home, base = tmp_path / "home", tmp_path / "base"
    make_text(home / "datasets" / "stdlib", 50)
    make_text(base / "mine", 50)
    named = find_dataset("stdlib", home=home, base=base)
    assert named == home / "datasets" / "stdlib" / "dataset.json"
    for reference in ("./mine", "mine/dataset.json", str(base / "mine")):
        found = find_dataset(reference, home=home, base=base)
        assert found.resolve() == base / "mine" / "dataset.json"


def test_what_is_not_there_is_told_with_the_nearest(tmp_path: Path) -> None:
    make_text(tmp_path / "datasets" / "stdlib", 50)
    with pytest.raises(UnsatisfiableError) as caught:
        find_dataset("stdlip", home=tmp_path, base=tmp_path)
    assert "found no data set `stdlip`; expected a prepared one: stdlib" in str(caught.value)
    assert "stdlib" in caught.value.hint
    assert "ogai data prepare" in caught.value.hint
    with pytest.raises(UnsatisfiableError, match=r"none/dataset\.json: found no such file") as caught:
        find_dataset("none/dataset.json", home=tmp_path, base=tmp_path)
    for reference in ("n" * 300, f"./{'n' * 300}", "~nobody-at-all/x"):
        with pytest.raises(UnsatisfiableError, match="expected a name or a path"):
            find_dataset(reference, home=tmp_path, base=tmp_path)
    assert "ogai data prepare" in caught.value.hint


def test_numbers_are_wide_enough_to_learn_from(tmp_path: Path) -> None:
    window = make_text(tmp_path / "d", 50).split("train").window(0, 9)
    assert window.dtype == np.int64
