"""A corpus becomes a data set: what is in it, what is left out, and what happens when it is asked for again."""

import json
import os
import shutil
from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import pytest
from tokenizers import Tokenizer

from l0_infra.core.documents import read_document
from l0_infra.core.errors import DocumentError, EngineError, UnhealthyError, UnsatisfiableError, UsageError
from l3_modeltools.data import IndexedWriter, PreparedDataset, Progress, open_dataset
from l3_modeltools.data.prepare import inspect_dataset, verify_dataset
from l3_modeltools.data.prepare.inputs import find_origin
from l3_modeltools.data.prepare.judge import judge_room
from l3_modeltools.data.prepare.publish import begin, locked
from l3_modeltools.data.prepare.stages import Stages
from l3_modeltools.data.prepare.workplace import Scanned, Workplace
from l3_modeltools.schemas import (
    BytePairs,
    Dataset,
    Deduplication,
    Dropped,
    HuggingFaceTokenizer,
    JsonLines,
    MegatronFiles,
    NearDuplicates,
    Quality,
    TextFiles,
)
from tests.support.corpora import corpus_of, files_of, prepare, text_of, write_lines


def decoded(prepared: PreparedDataset, directory: Path, split: str = "train") -> list[str]:
    tokenizer = Tokenizer.from_file(str(directory / "tokenizer" / "tokenizer.json"))
    part = prepared.split(split)  # type: ignore[arg-type]
    return [
        tokenizer.decode(part.document(index).tolist()[:-1], skip_special_tokens=False)
        for index in range(part.documents)
    ]


def dropped(dataset: Dataset, source: int = 0) -> dict[str, int]:
    return {item.reason: item.documents for item in dataset.sources[source].dropped}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a corpus of 200 texts of two sources, prepared as `out`; not to be changed."""
    base = tmp_path_factory.mktemp("small")
    write_lines(base / "a.jsonl", [{"text": text_of(number)} for number in range(150)])
    for number in range(150, 200):
        (base / f"{number}.txt").write_text(text_of(number), encoding="utf-8")
    prepare(corpus_of(JsonLines(files="a.jsonl"), TextFiles(files="*.txt"), validation_share=0.2), base)
    return base


def test_every_document_is_there_once_ended_and_in_order(small: Path) -> None:
    prepared = open_dataset(small / "out" / "dataset.json")
    train, held_out = decoded(prepared, small / "out"), decoded(prepared, small / "out", "validation")
    assert Counter(train + held_out) == Counter(map(text_of, range(200)))
    numbers = [int(text.partition(":")[0]) for text in train]
    assert numbers == sorted(numbers) and 20 <= len(held_out) <= 60
    ends = [prepared.split("train").document(index)[-1] for index in range(len(train))]
    assert set(ends) == {prepared.manifest.tokenizer.end_of_document}


def test_the_manifest_says_what_is_there(small: Path) -> None:
    manifest = read_document(small / "out" / "dataset.json", expect=Dataset)
    assert [(source.name, source.documents) for source in manifest.sources] == [
        ("a.jsonl", 150),
        ("*.txt", 50),
    ]
    assert (manifest.token_dtype, manifest.tokenizer.vocab_size) == ("uint16", 300)
    tokens = np.concatenate(
        [
            np.fromfile(small / "out" / shard.bin.name, "<u2")
            for shard in manifest.shards
            if shard.split == "train"
        ]
    )
    shares = np.bincount(tokens) / tokens.size
    entropy = -sum(share * np.log(share) for share in shares if share)
    assert manifest.unigram_entropy_nats == pytest.approx(entropy)
    assert not (small / "out" / "work").exists()


def test_the_tokenizer_loads_in_transformers(small: Path) -> None:
    from transformers import AutoTokenizer

    loaded = AutoTokenizer.from_pretrained(small / "out" / "tokenizer")
    manifest = read_document(small / "out" / "dataset.json", expect=Dataset)
    assert (loaded.eos_token_id, loaded.pad_token) == (manifest.tokenizer.end_of_document, "<|pad|>")
    assert loaded.decode(loaded("the lamp").input_ids) == "the lamp"
    turns = [{"role": "user", "content": "hi"}]
    assert loaded.apply_chat_template(turns, tokenize=False) == "<|im_start|>user\nhi<|im_end|>\n"


def test_a_second_call_finds_it_there(small: Path) -> None:
    before = files_of(small / "out")
    stages: list[Progress] = []
    corpus = corpus_of(JsonLines(files="a.jsonl"), TextFiles(files="*.txt"), validation_share=0.2)
    again = prepare(corpus, small, stages=stages)
    assert again.unchanged and not stages and files_of(small / "out") == before


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"vocab_size": 310}, '"vocab_size":310'),
        ({"validation_share": 0.1}, "`validation_share` was 0.2, is 0.1"),
        ({"sources": (JsonLines(files="a.jsonl"),)}, "`sources` was"),
    ],
)
def test_another_corpus_of_the_name_is_refused_with_what_changed(
    small: Path, fields: dict[str, object], said: str
) -> None:
    sources = fields.pop("sources", (JsonLines(files="a.jsonl"), TextFiles(files="*.txt")))
    corpus = corpus_of(*sources, **({"validation_share": 0.2} | fields))  # type: ignore[misc,arg-type]
    with pytest.raises(UsageError) as caught:
        prepare(corpus, small)
    assert said in str(caught.value) and "--replace" in caught.value.hint


def test_changed_input_is_told_and_the_earlier_set_is_kept(tmp_path: Path) -> None:
    rows = [{"text": text_of(number)} for number in range(60)]
    write_lines(tmp_path / "a.jsonl", rows)
    prepare(corpus_of(), tmp_path)
    before = files_of(tmp_path / "out")
    write_lines(tmp_path / "a.jsonl", [*rows, {"text": text_of(60)}])
    with pytest.raises(UsageError, match=r"a\.jsonl was written to"):
        prepare(corpus_of(), tmp_path)
    assert files_of(tmp_path / "out") == before
    replaced = prepare(corpus_of(), tmp_path, replace=True)
    assert replaced.earlier == tmp_path / "out.1" and files_of(replaced.earlier) == before
    assert replaced.dataset.sources[0].documents == 61


def test_a_damaged_set_is_not_passed_off_as_there(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [{"text": text_of(number)} for number in range(60)])
    done = prepare(corpus_of(), tmp_path)
    (tmp_path / "out" / done.dataset.shards[0].bin.name).write_bytes(b"")
    with pytest.raises(UnhealthyError, match="another size"):
        prepare(corpus_of(), tmp_path)


def test_a_folder_of_someone_else_is_left_alone(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [{"text": "a"}])
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.tex").touch()
    with pytest.raises(UsageError, match="a folder that no prepare made"):
        prepare(corpus_of(), tmp_path)


def test_repetitions_are_left_out_the_first_is_kept(tmp_path: Path) -> None:
    originals = [text_of(number, words=200) for number in range(60)]
    nearly = [f"{text} by the way" for text in originals[:20]]
    write_lines(tmp_path / "a.jsonl", [{"text": text} for text in originals])
    write_lines(tmp_path / "b.jsonl", [{"text": text} for text in [*originals[:5], *nearly, " ", "a\n"]])
    done = prepare(
        corpus_of(
            JsonLines(files="a.jsonl"),
            JsonLines(files="b.jsonl"),
            deduplicate=Deduplication(near=NearDuplicates()),
            validation_share=0.0,
        ),
        tmp_path,
        workers=2,
    )
    assert dropped(done.dataset, 0) == {}
    assert dropped(done.dataset, 1) == {"exact_duplicate": 5, "near_duplicate": 20, "empty": 1}
    assert decoded(open_dataset(done.manifest), tmp_path / "out") == [*originals, "a\n"]


def test_sources_are_dropped_by_licence_and_texts_by_quality(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [{"text": text_of(number)} for number in range(60)] + [{"text": "x"}])
    write_lines(tmp_path / "b.jsonl", [{"text": text_of(number)} for number in range(7)])
    (tmp_path / "latin.txt").write_bytes("Grüße".encode("latin-1"))
    done = prepare(
        corpus_of(
            JsonLines(files="a.jsonl", licence="MIT"),
            JsonLines(files="b.jsonl"),
            TextFiles(files="*.txt", licence="MIT"),
            licences=("MIT",),
            quality=Quality(min_characters=20),
        ),
        tmp_path,
    )
    assert [source.dropped for source in done.dataset.sources] == [
        (Dropped(reason="quality", documents=1),),
        (Dropped(reason="licence", documents=7),),
        (Dropped(reason="unreadable", documents=1),),
    ]
    assert done.notes[0] == f"{tmp_path / 'latin.txt'}: byte 2 is not UTF-8"


def test_shards_end_where_they_are_full_whoever_did_the_work(tmp_path: Path) -> None:
    rows = [{"text": text_of(number, words=300)} for number in range(800)]
    for folder in ("one", "two"):
        write_lines(tmp_path / folder / "a.jsonl", rows)
    one = prepare(corpus_of(shard_tokens=50_000), tmp_path / "one", workers=1)
    two = prepare(corpus_of(shard_tokens=50_000), tmp_path / "two", workers=2)
    train = [shard for shard in one.dataset.shards if shard.split == "train"]
    assert len(train) > 3 and all(50_000 <= shard.tokens < 52_000 for shard in train[:-1])
    assert one.dataset == two.dataset


def test_documents_stay_in_their_split_when_others_are_added(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [{"text": text_of(number)} for number in range(100)])
    first = prepare(corpus_of(validation_share=0.3), tmp_path)
    before = set(decoded(open_dataset(first.manifest), tmp_path / "out", "validation"))
    write_lines(tmp_path / "a.jsonl", [{"text": text_of(number)} for number in range(-50, 150)])
    second = prepare(corpus_of(validation_share=0.3), tmp_path, replace=True)
    after = set(decoded(open_dataset(second.manifest), tmp_path / "out", "validation"))
    assert before == {text for text in after if 0 <= int(text.partition(":")[0]) < 100}


CHATS = [
    [
        {"role": "user", "content": f"{number}?"},
        {"role": "assistant", "content": text_of(number, words=9)},
    ]
    for number in range(40)
]


def test_chats_learn_from_answers_only(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [{"messages": chat} for chat in CHATS])
    done = prepare(corpus_of(format="chat", validation_share=0.0), tmp_path)
    prepared = open_dataset(done.manifest)
    tokenizer = Tokenizer.from_file(str(tmp_path / "out" / "tokenizer" / "tokenizer.json"))
    ids, mask = prepared.split("train").document(7), prepared.split("train").mask(7)
    text = tokenizer.decode(ids.tolist(), skip_special_tokens=False)
    assert text.startswith("<|im_start|>user\n7?<|im_end|>") and text.endswith("<|endoftext|>")
    learnt = tokenizer.decode(ids[mask == 1].tolist(), skip_special_tokens=False)
    assert learnt == f"{text_of(7, words=9)}<|im_end|>"


def test_pairs_are_two_documents_each(tmp_path: Path) -> None:
    rows = [{"prompt": f"{number}?", "chosen": text_of(number, 9), "rejected": "no"} for number in range(40)]
    write_lines(tmp_path / "a.jsonl", rows)
    done = prepare(corpus_of(format="preference", validation_share=0.3), tmp_path)
    assert done.dataset.sources[0].documents == 40
    prepared = open_dataset(done.manifest)
    for split in ("train", "validation"):
        texts = decoded(prepared, tmp_path / "out", split)
        assert texts and len(texts) % 2 == 0
        assert all("assistant\nno<" in text for text in texts[1::2])
        assert [text.partition("?")[0] for text in texts[::2]] == [
            text.partition("?")[0] for text in texts[1::2]
        ]


def test_a_chat_without_an_answer_is_told_by_its_line(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [{"messages": chat} for chat in [*CHATS, CHATS[0][:1]]])
    with pytest.raises(DocumentError, match=r"a\.jsonl:41: found no message of the role `assistant`"):
        prepare(corpus_of(format="chat", validation_share=0.0), tmp_path)


def test_another_tokenizer_is_copied_and_stored_tokens_are_taken_on(small: Path, tmp_path: Path) -> None:
    with IndexedWriter(tmp_path / "old", "int32") as writer:
        for tokens in ([5, 6, 0], [7, 8], [5, 6, 0], []):
            writer.add(np.array(tokens, dtype=np.int32))
        writer.publish()
    write_lines(tmp_path / "a.jsonl", [{"text": "the lamp<|endoftext|>"}])
    corpus = corpus_of(
        MegatronFiles(files="*.idx"),
        JsonLines(files="a.jsonl"),
        tokenizer=HuggingFaceTokenizer(path=str(small / "out" / "tokenizer")),
        validation_share=0.0,
    )
    done = prepare(corpus, tmp_path)
    train = open_dataset(done.manifest).split("train")
    assert [train.document(index).tolist() for index in range(2)] == [[5, 6, 0], [7, 8, 0]]
    assert train.document(2).tolist().count(0) == 1
    assert dropped(done.dataset) == {"exact_duplicate": 1, "empty": 1}
    copied, original = files_of(tmp_path / "out" / "tokenizer"), files_of(small / "out" / "tokenizer")
    assert copied == original


def test_stored_tokens_of_another_tokenizer_are_refused(small: Path, tmp_path: Path) -> None:
    with IndexedWriter(tmp_path / "old", "int32") as writer:
        writer.add(np.array([70_000]))
        writer.publish()
    corpus = corpus_of(
        MegatronFiles(files="*.idx"), tokenizer=HuggingFaceTokenizer(path=str(small / "out" / "tokenizer"))
    )
    with pytest.raises(UnsatisfiableError, match="stored tokens from 70000 to 70000; expected tokens below"):
        prepare(corpus, tmp_path)


def test_two_prepares_of_one_name_exclude_each_other(tmp_path: Path) -> None:
    with locked(tmp_path / "out"), locked(tmp_path / "other"):
        with (
            pytest.raises(EngineError, match="another prepare") as caught,
            locked(tmp_path / "out", wait_s=0),
        ):
            pass
        assert caught.value.retry


@pytest.mark.parametrize(
    ("rows", "fields", "said"),
    [
        ([{"text": " "}, {"text": None}], {}, r"no document to keep \(2 empty\)"),
        ([{"text": "short"}], {"quality": Quality(min_characters=9)}, r"no document to keep \(1 quality\)"),
        ([], {}, "found no document; expected at least one"),
        (
            [{"text": "a b c"}],
            {"vocab_size": 5000},
            "of a text that holds pairs for 26[0-9]; expected at most 26",
        ),
    ],
    ids=["empty", "bad", "none", "vocabulary"],
)
def test_what_cannot_become_a_data_set_is_refused(
    tmp_path: Path, rows: list[dict[str, object]], fields: dict[str, object], said: str
) -> None:
    write_lines(tmp_path / "a.jsonl", rows)
    with pytest.raises(UnsatisfiableError, match=said):
        prepare(corpus_of(validation_share=0.0, **fields), tmp_path)  # type: ignore[arg-type]


def test_only_what_the_corpus_says_is_a_pattern(tmp_path: Path) -> None:
    base = tmp_path / "books [1]"
    write_lines(base / "in" / "a.jsonl", [{"text": "here"}])
    write_lines(tmp_path / "books 1" / "in" / "a.jsonl", [{"text": "elsewhere"}])
    near, absolute = JsonLines(files="*/*.jsonl"), JsonLines(files=f"{tmp_path}/*/in/*.jsonl")
    found, everywhere = find_origin(corpus_of(near, absolute), base).inputs
    assert [file.name for file in found] == [str(base / "in" / "a.jsonl")]
    assert len(everywhere) == 2


def test_a_disk_too_small_for_the_tokens_is_refused_before_they_are_written(tmp_path: Path) -> None:
    judge_room(6000, 2, 2000, tmp_path)
    with pytest.raises(UnsatisfiableError, match="KiB free; expected at least") as caught:
        judge_room(6000, 2, 1999, tmp_path)
    assert "what was done so far stands" in caught.value.hint


def test_what_is_encoded_already_asks_for_no_more_room(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [{"text": text_of(number)} for number in range(60)])
    place = Workplace(tmp_path / "out")
    begin(place, find_origin(corpus_of(validation_share=0.0), tmp_path))
    stages = Stages(
        origin=place.load_origin(), base=tmp_path, place=place, workers=1, lock=0, report=lambda _: None
    )
    place.scanned(0).write_bytes(msgspec.json.encode(Scanned(documents=60, size_bytes=6000)))
    assert stages.text_to_write == 12_000
    place.encoded(0).touch()
    assert stages.text_to_write == 6000


def test_missing_files_are_told_all_at_once_with_the_nearest_name(tmp_path: Path) -> None:
    write_lines(tmp_path / "books" / "one.jsonl", [{"text": "a"}])
    with pytest.raises(DocumentError) as caught:
        prepare(corpus_of(JsonLines(files="boks/*.jsonl"), JsonLines(files="books/ones.jsonl")), tmp_path)
    assert [fault.path for fault in caught.value.faults] == [("sources", 0, "files"), ("sources", 1, "files")]
    assert [fault.hint for fault in caught.value.faults] == [
        "did you mean `books`?",
        "did you mean `one.jsonl`?",
    ]


@pytest.mark.parametrize(
    ("files", "said"), [("**.txt", "Invalid pattern"), ("a" * 300, "file name too long")]
)
def test_a_pattern_that_no_file_can_match_is_refused(tmp_path: Path, files: str, said: str) -> None:
    with pytest.raises(DocumentError, match=said) as caught:
        prepare(corpus_of(TextFiles(files="*"), TextFiles(files=files)), tmp_path)
    assert caught.value.faults[0].path == ("sources", 1, "files")


def test_a_folder_of_a_tokenizer_that_cannot_be_looked_at_is_refused(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [{"text": "a"}])
    with pytest.raises(DocumentError, match="file name too long") as caught:
        prepare(corpus_of(tokenizer=HuggingFaceTokenizer(path="a" * 300)), tmp_path)
    assert caught.value.faults[0].path == ("tokenizer", "path")


def test_a_tokenizer_that_is_none_is_refused(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [{"text": "a"}])
    (tmp_path / "model.bin").touch()
    corpus = corpus_of(tokenizer=HuggingFaceTokenizer(path="."))
    with pytest.raises(
        UnsatisfiableError, match=r"a\.jsonl, model\.bin; expected a folder with tokenizer\.json"
    ):
        prepare(corpus, tmp_path)


def test_a_tokenizer_without_an_end_of_document_is_refused(small: Path, tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [{"text": "a"}])
    (tmp_path / "tokenizer.json").write_bytes((small / "out" / "tokenizer" / "tokenizer.json").read_bytes())
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"eos_token": {"content": "</s>"}}))
    with pytest.raises(UnsatisfiableError, match="eos_token `</s>`, which it does not know"):
        prepare(corpus_of(tokenizer=HuggingFaceTokenizer(path=".")), tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("tokenizer.json", b'{"version": "1.0", "mo', r"tokenizer\.json: found EOF"),
        (
            "tokenizer_config.json",
            b'{"a":' + b"[" * 10**5,
            r"tokenizer_config\.json: found maximum recursion",
        ),
        ("chat_template.jinja", b"\xff", r"chat_template\.jinja: found 'utf-8'"),
    ],
)
def test_a_damaged_tokenizer_is_told(
    small: Path, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    shutil.copytree(small / "out" / "tokenizer", tmp_path / "tokenizer")
    (tmp_path / "tokenizer" / name).write_bytes(content)
    chat = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
    write_lines(tmp_path / "a.jsonl", [{"messages": chat}])
    with pytest.raises(UnsatisfiableError, match=said):
        prepare(corpus_of(tokenizer=HuggingFaceTokenizer(path="tokenizer"), format="chat"), tmp_path)


def test_a_damaged_note_of_what_it_was_made_from_is_told(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [{"text": text_of(number)} for number in range(50)])
    prepare(corpus_of(), tmp_path)
    (tmp_path / "out" / "origin.json").write_bytes(b"{")
    with pytest.raises(UnhealthyError, match=r"origin\.json"):
        prepare(corpus_of(), tmp_path)


@pytest.mark.parametrize("name", ["train-00000.bin", "train-00000.idx", "tokenizer/tokenizer.json"])
def test_a_pipe_in_place_of_a_file_is_told_and_not_waited_for(small: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(small / "out", tmp_path / "out")
    (tmp_path / "out" / name).unlink()
    os.mkfifo(tmp_path / "out" / name)
    faults = verify_dataset(tmp_path / "out" / "dataset.json", workers=1).faults
    assert faults == (f"{tmp_path / 'out' / name}: no regular file",)
    if name.startswith("train"):
        with pytest.raises(UnsatisfiableError, match="no regular file"):
            inspect_dataset(tmp_path / "out" / "dataset.json")


def test_learning_depends_on_the_text_alone(small: Path, tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [{"text": text_of(number)} for number in range(150)])
    for number in range(150, 200):
        (tmp_path / f"{number}.txt").write_text(text_of(number), encoding="utf-8")
    corpus = corpus_of(
        JsonLines(files="a.jsonl"),
        TextFiles(files="*.txt"),
        validation_share=0.2,
        tokenizer=BytePairs(vocab_size=300),
    )
    done = prepare(corpus, tmp_path, workers=2)
    assert done.dataset == read_document(small / "out" / "dataset.json", expect=Dataset)
