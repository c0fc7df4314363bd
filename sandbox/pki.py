"""Certificates and kubeconfigs of the sandbox: one authority, made once and kept in the state folder."""

from __future__ import annotations

import base64
import datetime
import ipaddress
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from sandbox import paths

VALID_DAYS = 3650


@dataclass(frozen=True, kw_only=True)
class KeyPair:
    """A certificate and its private key, as files."""

    certificate: Path
    key: Path


def authority() -> KeyPair:
    """The sandbox's certificate authority, made at the first call."""
    pair = _pair("ca")
    if not pair.certificate.exists():
        key = ec.generate_private_key(ec.SECP256R1())
        name = _name("colocation-sandbox", ())
        certificate = (
            _builder(name, name, key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(key, hashes.SHA256())
        )
        _store(pair, certificate, key)
    return pair


def issue(
    name: str,
    common_name: str,
    *,
    organisations: Sequence[str] = (),
    addresses: Sequence[str] = (),
    hosts: Sequence[str] = (),
) -> KeyPair:
    """A certificate for a client or server, signed by the authority; made at the first call."""
    pair = _pair(name)
    if pair.certificate.exists():
        return pair
    issuer = authority()
    issuer_key = serialization.load_pem_private_key(issuer.key.read_bytes(), None)
    issuer_certificate = x509.load_pem_x509_certificate(issuer.certificate.read_bytes())
    assert isinstance(issuer_key, ec.EllipticCurvePrivateKey)  # made by authority() above
    key = ec.generate_private_key(ec.SECP256R1())
    names: list[x509.GeneralName] = [x509.IPAddress(ipaddress.ip_address(a)) for a in addresses]
    names += [x509.DNSName(host) for host in hosts]
    builder = _builder(_name(common_name, organisations), issuer_certificate.subject, key)
    usages = [ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH]
    builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    _store(pair, builder.sign(issuer_key, hashes.SHA256()), key)
    return pair


def service_account_key() -> Path:
    """The key that signs service account tokens."""
    path = paths.pki() / "service-account.key"
    if not path.exists():
        _write(path, _pem(rsa.generate_private_key(public_exponent=65537, key_size=2048)))
    return path


def kubeconfig(path: Path, server: str, client: KeyPair) -> Path:
    """Write a kubeconfig for a client certificate; all of its material is inside the file."""
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "colocation-sandbox",
        "clusters": [
            {
                "name": "colocation-sandbox",
                "cluster": {
                    "server": server,
                    "certificate-authority-data": _base64(authority().certificate),
                },
            }
        ],
        "users": [
            {
                "name": "user",
                "user": {
                    "client-certificate-data": _base64(client.certificate),
                    "client-key-data": _base64(client.key),
                },
            }
        ],
        "contexts": [
            {
                "name": "colocation-sandbox",
                "context": {"cluster": "colocation-sandbox", "user": "user"},
            }
        ],
    }
    _write(path, yaml.safe_dump(config, sort_keys=False).encode())
    return path


def _pair(name: str) -> KeyPair:
    return KeyPair(certificate=paths.pki() / f"{name}.crt", key=paths.pki() / f"{name}.key")


def _name(common_name: str, organisations: Sequence[str]) -> x509.Name:
    parts = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, o) for o in organisations]
    return x509.Name([*parts, x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        # A day back: a machine's clock may be set between two runs.
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=VALID_DAYS))
    )


def _store(pair: KeyPair, certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> None:
    # The certificate last: its presence says that the pair is whole.
    _write(pair.key, _pem(key))
    _write(pair.certificate, certificate.public_bytes(serialization.Encoding.PEM))


def _pem(key: ec.EllipticCurvePrivateKey | rsa.RSAPrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    partial = path.with_suffix(path.suffix + ".partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
    partial.rename(path)


def _base64(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()
