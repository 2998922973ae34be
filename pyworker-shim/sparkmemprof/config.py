"""The executor's settings for its Python workers: ``config.json``, which its plugin writes into this package."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

MAX_INTERVAL_BYTES = 1 << 30


class ConfigError(Exception):
    """The configuration is missing or not as expected; the text names the file and says why."""


@dataclass(frozen=True)
class Config:
    application_id: str
    executor_id: str
    box_directory: str
    interval_bytes: int
    """Mean distance of samples, in allocated bytes."""
    arrow_pool: str = "default"
    """What Arrow's memory pool shall be: `default`, Arrow's own choice, or `system`, malloc."""


def read_config(path: str | None = None) -> Config:
    """The configuration in `path`, by default ``config.json`` beside this file. Unknown keys are ignored.

    Raises ConfigError.
    """
    path = path or os.path.join(os.path.dirname(os.path.abspath(__file__)), "config.json")
    try:
        with open(path, encoding="utf-8") as file:
            values = json.load(file)
    except (OSError, ValueError) as error:
        raise ConfigError(f"cannot read {path}: {error}") from error

    def value(key, kind):
        found = values.get(key) if isinstance(values, dict) else None
        if not isinstance(found, kind) or isinstance(found, bool):
            raise ConfigError(f"{path}: {key} is {found!r} instead of {kind.__name__}")
        return found

    config = Config(
        application_id=value("applicationId", str),
        executor_id=value("executorId", str),
        box_directory=value("boxDirectory", str),
        interval_bytes=value("intervalBytes", int),
        arrow_pool=value("arrowPool", str) if "arrowPool" in values else "default",
    )
    if not 1 <= config.interval_bytes <= MAX_INTERVAL_BYTES:
        raise ConfigError(f"{path}: intervalBytes is {config.interval_bytes}; it must be 1 to {MAX_INTERVAL_BYTES}")
    return config
