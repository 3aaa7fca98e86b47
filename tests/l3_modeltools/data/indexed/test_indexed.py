"""What is written is read again; what is damaged or foreign is told as such."""

import struct
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from l0_infra.core.errors import UnsatisfiableError, UsageError
from l3_modeltools.data import IndexedReader, IndexedWriter
from l3_modeltools.data.indexed import TokenDtype
from tests.support.indexed import write_sequences

DOCUMENTS = st.lists(st.lists(st.integers(0, 65_535), max_size=9), min_size=1, max_size=20)


@settings(max_examples=30, deadline=None)
@given(documents=DOCUMENTS, dtype=st.sampled_from(["uint16", "int32"]), cut=st.integers(0, 20))
def test_documents_come_back(
    documents: list[list[int]], dtype: TokenDtype, cut: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    stem = tmp_path_factory.mktemp("d") / "text-00000"
    with IndexedWriter(stem, dtype) as writer:
        for document in documents[:cut]:
            writer.add(np.array(document, dtype=np.int64))
        rest = documents[cut:]
        flat = np.array([token for document in rest for token in document], dtype=np.uint16)
        writer.add_batch(flat, np.array([len(document) for document in rest], dtype=np.int64))
        files = writer.publish()
    reader = IndexedReader(stem)
    reader.check()
    assert [reader.document(index).tolist() for index in range(reader.documents)] == documents
    assert reader.lengths.tolist() == [len(document) for document in documents]
    assert (reader.dtype, reader.tokens, reader.documents) == (dtype, files.tokens, files.documents)
    everything = [token for document in documents for token in document]
    assert reader.window(0, reader.tokens).tolist() == everything


def test_files_are_told_by_their_content(tmp_path: Path) -> None:
    with IndexedWriter(tmp_path / "a", "uint16", masked=True) as writer:
        writer.add(np.array([5, 6, 7]), np.array([0, 1, 1], dtype=np.uint8))
        files = writer.publish()
    for file in (files.bin, files.idx, files.mask):
        assert file is not None
        content = (tmp_path / file.name).read_bytes()
        assert (file.size_bytes, file.sha256) == (len(content), sha256(content).hexdigest())
    assert (tmp_path / "a.mask").read_bytes() == b"\0\1\1"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.bin", "a.idx", "a.mask"]


def test_the_layout_is_megatrons(tmp_path: Path) -> None:
    with IndexedWriter(tmp_path / "a", "uint16") as writer:
        writer.add(np.array([5, 6, 7]))
        writer.add(np.array([8]))
        writer.publish()
    expected = b"MMIDIDX\0\0" + struct.pack("<QBQQ2i2q3q", 1, 8, 2, 3, 3, 1, 0, 6, 0, 1, 2)
    assert (tmp_path / "a.idx").read_bytes() == expected
    assert (tmp_path / "a.bin").read_bytes() == struct.pack("<4H", 5, 6, 7, 8)


def test_what_is_not_published_leaves_nothing(tmp_path: Path) -> None:
    with IndexedWriter(tmp_path / "a", "int32") as writer:
        writer.add(np.array([1]))
    assert list(tmp_path.iterdir()) == []


def test_an_index_longer_than_a_chunk(tmp_path: Path) -> None:
    lengths = np.arange(600_000) % 3
    with IndexedWriter(tmp_path / "a", "uint16") as writer:
        writer.add_batch(np.zeros(lengths.sum(), dtype=np.uint16), lengths)
        writer.publish()
    reader = IndexedReader(tmp_path / "a")
    reader.check()
    assert np.array_equal(reader.lengths, lengths)
    assert reader.bounds(599_999) == (int(lengths[:-1].sum()), int(lengths.sum()))


@pytest.mark.parametrize(
    ("tokens", "lengths", "words"),
    [
        ([70_000], [1], "found tokens from 70000 to 70000; expected 0 to 65535"),
        ([-1], [1], "found tokens from -1 to -1"),
        ([1, 2], [1], "found lengths of 1; expected 2 in all"),
        ([1, 2], [3, -1], "expected 0 to 2^31 - 1"),
    ],
)
def test_a_wrong_batch_is_refused(tmp_path: Path, tokens: list[int], lengths: list[int], words: str) -> None:
    with IndexedWriter(tmp_path / "a", "uint16") as writer, pytest.raises(UsageError) as caught:
        writer.add_batch(np.array(tokens), np.array(lengths))
    assert words in str(caught.value)


def test_documents_of_several_sequences(tmp_path: Path) -> None:
    write_sequences(tmp_path / "a", [[[1, 2], [3]], [], [[4]]])
    reader = IndexedReader(tmp_path / "a")
    reader.check()
    assert [reader.document(index).tolist() for index in range(3)] == [[1, 2, 3], [], [4]]
    assert reader.lengths.tolist() == [3, 0, 1]


def test_outside_is_an_index_error(tmp_path: Path) -> None:
    write_sequences(tmp_path / "a", [[[1, 2]]])
    reader = IndexedReader(tmp_path / "a")
    for bad in (-1, 1):
        with pytest.raises(IndexError):
            reader.document(bad)
    for start, stop in ((-1, 1), (0, 3), (2, 1)):
        with pytest.raises(IndexError):
            reader.window(start, stop)


def broken(stem: Path, *, at: int, form: str, value: int) -> None:
    """Overwrite one number in the index of three documents of 2, 1 and 4 tokens."""
    write_sequences(stem, [[[1, 2]], [[3]], [[4, 5, 6, 7]]])
    path = stem.with_name(f"{stem.name}.idx")
    content = bytearray(path.read_bytes())
    struct.pack_into(form, content, at, value)
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("at", "form", "value", "words"),
    [
        (0, "<B", 0, "expected b'MMIDIDX"),
        (9, "<Q", 2, "found version 2; expected version 1"),
        (17, "<B", 6, "found dtype code 6"),
        (17, "<B", 99, "found dtype code 99"),
        (18, "<Q", 2**62, "found 102 bytes; expected "),
        (26, "<Q", 0, "found 102 bytes"),
        (94, "<q", 2, "documents over sequences 0 to 2; expected 0 to 3"),
        (42, "<i", 5, "a.bin: found 28 bytes; expected 32, as a.idx says"),
    ],
)
def test_a_damaged_index_is_not_opened(tmp_path: Path, at: int, form: str, value: int, words: str) -> None:
    broken(tmp_path / "a", at=at, form=form, value=value)
    with pytest.raises(UnsatisfiableError) as caught:
        IndexedReader(tmp_path / "a")
    assert words in str(caught.value)
    assert str(tmp_path / "a.") in str(caught.value)


@pytest.mark.parametrize(
    ("at", "form", "value"),
    [(38, "<i", 900), (38, "<i", -1), (54, "<q", -8), (54, "<q", 2**50), (78, "<q", -3), (78, "<q", 9)],
)
def test_a_damaged_entry_is_found_when_read_and_by_check(
    tmp_path: Path, at: int, form: str, value: int
) -> None:
    broken(tmp_path / "a", at=at, form=form, value=value)
    reader = IndexedReader(tmp_path / "a")
    for look in (reader.check, lambda: [reader.document(index) for index in range(3)]):
        with pytest.raises(UnsatisfiableError, match=r"a\.idx"):
            look()


@pytest.mark.parametrize("name", ["a.bin", "a.idx"])
@pytest.mark.parametrize("keep", [0, 3, 27])
def test_a_truncated_or_absent_file_is_named(tmp_path: Path, name: str, keep: int) -> None:
    write_sequences(tmp_path / "a", [[[1, 2]], [[3]], [[4, 5, 6, 7]]])
    path = tmp_path / name
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(UnsatisfiableError, match=name):
        IndexedReader(tmp_path / "a")
    path.unlink()
    with pytest.raises(UnsatisfiableError, match=f"{name}: found no such file"):
        IndexedReader(tmp_path / "a")
