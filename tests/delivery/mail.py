"""A real SMTP server that keeps what it is sent."""

from __future__ import annotations

import socket
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from email.policy import default
from typing import Any, NamedTuple

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, LoginPassword


class Mail(NamedTuple):
    """One mail as it arrived."""

    sender: str
    recipients: list[str]
    subject: str
    text: str
    parts: list[str]
    """Content types, of all but the containers."""


class MailServer:
    """Listens until it is closed; with a user it lets nobody else in."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0, login: tuple[str, str] | None = None) -> None:
        self.mails: list[Mail] = []
        self._login = login
        options: dict[str, Any] = (
            {
                "authenticator": self._authenticate,
                "auth_required": True,
                "auth_require_tls": False,
                "auth_exclude_mechanism": ["LOGIN"],
            }
            if login
            else {}
        )
        if not port:
            with socket.create_server((host, 0)) as free:
                port = free.getsockname()[1]
        self._controller = Controller(self, hostname=host, port=port, **options)
        self._controller.start()
        self.host, self.port = host, port

    def close(self) -> None:
        self._controller.stop()

    def _authenticate(
        self, server: Any, session: Any, envelope: Any, mechanism: str, data: Any
    ) -> AuthResult:
        given = data if isinstance(data, LoginPassword) else None
        good = given is not None and (given.login.decode(), given.password.decode()) == self._login
        return AuthResult(success=good)

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:  # noqa: N802 (aiosmtpd's name)
        mail = message_from_bytes(envelope.content, policy=default)
        leaves = [part for part in mail.walk() if not part.is_multipart()]
        [text] = [part for part in leaves if part.get_content_type() == "text/plain"]
        self.mails.append(
            Mail(
                envelope.mail_from,
                list(envelope.rcpt_tos),
                str(make_header(decode_header(mail["Subject"]))),
                _text(text),
                [part.get_content_type() for part in leaves],
            )
        )
        return "250 OK"


def _text(part: Message) -> str:
    payload = part.get_payload(decode=True)
    assert isinstance(payload, bytes)
    return payload.decode("utf-8")
