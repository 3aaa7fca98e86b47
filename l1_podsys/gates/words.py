"""How what a document or a rule names is written within the code of a verdict."""

__all__ = ["code_word"]


def code_word(name: str, *, empty: str) -> str:
    """Write a name in small letters, digits and single dashes: `/shared/home` is `shared-home`; `empty` for none."""
    signs = [sign if sign.isascii() and sign.isalnum() else "-" for sign in name.lower()]
    return "-".join(filter(None, "".join(signs).split("-"))) or empty
