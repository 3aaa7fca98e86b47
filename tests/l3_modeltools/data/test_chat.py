"""A chat's tokens are those that transformers makes of it, and the mask is what an assistant says."""

import string
from typing import Any

import pytest
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from l0_infra.core.errors import DocumentError
from l3_modeltools.data import CHATML, ChatTemplate, encode_chat, encode_pair

SPECIAL = ["<s>", "</s>", "<|im_start|>", "<|im_end|>", "<|begin|>", "<|head|>", "<|body|>", "<|eot|>"]

HEADS = """\
{{- bos_token }}
{%- for message in messages %}
    {{- '<|head|>' + message['role'] + '<|body|>\\n\\n' + message['content'] | trim + '<|eot|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{ '<|head|>assistant<|body|>\\n\\n' }}{% endif %}
"""
ALTERNATING = """\
{{ bos_token }}{% for message in messages %}
{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}
{{ raise_exception('user and assistant take turns') }}
{% endif %}
{% if message['role'] == 'user' %}{{ '[ASK] ' + message['content'] + ' [/ASK]' }}
{% else %}{{ ' ' + message['content'] + eos_token }}{% endif %}
{% endfor %}"""
PLAIN = """\
{% for message in messages %}### {{ message.role | capitalize }}:
{{ message.content }}

{% endfor %}{% if add_generation_prompt %}### Assistant:
{% endif %}"""
MARKED = """\
{% for message in messages %}{% if message.role == 'assistant' %}<|head|>assistant<|body|>{% generation %}\
{{ message.content }}<|eot|>{% endgeneration %}

{% else %}<|head|>{{ message.role }}<|body|>{{ message.content }}<|eot|>

{% endif %}{% endfor %}{% if add_generation_prompt %}<|head|>assistant<|body|>{% endif %}"""
BUSY = """\
{%- set ns = namespace(first=true) %}
{%- for message in messages %}
    {%- if message.role == 'nobody' %}{% continue %}{% endif %}
    {%- if tools %}{{ raise_exception('no tools here') }}{% endif %}
    {%- if ns.first %}{{- bos_token }}{% set ns.first = false %}{% endif %}
    {{- '<|im_start|>' + {'role': message.role, 'n': '<é>'} | tojson + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>' + {'role': 'assistant', 'n': '<é>'} | tojson + '\\n' }}{% endif %}
"""
TEMPLATES = {"chatml": CHATML, "heads": HEADS, "plain": PLAIN, "marked": MARKED, "busy": BUSY}

CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "What is 🦊 in French, s'il vous plaît?"},
    {"role": "assistant", "content": "  « renard » 🦊, of course\nand that is all "},
    {"role": "user", "content": "Sure?\n"},
    {"role": "assistant", "content": "Sure."},
]


def byte_pairs(*, normalised: bool = False) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    if normalised:
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, show_progress=False, initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
    )
    tokenizer.train_from_iterator([string.printable, "the fox assistant\n\n user \n\n### "] * 20, trainer)
    tokenizer.add_special_tokens([AddedToken(word, special=True) for word in SPECIAL])
    return tokenizer


@pytest.fixture(scope="module")
def tokenizer() -> Tokenizer:
    return byte_pairs()


def by_transformers(tokenizer: Tokenizer, source: str, messages: object, **options: object) -> Any:
    from transformers import PreTrainedTokenizerFast

    theirs = PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")
    return theirs.apply_chat_template(messages, chat_template=source, return_dict=True, **options)


def template(source: str) -> ChatTemplate:
    return ChatTemplate(source=source, bos_token="<s>", eos_token="</s>")


def said(tokenizer: Tokenizer, ids: Any, mask: Any) -> str:
    """What is learnt from, as text."""
    return tokenizer.decode(
        [int(one) for one, on in zip(ids, mask, strict=True) if on], skip_special_tokens=False
    )


@pytest.mark.parametrize("name", TEMPLATES)
def test_tokens_are_those_of_transformers(tokenizer: Tokenizer, name: str) -> None:
    ids, mask = encode_chat(CHAT, tokenizer, template(TEMPLATES[name]))
    assert ids.tolist() == by_transformers(tokenizer, TEMPLATES[name], CHAT)["input_ids"]
    assert mask.shape == ids.shape


def test_a_template_that_wants_turns(tokenizer: Tokenizer) -> None:
    ids, mask = encode_chat(CHAT[1:], tokenizer, template(ALTERNATING))
    assert ids.tolist() == by_transformers(tokenizer, ALTERNATING, CHAT[1:])["input_ids"]
    answers = [f" {message['content']}</s>" for message in CHAT if message["role"] == "assistant"]
    assert said(tokenizer, ids, mask) == "".join(answers)
    with pytest.raises(DocumentError, match="user and assistant take turns"):
        encode_chat(CHAT, tokenizer, template(ALTERNATING))


@pytest.mark.parametrize("normalised", [False, True])
@pytest.mark.parametrize(
    ("name", "end", "trimmed"),
    [
        ("chatml", "<|im_end|>", False),
        ("heads", "<|eot|>", True),
        ("plain", "\n\n", False),
        ("busy", "<|im_end|>", False),
    ],
)
def test_answers_and_the_end_of_their_turns_are_learnt(
    name: str, end: str, trimmed: bool, normalised: bool
) -> None:
    tokenizer = byte_pairs(normalised=normalised)
    ids, mask = encode_chat(CHAT, tokenizer, template(TEMPLATES[name]))
    answers = [message["content"] for message in CHAT if message["role"] == "assistant"]
    expected = "".join((answer.strip() if trimmed else answer) + end for answer in answers)
    assert said(tokenizer, ids, mask) == expected


def test_the_mask_is_that_of_a_template_with_marks(tokenizer: Tokenizer) -> None:
    ids, mask = encode_chat(CHAT, tokenizer, template(MARKED))
    theirs = by_transformers(tokenizer, MARKED, CHAT, return_assistant_tokens_mask=True)
    assert (ids.tolist(), mask.tolist()) == (theirs["input_ids"], theirs["assistant_masks"])


def test_the_default_template(tokenizer: Tokenizer) -> None:
    text = ChatTemplate().render(CHAT[:2], add_generation_prompt=True)
    question = CHAT[1]["content"]
    said_before = f"<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n{question}<|im_end|>\n"
    assert text == said_before + "<|im_start|>assistant\n"


@pytest.mark.parametrize(
    ("chat", "words"),
    [
        ("hello", "c.jsonl:3: found a text; expected a list of messages"),
        ([], "c.jsonl:3: found no message"),
        ([{"role": "user", "content": "x"}], "c.jsonl:3: found no message of the role `assistant`"),
        ([{"role": "user", "content": 3}], "c.jsonl:3: [0].content: found a number; expected a text"),
        ([{"content": "x"}], "c.jsonl:3: [0].role: found nothing; expected a text"),
        ([{"role": "user", "content": "x"}, "y"], "c.jsonl:3: [1]: found a text; expected a message"),
        ([{"role": "assistant", "content": "x"}], "c.jsonl:3: [0].role: found an answer to nothing"),
    ],
)
def test_what_is_no_chat_is_told_with_its_place(tokenizer: Tokenizer, chat: object, words: str) -> None:
    with pytest.raises(DocumentError) as caught:
        encode_chat(chat, tokenizer, ChatTemplate(), where="c.jsonl:3")
    assert words in str(caught.value)


def test_a_template_that_rewrites_earlier_answers_is_refused(tokenizer: Tokenizer) -> None:
    source = "{% for m in messages %}{{ m.role if loop.last else '' }}{{ m.content }}{% endfor %}"
    with pytest.raises(DocumentError, match="writes this answer otherwise"):
        encode_chat(CHAT, tokenizer, template(source))


@pytest.mark.parametrize(
    "source",
    [
        "{{ 1 / 0 }}",
        "{{ range(10**9) | list }}",
        "{{ 'a'.encode('none') }}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
    ],
)
def test_a_template_that_fails_as_programs_do_is_told(tokenizer: Tokenizer, source: str) -> None:
    with pytest.raises(DocumentError, match="refuses"):
        encode_chat(CHAT, tokenizer, template(source))


def test_a_template_gets_no_clock_and_no_python(tokenizer: Tokenizer) -> None:
    for source in (
        "{{ strftime_now('%d') }}",
        "{{ messages.__class__.__mro__ }}",
        "{{ messages.append(1) }}",
    ):
        with pytest.raises(DocumentError, match="refuses"):
            encode_chat(CHAT, tokenizer, template(source))


ASK = {"role": "user", "content": "2 + 2?"}
EARLIER = [ASK, {"role": "assistant", "content": "4"}, {"role": "user", "content": "and 3 + 3?"}]


def answer(text: str) -> dict[str, str]:
    return {"role": "assistant", "content": text}


@pytest.mark.parametrize(
    "pair",
    [
        {"chosen": [*EARLIER, answer("6")], "rejected": [*EARLIER, answer("7!")]},
        {"prompt": EARLIER, "chosen": "6", "rejected": "7!"},
        {"prompt": EARLIER, "chosen": [answer("6")], "rejected": [answer("7!")]},
    ],
)
def test_a_pair_learns_only_what_differs(tokenizer: Tokenizer, pair: object) -> None:
    chosen, rejected = encode_pair(pair, tokenizer, ChatTemplate())
    assert said(tokenizer, *chosen) == "6<|im_end|>"
    assert said(tokenizer, *rejected) == "7!<|im_end|>"
    assert tokenizer.decode(chosen.ids.tolist(), skip_special_tokens=False).startswith(
        "<|im_start|>user\n2 + 2?"
    )


def test_a_prompt_may_be_a_text(tokenizer: Tokenizer) -> None:
    pair = {"prompt": "2 + 2?", "chosen": "4", "rejected": "5"}
    chosen, _ = encode_pair(pair, tokenizer, ChatTemplate())
    whole, _ = encode_chat([ASK, answer("4")], tokenizer, ChatTemplate())
    assert chosen.ids.tolist() == whole.tolist()


@pytest.mark.parametrize(
    ("pair", "words"),
    [
        ([1], "p.jsonl:9: found a list; expected a record with `chosen` and `rejected`"),
        ({"chosen": "4", "rejected": "5"}, "p.jsonl:9: chosen: found a text; expected a list of messages"),
        ({"prompt": "x", "chosen": "4"}, "p.jsonl:9: rejected: found nothing"),
        ({"prompt": 1, "chosen": "4", "rejected": "5"}, "p.jsonl:9: prompt: found a number"),
        ({"prompt": "x", "chosen": "4", "rejected": "4"}, "p.jsonl:9: rejected: found the same messages"),
        ({"prompt": "x", "chosen": [{}], "rejected": "4"}, "p.jsonl:9: chosen[0].role: found nothing"),
        ({"chosen": EARLIER, "rejected": [*EARLIER, answer("7")]}, "p.jsonl:9: found no message of the role"),
    ],
)
def test_what_is_no_pair_is_told_with_its_place(tokenizer: Tokenizer, pair: object, words: str) -> None:
    with pytest.raises(DocumentError) as caught:
        encode_pair(pair, tokenizer, ChatTemplate(), where="p.jsonl:9")
    assert words in str(caught.value)
