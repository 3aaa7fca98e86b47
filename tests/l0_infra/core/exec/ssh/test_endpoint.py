import shutil
from pathlib import Path

import pytest

from l0_infra.core.errors import RemoteError
from l0_infra.core.exec import SshOptions
from l0_infra.core.exec.ssh.endpoint import config_argv, hop_options, parse_config, resolve

needs_ssh = pytest.mark.skipif(shutil.which("ssh") is None, reason="needs ssh (Debian: openssh-client)")

CONFIG = """
Include {folder}/included
Host n?
    User train
    IdentityFile {folder}/key-%h
    IdentitiesOnly yes
    ProxyJump bastion,root@10.9.9.9:2200
    UserKnownHostsFile {folder}/known "{folder}/known2"
    ConnectTimeout 4
    ServerAliveInterval 7
    HashKnownHosts yes
    StrictHostKeyChecking no
Host aliased
    HostKeyAlias the-node
    ProxyCommand nc %h %p
Host *
    Port 2022
"""
INCLUDED = "Host n1\n    HostName 10.1.1.1\n    Port 23\n"


@pytest.fixture
def options(tmp_path: Path) -> SshOptions:
    (tmp_path / "included").write_text(INCLUDED)
    (tmp_path / "config").write_text(CONFIG.format(folder=tmp_path))
    return SshOptions(config_file=str(tmp_path / "config"))


@needs_ssh
def test_the_users_configuration_is_honoured(options: SshOptions, tmp_path: Path) -> None:
    endpoint = resolve("n1", options)
    assert endpoint.where == "train@10.1.1.1:23"
    assert endpoint.known_as == "[10.1.1.1]:23"
    assert endpoint.jumps == ("bastion", "root@[10.9.9.9]:2200")
    assert endpoint.identity_files == (f"{tmp_path}/key-10.1.1.1",)
    assert endpoint.identities_only
    assert endpoint.known_hosts_files[:2] == (f"{tmp_path}/known", f"{tmp_path}/known2")
    assert (endpoint.connect_timeout_s, endpoint.keepalive_s) == (4, 7)
    assert endpoint.hash_known_hosts


@needs_ssh
def test_an_alias_names_the_host_for_its_key(options: SshOptions) -> None:
    endpoint = resolve("aliased", options)
    assert (endpoint.known_as, endpoint.proxy_command) == ("the-node", "nc aliased 2022")
    assert endpoint.jumps == ()


@needs_ssh
def test_what_the_caller_says_comes_before_the_configuration(tmp_path: Path, options: SshOptions) -> None:
    given = SshOptions(
        user="me", port=99, config_file=options.config_file, known_hosts_file="/k", identity_files=("/id",)
    )
    endpoint = resolve("n1", given)
    assert (endpoint.user, endpoint.port, endpoint.known_hosts_files[0]) == ("me", 99, "/k")
    assert endpoint.identity_files[0] == "/id"


@needs_ssh
def test_a_bad_configuration_is_told_in_the_words_of_ssh(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("Nonsense yes\n")
    with pytest.raises(RemoteError, match="line 1: Bad configuration option: nonsense"):
        resolve("n1", SshOptions(config_file=str(tmp_path / "config")))


@needs_ssh
def test_a_target_is_never_read_as_an_option(options: SshOptions) -> None:
    with pytest.raises(RemoteError):
        resolve("-oProxyCommand=touch", options)


def test_the_first_of_repeated_keys_counts_and_none_is_nothing() -> None:
    text = "hostname h\nuser u\nport 22\nproxyjump none\nconnecttimeout none\nuser later\n"
    text += "identityfile /a\nidentityfile /b"
    endpoint = parse_config("h", text, SshOptions())
    assert (endpoint.user, endpoint.jumps, endpoint.connect_timeout_s) == ("u", (), 10)
    assert endpoint.identity_files == ("/a", "/b")
    assert endpoint.known_as == "h"


@pytest.mark.parametrize(
    ("hop", "name", "user", "port"),
    [
        ("bastion", "bastion", None, None),
        ("root@bastion:2200", "bastion", "root", 2200),
        ("ssh://me@bastion:22", "bastion", "me", 22),
        ("me@[fe80::1]:7", "fe80::1", "me", 7),
    ],
)
def test_a_jump_is_read(hop: str, name: str, user: str | None, port: int | None) -> None:
    given = SshOptions(user="target-user", port=5, config_file="/c")
    assert hop_options(hop, given) == (name, SshOptions(user=user, port=port, config_file="/c"))


def test_the_target_stands_behind_the_options() -> None:
    assert config_argv("-v", SshOptions(user="me"))[-2:] == ("--", "-v")
