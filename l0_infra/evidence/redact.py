"""Take secrets out of what tools print, before it is kept or shown: names stay, values become `[removed]`."""

import re

__all__ = ["redact"]

REMOVED = "[removed]"

KEY = (
    r"[a-z0-9_.-]*(?:passw(?:or)?d|passphrase|passwd|pwd|secret|token|api[_-]?key|access[_-]?key"
    r"|(?:private|account|secret|encryption|signing|shared|luks)[_.-]?key|credentials?|community|signature"
    r"|(?<![a-z])pass)"
)
VALUE = r"""(?:\\"[^"\\\n]*\\"|"[^"\n]*"|'[^'\n]*'|(?:\\ |[^\s,;&'"}\]])+)"""
COMMANDS = (
    *(r"sshpass\s+-p\s*", r"wandb\s+login\s+(?:--\S{1,80}\s+){0,3}", r"r[ow]community6?\s+"),
    *(r"redis-cli\b[^\n]{0,200}?\s-a\s+", r"ipmitool\b[^\n]{0,200}?\s-P\s*"),
    *(r"mysql\w{0,10}\b[^\n]{0,200}?\s-p", r"curl\b[^\n]{0,200}?\s(?:-u|--user)[ =]?[^\s:]{1,80}:"),
)
"""What stands before a password on the command lines of programs that name it by one letter, or not at all."""
PATTERNS = (
    (
        re.compile(r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}-----|\Z)", re.S),
        REMOVED,
    ),
    (re.compile(rf"(?i)((?<![a-z0-9_.-]){KEY}[\"']?\s{{0,3}}[=:]\s{{0,3}}){VALUE}"), rf"\1{REMOVED}"),
    (re.compile(rf"(?i)((?<!\S)--?{KEY}\s{{1,3}})(?!-){VALUE}"), rf"\1{REMOVED}"),
    (re.compile(rf"(?i)((?<![a-z0-9_.-]){KEY}\s{{1,3}})\"[^\"\n]*\""), rf"\1{REMOVED}"),
    (re.compile(rf"\b({'|'.join(COMMANDS)})(?!-){VALUE}"), rf"\1{REMOVED}"),
    (
        re.compile(
            rf"(?i)\b((?:password|passphrase|token|secret)\s(?:is|was|for\s\S{{1,80}}:)\s{{1,3}}){VALUE}"
        ),
        rf"\1{REMOVED}",
    ),
    (
        re.compile(rf"(?i)\b((?:snmp\S{{0,20}}\scommunity|wpa_passphrase\s\S{{1,80}})\s{{1,3}}){VALUE}"),
        rf"\1{REMOVED}",
    ),
    (re.compile(r"(?i)((?:[?&](?:sig|auth|key)|(?<!\S)(?:--)?auth)[=])[^\s&]+"), rf"\1{REMOVED}"),
    (
        re.compile(r"(?i)\b((?:authorization|proxy-authorization|cookie|x-auth-token)\s*:\s*)[^\r\n]+"),
        rf"\1{REMOVED}",
    ),
    (re.compile(r"(?i)\b(bearer\s+)[a-z0-9._~+/-]{8,}=*"), rf"\1{REMOVED}"),
    (re.compile(r"(?i)([a-z][a-z0-9+.-]{1,20}://[^/\s:@]{0,200}:)[^/\s@]{1,200}@"), rf"\1{REMOVED}@"),
    (re.compile(r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"), REMOVED),
    (re.compile(r"\b(?:ghp|gho|ghs|ghu|hf|sk|glpat|xox[abps])[_-][A-Za-z0-9_-]{16,}"), REMOVED),
    (re.compile(r"\b(?:github_pat_|nvapi-|AIza)[A-Za-z0-9_-]{20,}"), REMOVED),
    (re.compile(r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{5,}"), REMOVED),
)
"""Private keys; named values, options and headers; passwords in addresses; tokens known by their form."""


def redact(text: str) -> str:
    """Return the text without passwords, keys and tokens; what named them stays."""
    for pattern, replacement in PATTERNS:
        text = pattern.sub(replacement, text)
    return text
