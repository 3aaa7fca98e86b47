"""A chat becomes tokens, and a mask of those that an assistant answers with."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, NoReturn

import jinja2
import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from l0_infra.core.errors import DocumentError, Fault, FieldPath, dotted
from l3_modeltools.data.chat_template import ChatTemplate, Message

__all__ = ["EncodedChat", "encode_chat", "encode_pair"]

Span = tuple[int, int]

REFUSALS = (
    jinja2.TemplateError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)
"""What a template, which is a program, may fail with."""


class EncodedChat(NamedTuple):
    """Tokens of a chat, and 1 for each that is learnt from, else 0; both (n,)."""

    ids: npt.NDArray[np.int32]
    mask: npt.NDArray[np.uint8]


def encode_chat(
    messages: object, tokenizer: Tokenizer, template: ChatTemplate, *, where: str = "chat"
) -> EncodedChat:
    """Encode a list of messages with `role` and `content`; every answer of the role `assistant` is learnt from.

    An answer's tokens include what ends its turn. `where` is said in errors: `chats.jsonl:17`. Raises DocumentError
    for what is no chat, has no answer, or is refused by the template.
    """
    return encode(Chat(read_messages(messages, (), where), where), 0, tokenizer, template)


def encode_pair(
    pair: object, tokenizer: Tokenizer, template: ChatTemplate, *, where: str = "pair"
) -> tuple[EncodedChat, EncodedChat]:
    """Encode a record's `chosen` and `rejected`; only answers after the messages that both share are learnt from.

    Both are lists of messages, or what follows a `prompt` (a text or messages): messages, or the text of the answer.
    Raises DocumentError as `encode_chat` does, and when both sides are equal.
    """
    if not isinstance(pair, Mapping):
        bad(where, (), kind_of(pair), "a record with `chosen` and `rejected`")
    sides = [read_side(pair, name, where) for name in ("chosen", "rejected")]
    shared = shared_begin(*sides)
    if sides[0] == sides[1]:
        bad(where, ("rejected",), "the same messages as in `chosen`", "another answer")
    chosen, rejected = (encode(Chat(side, where), shared, tokenizer, template) for side in sides)
    return chosen, rejected


class Chat(NamedTuple):
    """Messages, and where they were read."""

    messages: Sequence[Message]
    where: str


def encode(chat: Chat, first: int, tokenizer: Tokenizer, template: ChatTemplate) -> EncodedChat:
    """Encode a chat; answers from message `first` on are learnt from."""
    try:
        text, spans = answer_spans(chat, first, template)
    except REFUSALS as error:
        bad(chat.where, (), f"a chat that its template refuses: {error}", "one that it accepts")
    encoding = tokenizer.encode(text, add_special_tokens=False)
    begins, ends = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2).T
    mask = np.zeros(begins.size, dtype=np.uint8)
    for start, stop in spans:
        mask[(np.maximum(ends, begins + 1) > start) & (begins < stop)] = 1
    return EncodedChat(ids=np.array(encoding.ids, dtype=np.int32), mask=mask)


def answer_spans(chat: Chat, first: int, template: ChatTemplate) -> tuple[str, list[Span]]:
    """Return a chat's text, and where in it the answers are, by rendering what leads up to each."""
    messages = chat.messages
    text = template.render(messages)
    answers = [
        number
        for number, message in enumerate(messages)
        if message["role"] == "assistant" and number >= first
    ]
    if not answers:
        bad(chat.where, (), "no message of the role `assistant`", "an answer to learn from")
    return text, [answer_span(chat, text, number, template) for number in answers]


def answer_span(chat: Chat, text: str, number: int, template: ChatTemplate) -> Span:
    """Return where the answer that is message `number` begins and ends.

    White space after the mark that ends a turn is no part of it: nobody waits for it when the model answers.
    """
    before = template.render(chat.messages[:number], add_generation_prompt=True)
    until = template.render(chat.messages[: number + 1])
    if not (text.startswith(until) and until.startswith(before)):
        found = "a template that writes this answer otherwise when the chat goes on"
        bad(chat.where, (number,), found, "one that only appends", hint="cut the chat after its first answer")
    whole = until.rstrip()
    marked = not whole.endswith(str(chat.messages[number]["content"]).rstrip())
    return len(before), max(len(before), len(whole)) if marked else len(until)


def read_messages(value: object, path: FieldPath, where: str) -> list[Message]:
    """Check what came from a file; return it as messages."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        bad(where, path, kind_of(value), "a list of messages")
    messages = [read_message(message, (*path, number), where) for number, message in enumerate(value)]
    if not messages:
        bad(where, path, "no message", "at least a question and an answer")
    if messages[0]["role"] == "assistant":
        bad(where, (*path, 0, "role"), "an answer to nothing", "a message of `user` or `system` first")
    return messages


def read_message(value: object, path: FieldPath, where: str) -> Message:
    """Check one message."""
    if not isinstance(value, Mapping):
        bad(where, path, kind_of(value), "a message with `role` and `content`")
    for field in ("role", "content"):
        if not isinstance(value.get(field), str):
            bad(where, (*path, field), kind_of(value.get(field)), "a text")
    return value


def read_side(pair: Mapping[str, object], name: str, where: str) -> list[Message]:
    """Return one side of a pair as a whole chat."""
    prompt, answer = pair.get("prompt"), pair.get(name)
    if prompt is None:
        return read_messages(answer, (name,), where)
    begin = read_messages(as_messages(prompt, "user"), ("prompt",), where)
    rest = as_messages(answer, "assistant")
    if not isinstance(rest, Sequence):
        bad(where, (name,), kind_of(rest), "the text of an answer, or a list of messages")
    return begin + [read_message(message, (name, number), where) for number, message in enumerate(rest)]


def as_messages(value: object, role: str) -> object:
    """Make a text the one message that it stands for."""
    return [{"role": role, "content": value}] if isinstance(value, str) else value


def shared_begin(chosen: Sequence[Message], rejected: Sequence[Message]) -> int:
    """Count the messages that both sides begin with."""
    pairs = enumerate(zip(chosen, rejected, strict=False))
    return next((number for number, (one, other) in pairs if one != other), min(len(chosen), len(rejected)))


def kind_of(value: object) -> str:
    """Name what JSON holds in a place."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", type(None): "nothing"}
    return names.get(type(value), "a number")


def bad(where: str, path: FieldPath, found: str, expected: str, *, hint: str = "") -> NoReturn:
    """Refuse a document, with its place in the file and the field's in it."""
    place = f"{where}: {dotted(path)}" if path else where
    raise DocumentError(
        where, [Fault(path=path, found=found, expected=expected, hint=hint, where=place)]
    ) from None
