"""Scripts of pages have their types in comments, which the TypeScript compiler checks."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from arcbatt.web.assets import read_assets

ROOT = Path(__file__).parents[2]
PLACES = ("drawing/shared", "explainer", "solving/report", "web/static")
INSTALLED = ROOT / "build" / "tsc" / "node_modules" / ".bin" / "tsc"
OPTIONS = (
    "--noEmit --checkJs --strict --noUncheckedIndexedAccess --noUnusedLocals --target es2022 "
    "--module es2022 --moduleResolution bundler --moduleDetection force "
    "--lib es2022,dom,dom.iterable"
).split()


def scripts() -> list[Path]:
    found = [file for place in PLACES for file in (ROOT / "src/arcbatt" / place).glob("*.js")]
    assert {file.name for file in found} == {name for name in read_assets() if name.endswith(".js")}
    # Bundles of other projects have their types beside them.
    return sorted(file for file in found if not file.with_suffix(".d.ts").exists())


def test_scripts_ask_for_their_types_to_be_checked() -> None:
    for file in scripts():
        assert file.read_text("utf-8").startswith("// @ts-check\n"), file


def test_types_of_scripts() -> None:
    compiler = shutil.which("tsc") or (str(INSTALLED) if INSTALLED.exists() else None)
    if compiler is None:
        pytest.skip("no TypeScript: `npm install --prefix build/tsc typescript` installs it")
    ended = subprocess.run(
        [compiler, *OPTIONS, *map(str, scripts())], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout
