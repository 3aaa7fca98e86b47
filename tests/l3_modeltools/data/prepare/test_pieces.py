"""The table of pieces gives what the tokenizer itself gives, for every pattern that it takes on."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

from l3_modeltools.data.prepare.pieces import MOST_PIECES, PieceTable, splitter_of
from tests.support.corpora import text_of

CL100K = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SAMPLE = [text_of(number) for number in range(40)] + [
    "Äpfel, 漢字 and naïve café — don't!\r\n\r\n   x = 1234567\n"
] * 3


def trained(pre_tokenizer: pre_tokenizers.PreTokenizer) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        special_tokens=["<|endoftext|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(SAMPLE, trainer=trainer)
    tokenizer.encode_special_tokens = True
    return tokenizer


GPT2 = trained(pre_tokenizers.ByteLevel(add_prefix_space=False))
LLAMA = trained(
    pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(CL100K), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
)
STRANGE = (
    "don't",
    "DON'T",
    " ",
    "  ",
    "\n",
    "\r\n",
    "\t",
    "é",
    "12345",
    "()",
    "\x1c",
    "\xa0",
    "\x85",
    "漢",
    "x",
)
TEXTS = st.text() | st.lists(st.sampled_from(STRANGE)).map("".join)


def by_table(tokenizer: Tokenizer, text: str) -> list[int]:
    split = splitter_of(tokenizer.to_str().encode())
    assert split
    table = PieceTable(tokenizer, np.dtype("uint16"))
    return np.frombuffer(table.encode(split(text)), dtype="uint16").tolist()


@pytest.mark.parametrize("tokenizer", [GPT2, LLAMA], ids=["gpt2", "llama"])
@settings(max_examples=150, deadline=None)
@given(text=TEXTS)
def test_any_text_has_the_tokens_that_the_tokenizer_gives(tokenizer: Tokenizer, text: str) -> None:
    assert by_table(tokenizer, text) == tokenizer.encode(text, add_special_tokens=False).ids


def test_what_looks_like_a_special_token_is_text() -> None:
    assert GPT2.token_to_id("<|endoftext|>") not in by_table(GPT2, "a<|endoftext|>b")


def changed(change: str) -> bytes:
    tokenizer = Tokenizer.from_str(GPT2.to_str())
    if change == "normalizer":
        tokenizer.normalizer = normalizers.NFC()
    if change == "prefix space":
        tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    if change == "words":
        tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    if change == "added token":
        tokenizer.add_tokens([AddedToken("of an", special=False)])
    if change == "pattern with groups":
        parts = json.loads(LLAMA.to_str())
        parts["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = r"(\w)+|\W"
        return json.dumps(parts).encode()
    return tokenizer.to_str().encode()


@pytest.mark.parametrize(
    "change", ["normalizer", "prefix space", "words", "added token", "pattern with groups"]
)
def test_other_kinds_of_tokenizers_are_left_to_their_library(change: str) -> None:
    assert splitter_of(changed(change)) is None


def test_the_table_stays_small() -> None:
    table = PieceTable(GPT2, np.dtype("uint16"))
    table |= {f"{number}": b"" for number in range(MOST_PIECES)}
    assert table.encode([" new"]) and len(table) == 1
    assert table.encode(["x" * 100]) and len(table) == 1
