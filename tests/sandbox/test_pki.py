"""A certificate is kept as long as it is the one that is asked for."""

from __future__ import annotations

import pytest
import yaml
from cryptography import x509

from sandbox import paths, pki


def server(name: str = "server", hosts: tuple[str, ...] = ("a",), addresses: tuple[str, ...] = ()) -> bytes:
    return pki.issue("pair", name, hosts=hosts, addresses=addresses).certificate.read_bytes()


def test_a_certificate_is_made_once() -> None:
    assert server() == server()


@pytest.mark.parametrize("change", [{"name": "other"}, {"hosts": ("a", "b")}, {"addresses": ("10.0.0.1",)}])
def test_a_certificate_for_other_names_is_made_anew(change: dict[str, str]) -> None:
    before = server()
    after = server(**change)
    assert after != before
    assert after == server(**change)


def test_a_certificate_of_another_authority_is_made_anew() -> None:
    before = server()
    pki.authority().certificate.unlink()
    assert server() != before


@pytest.mark.parametrize("file", ["pair.crt", "pair.key", "ca.crt", "ca.key"])
def test_what_a_crash_left_empty_is_made_anew(file: str) -> None:
    before = server()
    (paths.pki() / file).write_bytes(b"")
    after = x509.load_pem_x509_certificate(server())
    issuer = x509.load_pem_x509_certificate(pki.authority().certificate.read_bytes())
    after.verify_directly_issued_by(issuer)
    assert after != x509.load_pem_x509_certificate(before)


def test_keys_can_be_read_by_their_owner_only() -> None:
    server()
    kubeconfig = pki.kubeconfig(paths.kubeconfig(), "https://127.0.0.1:1", pki.issue("admin", "admin"))
    for file in (paths.pki() / "pair.key", pki.service_account_key(), kubeconfig):
        assert file.stat().st_mode & 0o077 == 0
    assert yaml.safe_load(kubeconfig.read_text())["current-context"]
