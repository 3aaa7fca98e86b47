"""Secrets are taken out of whatever tools print, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from l0_infra.evidence import redact

SECRETS = [
    "the password is hunter22",
    "Password for root: hunter22",
    "wpa_passphrase lab hunter22",
    "snmp-server community hunter22 ro",
    "redis --auth=hunter22",
    "https://host/blob?sv=2022&sig=hunter22&x=1",
    "password=hunter22",
    "password=with\\ blank\\ hunter22",
    "ipmi_password: hunter22",
    'DB_PASSWORD="hunter22 with blanks"',
    "--token hunter22",
    "-password hunter22",
    '{"api_key": "hunter22"}',
    "Authorization: Basic hunter22==",
    "curl -H 'X-Auth-Token: hunter22'",
    "BOOT_IMAGE=/vmlinuz root=/dev/sda1 rd.luks.passphrase=hunter22 quiet",
    "nfs://admin:hunter22@filer/export",
    "snmp community = hunter22",
    "HF_TOKEN=hf_hunter22hunter22hunter22",
    "AKIAHUNTER22HUNTER22",
    "ghp_hunter22hunter22hunter22",
    "sshpass -p hunter22 ssh n1",
    "mysql -u root -phunter22 -h db",
    "curl -s -u admin:hunter22 http://x",
    "ipmitool -I lanplus -H x -U root -P hunter22 chassis status",
    "redis-cli -h x -a hunter22 ping",
    "wandb login --relogin hunter22",
    "rocommunity hunter22",
    "rd.luks.key=hunter22",
    "AccountKey=hunter22==",
    "pass=hunter22",
    'passphrase "hunter22 with blanks"',
    '"cmd": "x --password=\\"hunter22\\""',
    "https://x/y?X-Amz-Signature=hunter22",
    "github_pat_hunter22_hunter22hunter22",
    "nvapi-hunter22hunter22hunter22",
    "Bearer hunter22.hunter22",
    "eyJhunter22hunter22.eyJhunter22hunter22.hunter22",
    "-----BEGIN OPENSSH PRIVATE KEY-----\nhunter22\n-----END OPENSSH PRIVATE KEY-----",
    "-----BEGIN RSA PRIVATE KEY-----\nhunter22 and the rest was cut off",
]

PLAIN = [
    "[  812.440113] NVRM: Xid (PCI:0000:1b:00): 79, pid=4411, name=python3",
    "root=UUID=5f3c crashkernel=512M iommu=pt",
    "GPU-5a1b2c3d-0000-1111-2222-333344445555, NVIDIA H100 80GB HBM3",
    "0000:c1:00.0 Ethernet controller [0200]: Mellanox Technologies MT2910",
    "tokenizer 3, tokens/s 411",
    "iommu.passthrough=1 bypass=1, module verification failed: signature and/or required key missing",
    "ipmitool -H 10.0.0.9 -p 623 chassis status",
    "http://10.0.0.7:8080/path@2",
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_secret_goes(text: str) -> None:
    assert "hunter22" not in redact(f"before\n{text}\nafter").lower()


@pytest.mark.parametrize("text", SECRETS)
def test_what_stands_around_it_stays(text: str) -> None:
    cleaned = redact(f"driver 570.1\n{text}")
    assert cleaned.startswith("driver 570.1\n") and "[removed]" in cleaned


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_no_secret_stays(text: str) -> None:
    assert redact(text) == text


@given(st.text())
def test_cleaning_twice_is_cleaning_once(text: str) -> None:
    assert redact(redact(text)) == redact(text)


@pytest.mark.parametrize("piece", ["a", "password", "=", "-", "://", "eyJ", "a.", "-----BEGIN "])
def test_long_text_is_cleaned_in_linear_time(piece: str) -> None:
    text = piece * (400_000 // len(piece))
    assert len(redact(text)) <= len(text) + len("[removed]")
