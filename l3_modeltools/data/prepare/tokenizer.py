"""A tokenizer is learnt from the corpus, or copied, into a folder that Hugging Face's libraries load."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import msgspec

from l0_infra.core.errors import UnsatisfiableError
from l3_modeltools.data.chat_template import CHATML, ChatTemplate
from l3_modeltools.schemas import BytePairs, Corpus, HashedFile, HuggingFaceTokenizer, Tokenizer

if TYPE_CHECKING:
    from tokenizers import Tokenizer as Loaded

__all__ = [
    "SPECIAL_TOKENS",
    "copy_tokenizer",
    "describe_tokenizer",
    "find_tokenizer_files",
    "learn_tokenizer",
    "load_template",
    "load_tokenizer",
    "token_dtype",
    "tokenizer_name",
    "told_of_the_tokenizer",
]

END_OF_DOCUMENT = "<|endoftext|>"
PAD = "<|pad|>"
SPECIAL_TOKENS = (END_OF_DOCUMENT, "<|im_start|>", "<|im_end|>", PAD)
"""Tokens 0 to 3 of a tokenizer that is learnt here."""

NEEDED = "tokenizer.json"
CONFIG = "tokenizer_config.json"
TEMPLATE = "chat_template.jinja"
COPIED = (NEEDED, CONFIG, "special_tokens_map.json", TEMPLATE)


def find_tokenizer_files(directory: Path) -> tuple[Path, ...]:
    """List what is copied of a tokenizer's folder. Raises UnsatisfiableError when it has no tokenizer.json."""
    if not (directory / NEEDED).is_file():
        inside = sorted(path.name for path in directory.iterdir())[:8] if directory.is_dir() else None
        raise UnsatisfiableError(
            str(directory),
            found="no such folder" if inside is None else f"{', '.join(inside) or 'nothing'}",
            expected="a folder with tokenizer.json",
            hint="save it with `AutoTokenizer.from_pretrained(…).save_pretrained(FOLDER)`",
        )
    return tuple(directory / name for name in COPIED if (directory / name).is_file())


def learn_tokenizer(texts: Iterator[str], wanted: BytePairs, template: str | None, target: Path) -> None:
    """Learn pairs of bytes from `texts` and save them in the folder `target`.

    Raises UnsatisfiableError when there is too little text for so many tokens.
    """
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=wanted.vocab_size,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer=trainer)
    learnt = tokenizer.get_vocab_size()
    if learnt < wanted.vocab_size:
        raise UnsatisfiableError(
            "tokenizer.vocab_size",
            found=f"{wanted.vocab_size}, of a text that holds pairs for {learnt}",
            expected=f"at most {learnt}, or more text",
        )
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": END_OF_DOCUMENT,
        "eos_token": END_OF_DOCUMENT,
        "pad_token": PAD,
        "clean_up_tokenization_spaces": False,
    }
    target.mkdir()
    (target / NEEDED).write_text(tokenizer.to_str(), encoding="utf-8")
    (target / CONFIG).write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")
    (target / TEMPLATE).write_text(template or CHATML, encoding="utf-8")


def copy_tokenizer(source: Path, corpus: Corpus, target: Path) -> None:
    """Copy a tokenizer's files into the folder `target`; a chat gets a template when none is there."""
    target.mkdir()
    for path in find_tokenizer_files(source):
        shutil.copyfile(path, target / path.name)
    has_one = (target / TEMPLATE).exists() or "chat_template" in _config(target / CONFIG)
    if corpus.chat_template or (corpus.format != "text" and not has_one):
        (target / TEMPLATE).write_text(corpus.chat_template or CHATML, encoding="utf-8")


def load_tokenizer(directory: Path) -> "Loaded":
    """Load a saved tokenizer. Raises UnsatisfiableError when its tokenizer.json is damaged."""
    from tokenizers import Tokenizer as Loaded

    with told_of_the_tokenizer(directory):
        return Loaded.from_file(str(directory / NEEDED))


@contextmanager
def told_of_the_tokenizer(directory: Path) -> Iterator[None]:
    """Turn a refusal of the library, which raises a bare Exception, into UnsatisfiableError."""
    try:
        yield
    except Exception as error:
        if type(error) is not Exception:
            raise
        raise UnsatisfiableError(
            str(directory / NEEDED), found=str(error), expected="a tokenizer that knows every text"
        ) from error


def describe_tokenizer(directory: Path, name: str) -> Tokenizer:
    """Say what a saved tokenizer is. Raises UnsatisfiableError when it has no end of document."""
    loaded = load_tokenizer(directory)
    eos = _token(_config(directory / CONFIG), "eos_token") or _token(
        _config(directory / "special_tokens_map.json"), "eos_token"
    )
    end = loaded.token_to_id(eos) if eos else None
    if end is None:
        raise UnsatisfiableError(
            str(directory / CONFIG),
            found=f"eos_token `{eos}`, which it does not know" if eos else "no eos_token",
            expected="the token that ends a document",
            hint='add it: "eos_token": "…", one of its own tokens',
        )
    files = tuple(_hashed(path, directory) for path in sorted(directory.iterdir()))
    return Tokenizer(
        name=name,
        sha256=next(file.sha256 for file in files if file.name.endswith(f"/{NEEDED}")),
        vocab_size=max(loaded.get_vocab(with_added_tokens=True).values()) + 1,
        end_of_document=end,
        files=files,
    )


def token_dtype(tokenizer: Tokenizer) -> Literal["uint16", "int32"]:
    """Choose how tokens are stored: in two bytes where they fit."""
    return "uint16" if tokenizer.vocab_size <= 2**16 else "int32"


def tokenizer_name(corpus: Corpus) -> str:
    """Name a corpus's tokenizer: the folder asked for, or the corpus it is learnt from."""
    wanted = corpus.tokenizer
    return (
        wanted.path if isinstance(wanted, HuggingFaceTokenizer) else f"{corpus.name}-bpe-{wanted.vocab_size}"
    )


def load_template(directory: Path) -> ChatTemplate:
    """Read the template of a saved tokenizer, and the special tokens that it may name.

    Raises UnsatisfiableError when it is no text.
    """
    config = _config(directory / CONFIG)
    path = directory / TEMPLATE
    stored = config.get("chat_template")
    try:
        source = path.read_text(encoding="utf-8") if path.exists() else stored
    except UnicodeDecodeError as error:
        raise UnsatisfiableError(str(path), found=str(error), expected="a template in UTF-8") from error
    return ChatTemplate(
        source=source if isinstance(source, str) else CHATML,
        bos_token=_token(config, "bos_token") or "",
        eos_token=_token(config, "eos_token") or "",
    )


def _hashed(path: Path, directory: Path) -> HashedFile:
    content = path.read_bytes()
    name = f"{directory.name}/{path.name}"
    return HashedFile(name=name, size_bytes=len(content), sha256=sha256(content).hexdigest())


def _config(path: Path) -> dict[str, object]:
    if not path.is_file():
        return {}
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, object])
    except (msgspec.DecodeError, RecursionError) as error:
        raise UnsatisfiableError(str(path), found=str(error), expected="JSON of a tokenizer") from error


def _token(config: dict[str, object], name: str) -> str | None:
    """Return a token as the two ways of writing it have it: its text, or an object with `content`."""
    value = config.get(name)
    if isinstance(value, dict):
        value = value.get("content")
    return value if isinstance(value, str) else None
