# SPDX-License-Identifier: BSD-3-Clause
"""Where a dataset in a bucket is and who asks for it, as fsspec's users write it (`storage_options=`), for the C library."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

_KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
_NO_OTHERS = ("AWS_NO_SIGN_REQUEST", "AWS_ROLE_ARN", "AWS_WEB_IDENTITY_TOKEN_FILE")


class Settings(tuple[str | None, ...]):
    """Names of variables and their values in turn. It can be a key of a dictionary, and shows no secret."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"<settings of storage: {', '.join(str(name) for name in self[::2])}>"


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError(f"storage_options: {name} is a text, not {type(value).__name__}")
    return value


def _set_text(variable: str) -> Callable[[dict[str, str | None], str, Any], None]:
    def take(out: dict[str, str | None], name: str, value: Any) -> None:
        out[variable] = _text(name, value)

    return take


def _anon(out: dict[str, str | None], name: str, value: Any) -> None:
    out["AWS_NO_SIGN_REQUEST"] = "true" if value else None


def _pays(out: dict[str, str | None], name: str, value: Any) -> None:
    out["AWS_REQUEST_PAYER"] = "requester" if value else None


def _client(out: dict[str, str | None], name: str, value: Any) -> None:
    _take(out, _CLIENT, value, "client_kwargs: ")


_Take = Callable[[dict[str, str | None], str, Any], None]
_CLIENT: dict[str, _Take] = {
    "endpoint_url": _set_text("AWS_ENDPOINT_URL_S3"),
    "region_name": _set_text("AWS_REGION"),
    "aws_access_key_id": _set_text(_KEYS[0]),
    "aws_secret_access_key": _set_text(_KEYS[1]),
    "aws_session_token": _set_text(_KEYS[2]),
}
_OPTIONS: dict[str, _Take] = {
    "anon": _anon,
    "key": _set_text(_KEYS[0]),
    "secret": _set_text(_KEYS[1]),
    "token": _set_text(_KEYS[2]),
    "endpoint_url": _set_text("AWS_ENDPOINT_URL_S3"),
    "profile": _set_text("AWS_PROFILE"),
    "requester_pays": _pays,
    "client_kwargs": _client,
}


def _take(out: dict[str, str | None], known: dict[str, _Take], options: Any, where: str) -> None:
    if not isinstance(options, Mapping):
        raise TypeError(f"storage_options: {where}a mapping is needed, not {type(options).__name__}")
    for name, value in options.items():
        if name not in known:
            raise ValueError(f"storage_options: {where}{name!r} is not understood; these are: {', '.join(known)}")
        if value is not None:
            known[name](out, name, value)


def is_bucket(path: str) -> bool:
    """s3://, gs://, or a URL that says mode=s3."""
    address, _, fragment = path.partition("#")
    words = fragment.replace("&", ",").replace("=", ",").split(",")
    return address.startswith(("s3://", "gs://")) or (address.startswith(("http://", "https://")) and "s3" in words)


def settings(path: str, options: Mapping[str, Any] | Settings | None) -> Settings:
    """What the options mean; what they cannot mean is an error, as nothing that was asked for is passed over."""
    if options is None or isinstance(options, Settings):
        return options or Settings()
    out: dict[str, str | None] = {}
    _take(out, _OPTIONS, options, "")
    if out and not is_bucket(path):
        raise ValueError(f"storage_options are for s3:// and gs:// URLs, and those with mode=s3, which {path} is not")
    if (_KEYS[0] in out) != (_KEYS[1] in out):
        raise ValueError("storage_options: key and secret go together")
    if _KEYS[0] in out and "AWS_PROFILE" in out:
        raise ValueError("storage_options: give key and secret, or a profile")
    if _KEYS[0] in out or "AWS_PROFILE" in out:  # and nobody whom the environment names
        for name in (*_KEYS, *_NO_OTHERS):
            out.setdefault(name, None)
    return Settings(part for pair in sorted(out.items()) for part in pair)
