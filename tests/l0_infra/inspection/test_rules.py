"""The rules that ship with ogai are sound: every field that they name exists."""
