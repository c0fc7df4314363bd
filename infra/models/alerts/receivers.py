"""Who hears of alerts. Addresses that let anyone in are secrets: the stack file says their names only."""

import re
from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, Field, WithJsonSchema

from infra.models.base import Fault, Flag, Model, PositiveInt, exactly_one
from infra.models.names import DnsLabel, Host, PortNumber, text


def _address(value: str) -> str:
    user, at, host = value.rpartition("@")
    if not at or not user or not host or any(c.isspace() or c in "<>,;" for c in value):
        raise ValueError(f"{value!r} is not an e-mail address; write one such as ops@example.org")
    return value


_HOST_AND_PORT = r"([A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\])(:(?P<port>[0-9]{1,5}))?"
_PATH_AND_QUERY = r"([/?]([A-Za-z0-9._~:/?!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)?"
_URL = re.compile(rf"https?://{_HOST_AND_PORT}{_PATH_AND_QUERY}")
"""What Alertmanager and Python's parser both take, without a user and a fragment."""
_SECRET_NAME = re.compile(r"[a-z][a-z0-9]{0,19}(-[a-z0-9]{1,20})*")


def _url(value: str) -> str:
    found = _URL.fullmatch(value)
    if found is None or int(found["port"] or 1) not in range(1, 65536):
        raise ValueError(
            "this is not a plain URL; write one such as https://hooks.example.org/alerts, "
            "without user and password"
        )
    return value


def _secret_name(value: str) -> str:
    # What stands here in its place may be the secret itself: it is not shown.
    if len(value) > 63 or not _SECRET_NAME.fullmatch(value):
        raise ValueError(
            "this is no name, and maybe the secret itself; write a name such as ops-robot-url, "
            "and give Pulumi the value with `pulumi config set --secret <name>`"
        )
    return value


SecretKey = Annotated[
    str,
    AfterValidator(_secret_name),
    WithJsonSchema({"type": "string", "pattern": f"^{_SECRET_NAME.pattern}$", "maxLength": 63}),
]
"""Names a secret of the stack: `pulumi config set --secret <this>` holds the value. Words of at most 20
letters and digits with `-` between them, which no key or token is."""
Address = Annotated[str, AfterValidator(_address), Field(max_length=320)]
Mobile = Annotated[
    str,
    *text(r"\+?[0-9-]{5,20}", 21, 'write its digits in quotes, as in "13800000000"', "a mobile number"),
]
WecomUser = Annotated[
    str,
    *text(
        r"[A-Za-z0-9._@-]{1,64}",
        64,
        "write the member's user id: letters, digits, '.', '_', '@' and '-'",
        "a user id of WeCom",
    ),
]
Url = Annotated[str, AfterValidator(_url), Field(max_length=2048)]


class DingtalkSpec(Model):
    """A robot of a DingTalk group."""

    url_secret: SecretKey
    """Names the secret that holds the robot's whole URL, with its access_token."""
    sign_secret: SecretKey | None = None
    """Names the secret that holds the key of a robot that wants signed messages (it begins with SEC)."""
    keyword: str | None = Field(default=None, min_length=1, max_length=32)
    """A word without which the robot refuses messages; it is put into each."""
    at_mobiles: tuple[Mobile, ...] = ()
    """Mobile numbers of members that each message calls."""
    at_all: Flag = False
    """Each message calls everyone."""


class WecomRobotSpec(Model):
    """A robot of a WeCom group."""

    url_secret: SecretKey
    """Names the secret that holds the robot's whole URL, with its key."""
    mentioned_users: tuple[WecomUser, ...] = ()
    """User ids of members that each message calls."""


class WecomAppSpec(Model):
    """An application of a WeCom company, which writes to its members."""

    corp_id: str = Field(min_length=1)
    agent_id: PositiveInt
    api_secret: SecretKey
    """Names the secret that holds the application's secret."""
    to_user: str | None = Field(default=None, min_length=1)
    """User ids with `|` between them; `@all` for everyone. One of the three at least."""
    to_party: str | None = Field(default=None, min_length=1)
    """Ids of departments with `|` between them."""
    to_tag: str | None = Field(default=None, min_length=1)
    """Ids of tags with `|` between them."""
    api_url: Url | None = None
    """Where the company's API is, for a gateway of one's own. Unset: the public one."""

    def faults(self) -> Iterator[Fault]:
        if not (self.to_user or self.to_party or self.to_tag):
            yield (), "nobody would get the messages; give to_user, to_party or to_tag"


class EmailSpec(Model):
    """Mail through an SMTP server."""

    to: tuple[Address, ...] = Field(min_length=1)
    sender: Address
    """The `From:` of the mail."""
    host: Host
    """The SMTP server."""
    port: PortNumber = 587
    username: str | None = Field(default=None, min_length=1)
    password_secret: SecretKey | None = None
    """Names the secret that holds the user's password."""
    require_tls: Flag = True
    """false: also without encryption, for a server inside the cluster's network."""

    def faults(self) -> Iterator[Fault]:
        if (self.username is None) != (self.password_secret is None):
            lacking = "username" if self.username is None else "password_secret"
            yield (), f"username and password_secret belong together; add {lacking}, or remove the other"


class WebhookSpec(Model):
    """A program that takes Alertmanager's own JSON."""

    url: Url | None = None
    """Where to; for an address that is no secret. Either this or `url_secret`."""
    url_secret: SecretKey | None = None
    """Names the secret that holds the URL."""

    def faults(self) -> Iterator[Fault]:
        yield from exactly_one(self, "url", "url_secret")


class ReceiverSpec(Model):
    """One place where alerts arrive, of exactly one kind."""

    name: DnsLabel
    """What routes call it. `null` is Alertmanager's own word for nobody."""
    dingtalk: DingtalkSpec | None = None
    wecom_robot: WecomRobotSpec | None = None
    wecom_app: WecomAppSpec | None = None
    email: EmailSpec | None = None
    webhook: WebhookSpec | None = None
    send_resolved: Flag = True
    """Also tell when it is over."""

    def faults(self) -> Iterator[Fault]:
        yield from exactly_one(self, "dingtalk", "wecom_robot", "wecom_app", "email", "webhook")
        if self.name == "null":
            yield ("name",), "null is the receiver that drops alerts; give another name"

    def secrets(self) -> Iterator[tuple[str, str, SecretKey]]:
        """The secrets that it names: kind, field, name."""
        for kind in ("dingtalk", "wecom_robot", "wecom_app", "email", "webhook"):
            spec: Model | None = getattr(self, kind)
            for field in type(spec).model_fields if spec else ():
                if field.endswith("secret") and (key := getattr(spec, field)) is not None:
                    yield kind, field, key
