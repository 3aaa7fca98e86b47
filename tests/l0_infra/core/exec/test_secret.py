import copy
import json
import pickle
from dataclasses import dataclass

import msgspec
import pytest

from l0_infra.core.exec import Command, Secret

TEXT = "correct horse"


def test_it_shows_nowhere() -> None:
    secret = Secret(TEXT)
    shown = [str(secret), repr(secret), f"{secret}", f"{secret:>20}", f"{[secret]}", "%s" % secret]  # noqa: UP031
    assert all("***" in text and TEXT not in text for text in shown)
    assert secret.reveal() == TEXT


def test_it_stays_hidden_inside_a_command() -> None:
    command = Command(argv=("true",), env={"TOKEN": Secret(TEXT)}, stdin=TEXT.encode())
    assert TEXT not in f"{command!r} {command}"


@pytest.mark.parametrize("store", [pickle.dumps, copy.copy, copy.deepcopy, json.dumps, msgspec.json.encode])
def test_it_is_never_stored(store) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(TypeError):
        store(Secret(TEXT))


def test_equality_is_by_text_and_only_with_secrets() -> None:
    assert Secret(TEXT) == Secret(TEXT)
    assert Secret(TEXT) != Secret("other")
    assert Secret(TEXT) != TEXT


def test_a_struct_that_holds_one_does_not_give_it_away() -> None:
    @dataclass
    class Login:
        password: Secret

    assert TEXT not in repr(Login(Secret(TEXT)))
