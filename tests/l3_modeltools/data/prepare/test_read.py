"""Files become documents: every way of cutting a file yields the same documents, and bad ones are told by place."""

import gzip
import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from l0_infra.core.errors import DocumentError
from l3_modeltools.data import IndexedWriter
from l3_modeltools.data.prepare.origin import Input
from l3_modeltools.data.prepare.parts import Slice
from l3_modeltools.data.prepare.read import (
    Content,
    Format,
    Record,
    Unreadable,
    pieces_of,
    read_slice,
    words_of,
)
from l3_modeltools.data.prepare.read.window import PIECE_BYTES
from l3_modeltools.schemas import JsonLines, MegatronFiles, Parquet, Source, TextFiles

CHAT = [{"role": "user", "content": "one?"}, {"role": "assistant", "content": "two", "tool": 3}]


def read(
    source: Source, path: Path, cuts: tuple[int, ...] = (), format: Format = "text"
) -> list[Content | Unreadable]:
    """Read a file in slices that end at `cuts`."""
    return list(_read(source, path, cuts, format))


def _read(
    source: Source, path: Path, cuts: tuple[int, ...], format: Format
) -> Iterator[Content | Unreadable]:
    pieces = pieces_of(source, path, path.stat().st_size, format)
    file = Input(name=str(path), size_bytes=path.stat().st_size, modified_ns=0, pieces=pieces)
    ends = [0, *cuts, len(pieces)]
    for start, stop in pairwise(ends):
        yield from read_slice(source, Slice(file=file, start=start, stop=stop), format)


@pytest.mark.parametrize("cuts", [(), (1,), (1, 2), (2,)])
def test_a_long_text_is_cut_at_the_ends_of_lines_and_nothing_is_lost(
    tmp_path: Path, cuts: tuple[int, ...]
) -> None:
    text = "".join(f"line {number} with ümlauts\n" for number in range(100_000))
    path = tmp_path / "long.txt"
    path.write_text(text, encoding="utf-8")
    pieces = read(TextFiles(files="*"), path, cuts)
    assert "".join(map(str, pieces)) == text
    assert len(pieces) == 3 and all(str(piece).endswith("\n") for piece in pieces)


def test_a_text_without_lines_is_cut_between_characters(tmp_path: Path) -> None:
    text = "漢" * (PIECE_BYTES // 2)
    path = tmp_path / "long.txt"
    path.write_text(text, encoding="utf-8")
    pieces = read(TextFiles(files="*"), path, (1,))
    assert all(isinstance(piece, str) for piece in pieces) and "".join(map(str, pieces)) == text


@settings(max_examples=15, deadline=None)
@given(sizes=st.lists(st.integers(min_value=0, max_value=PIECE_BYTES), min_size=1, max_size=6))
def test_every_line_is_read_once_wherever_windows_end(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int]
) -> None:
    path = tmp_path_factory.mktemp("lines") / "a.jsonl"
    texts = [f"{number}" + "x" * size for number, size in enumerate(sizes)]
    path.write_text("\n".join(json.dumps({"text": text}) for text in texts), encoding="utf-8")
    count = len(pieces_of(JsonLines(files="*"), path, path.stat().st_size, "text"))
    assert read(JsonLines(files="*"), path, tuple(range(1, count))) == texts


def test_compressed_lines_are_read_as_what_they_hold(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(
        gzip.compress(b'\xef\xbb\xbf{"body": "one"}\r\n\n{"body": "two", "n": NaN}\n{"body": null}')
    )
    assert read(JsonLines(files="*", field="body"), path) == ["one", "two", ""]


def test_lines_that_are_not_utf8_are_yielded_as_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": "a"}\n{"text": "\xff"}\n{"text": "\\ud800"}\n{"text": "b"}\n')
    assert read(JsonLines(files="*"), path) == [
        "a",
        Unreadable(f"{path}:2: not UTF-8"),
        Unreadable(f"{path}:3: not UTF-8"),
        "b",
    ]


@pytest.mark.parametrize(
    ("line", "format", "said"),
    [
        ('{"text": "a"', "text", ":2: found no JSON"),
        ('{"txet": "a"}', "text", ":2: found the fields `txet`; expected a field `text`"),
        ('{"text": 3, oops', "text", ":2: found no JSON"),
        ('{"text": ' + "9" * 5000 + "}", "text", ":2: found no JSON"),
        ('{"other": ' + "[" * 10**5 + "}", "text", ":2: found no JSON: maximum recursion depth"),
        ("[1]", "text", ":2: found a row that is no object"),
        ('{"text": 3}', "text", ":2: found in `text`: Expected `str | null`, got `int`"),
        ('{"messages": "a"}', "chat", ":2: found in `messages`: Expected `array`, got `str`"),
        ('{"messages": [{"role": "user"}]}', "chat", "missing required field `content`"),
        ('{"chosen": [], "rejectd": []}', "preference", "missing required field `rejected`"),
    ],
)
def test_a_bad_line_is_told_by_its_number(tmp_path: Path, line: str, format: Format, said: str) -> None:
    path = tmp_path / "a.jsonl"
    good = {"text": "a", "messages": CHAT, "chosen": CHAT, "rejected": CHAT}
    path.write_text(f"{json.dumps(good)}\n{line}\n", encoding="utf-8")
    with pytest.raises(DocumentError) as caught:
        read(JsonLines(files="*"), path, format=format)
    assert said in str(caught.value)


def test_a_bad_line_that_is_not_utf8_either_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"text": 1, "other": "\xff"}\n')
    assert read(JsonLines(files="*"), path) == [Unreadable(f"{path}:1: not UTF-8")]


@pytest.mark.parametrize("damage", ["cut", "noise", "tail", "bits"])
def test_a_damaged_compressed_file_is_told(tmp_path: Path, damage: str) -> None:
    path = tmp_path / "a.jsonl.gz"
    whole = gzip.compress(b'{"text": "a"}\n' * 1000)
    middle = len(whole) // 2
    contents = {
        "cut": whole[:middle],
        "noise": b"no gzip at all",
        "tail": whole + b"noise",
        "bits": whole[:middle] + bytes([whole[middle] ^ 0xFF]) + whole[middle + 1 :],
    }
    path.write_bytes(contents[damage])
    with pytest.raises(DocumentError, match=r"a\.jsonl\.gz: found .*; expected a whole file of gzip"):
        read(JsonLines(files="*"), path)


def test_a_date_that_python_lacks_is_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    turn = pa.struct([("role", pa.string()), ("content", pa.string()), ("when", pa.timestamp("us"))])
    chats = [
        [
            {"role": "user", "content": "one?", "when": when},
            {"role": "assistant", "content": "two", "when": 0},
        ]
        for when in (0, 2**62)
    ]
    parquet.write_table(pa.table({"messages": pa.array(chats, pa.list_(turn))}), path)
    first, second = read(Parquet(files="*"), path, format="chat")
    assert isinstance(first, Record) and second == Unreadable(f"{path}: row 2: date value out of range")


def test_a_missing_field_is_told_with_the_nearest(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"contents": "a"}\n', encoding="utf-8")
    with pytest.raises(DocumentError) as caught:
        read(JsonLines(files="*", field="content"), path)
    assert caught.value.hint == "did you mean `field: contents`?"


def test_chats_keep_all_that_the_file_says_and_know_their_line(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f"\n{json.dumps({'messages': CHAT})}\n", encoding="utf-8")
    (record,) = read(JsonLines(files="*"), path, format="chat")
    assert isinstance(record, Record)
    assert (record.value, record.place(), words_of(record)) == (CHAT, f"{path}:2", "one?\ntwo")


def test_pairs_may_share_a_prompt(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(json.dumps({"prompt": "p", "chosen": "good", "rejected": CHAT}), encoding="utf-8")
    (record,) = read(JsonLines(files="*"), path, format="preference")
    assert isinstance(record, Record) and words_of(record) == "good\none?\ntwo\np"


def test_row_groups_are_read_in_order_wherever_they_are_cut(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    texts = [f"row {number}" for number in range(10)] + [None]
    parquet.write_table(pa.table({"id": range(11), "text": texts}), path, row_group_size=4)
    assert read(Parquet(files="*"), path, (1, 2)) == [*texts[:10], ""]


def test_chats_are_read_from_nested_columns(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    turns = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "you"}]
    parquet.write_table(pa.table({"messages": [turns], "chosen": [turns], "rejected": [turns]}), path)
    (chat,) = read(Parquet(files="*"), path, format="chat")
    (pair,) = read(Parquet(files="*"), path, format="preference")
    assert isinstance(chat, Record) and chat.value == turns
    assert isinstance(pair, Record) and pair.value == {"chosen": turns, "rejected": turns}


def test_bytes_of_a_column_that_are_not_utf8_are_unreadable(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    column = pa.Array.from_buffers(pa.string(), 2, pa.array([b"a", b"\xff"]).buffers())
    parquet.write_table(pa.table({"text": column}), path)
    assert read(Parquet(files="*"), path) == ["a", Unreadable(f"{path}: row 2: not UTF-8")]


@pytest.mark.parametrize(
    ("columns", "said", "hint"),
    [
        (
            {"texts": ["a"]},
            "found the columns `texts`; expected a column `text`",
            "did you mean `field: texts`?",
        ),
        ({"text": [3]}, "row 1: found int; expected a text", ""),
    ],
)
def test_a_parquet_without_the_text_is_refused(
    tmp_path: Path, columns: dict[str, list[object]], said: str, hint: str
) -> None:
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table(columns), path)
    with pytest.raises(DocumentError) as caught:
        read(Parquet(files="*"), path)
    assert said in str(caught.value) and caught.value.hint == hint


def test_no_parquet_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_text("no such thing at all", encoding="utf-8")
    with pytest.raises(DocumentError, match="expected Parquet"):
        read(Parquet(files="*"), path)


def test_stored_tokens_are_read_document_by_document(tmp_path: Path) -> None:
    with IndexedWriter(tmp_path / "old", "int32") as writer:
        for number in range(2500):
            writer.add(np.array([number, 1, 2]))
        writer.publish()
    documents = read(MegatronFiles(files="*"), tmp_path / "old.idx", (1, 2))
    assert [document[0] for document in documents if isinstance(document, np.ndarray)] == list(range(2500))
