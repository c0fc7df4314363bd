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
from cryptography.exceptions import InvalidSignature
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
    if _whole(pair) is None:
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
    """A certificate for a client or server, signed by the authority.

    Made at the first call, and anew when it is damaged, of another authority, or for other names.
    """
    pair, issuer = _pair(name), authority()
    issuer_key = serialization.load_pem_private_key(issuer.key.read_bytes(), None)
    issuer_certificate = x509.load_pem_x509_certificate(issuer.certificate.read_bytes())
    assert isinstance(issuer_key, ec.EllipticCurvePrivateKey)  # made by authority() above
    subject = _name(common_name, organisations)
    names: list[x509.GeneralName] = [x509.IPAddress(ipaddress.ip_address(a)) for a in addresses]
    names += [x509.DNSName(host) for host in hosts]
    present = _whole(pair)
    if present and present.subject == subject and _names(present) == names and _signed(present, issuer_key):
        return pair
    key = ec.generate_private_key(ec.SECP256R1())
    builder = _builder(subject, issuer_certificate.subject, key)
    usages = [ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH]
    builder = builder.add_extension(x509.ExtendedKeyUsage(usages), critical=False)
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    _store(pair, builder.sign(issuer_key, hashes.SHA256()), key)
    return pair


def service_account_key() -> Path:
    """The key that signs service account tokens."""
    path = paths.pki() / "service-account.key"
    if not path.exists() or not path.stat().st_size:  # a crash may leave it empty
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


def _whole(pair: KeyPair) -> x509.Certificate | None:
    """The certificate, if it and its key are there and belong together."""
    try:
        certificate = x509.load_pem_x509_certificate(pair.certificate.read_bytes())
        key = serialization.load_pem_private_key(pair.key.read_bytes(), None)
    except (FileNotFoundError, ValueError):
        return None
    return certificate if certificate.public_key() == key.public_key() else None


def _names(certificate: x509.Certificate) -> list[x509.GeneralName]:
    try:
        return list(certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value)
    except x509.ExtensionNotFound:
        return []


def _signed(certificate: x509.Certificate, issuer_key: ec.EllipticCurvePrivateKey) -> bool:
    try:
        issuer_key.public_key().verify(
            certificate.signature, certificate.tbs_certificate_bytes, ec.ECDSA(hashes.SHA256())
        )
    except InvalidSignature:
        return False
    return True


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
