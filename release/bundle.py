"""Assemble a Kaggle dataset: all wheels for a notebook without network.

python release/bundle.py    into dist/kaggle; the wheels of arcbatt are those of `make wheels`

The other packages are those of requirements/run.txt, by their hashes: nothing is resolved from a
package index. NumPy and Pillow are left out: every image of Kaggle has them, they are large, and
NumPy 1.26 and Pillow 10.1 are recent enough. Other packages of an image are replaced by those of
the bundle only if they are too old.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
BUNDLE = DIST / "kaggle"
NOTEBOOKS = ROOT / "notebooks"
# The Python versions of notebooks, and the platforms whose wheels they accept.
VERSIONS = ("3.11", "3.12", "3.13")
PLATFORMS = ("manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux_2_28_x86_64")
LINUX = {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix"}
IN_EVERY_IMAGE = ("numpy", "pillow")
LOCK = ROOT / "requirements" / "run.txt"


def list_packages(version: str) -> list[str]:
    """Return the locked packages for a Python of this version, each with its hashes."""
    there = {"python_version": version, "python_full_version": f"{version}.0", **LINUX}
    chosen = []
    for block in LOCK.read_text().replace("\\\n", " ").splitlines():
        pinned, *hashes = block.split(" --hash=")
        package = Requirement(pinned.strip())
        if package.marker is not None and not package.marker.evaluate(there):
            continue
        if package.name not in IN_EVERY_IMAGE:
            words = [f"{package.name}{package.specifier}", *(f"--hash={h}" for h in hashes)]
            chosen.append(" ".join(map(str.strip, words)))
    return chosen


def download(packages: Sequence[str], version: str) -> None:
    """Put the wheels of packages for a Python of this version into the bundle."""
    chosen = BUNDLE.parent / f"bundle-{version}.txt"
    chosen.write_text("\n".join(packages) + "\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes"]
    command += ["--only-binary=:all:", f"--python-version={version}", "--implementation=cp"]
    command += [*(f"--platform={name}" for name in PLATFORMS), "--dest", str(BUNDLE)]
    subprocess.run([*command, "--requirement", str(chosen)], check=True)
    chosen.unlink()


def main() -> None:
    own = sorted(DIST.glob("arcbatt-*.whl"))
    tags = {wheel.name.split("-")[2] for wheel in own}
    if not {"cp311", "cp312"} <= tags:
        raise SystemExit(f"{DIST}: no wheels of arcbatt for 3.11 and 3.12; run make wheels")
    shutil.rmtree(BUNDLE, ignore_errors=True)
    BUNDLE.mkdir(parents=True)
    # Optional kernels for Kaggle's GPUs (P100, T4, L4): wheels.py --kernels 60,75,80.
    compiled = sorted(DIST.glob("arcbatt_kernels-*.whl"))
    for path in (*own, *compiled, *sorted(NOTEBOOKS.glob("*.ipynb"))):
        shutil.copy(path, BUNDLE)
    for version in VERSIONS:
        download(list_packages(version), version)
    files = sorted(BUNDLE.iterdir())
    for path in files:
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.name}")
    total = sum(path.stat().st_size for path in files)
    print(f"{total / 1e6:8.2f} MB  {len(files)} files in {BUNDLE.relative_to(ROOT)}")
    print("To publish: kaggle datasets init -p dist/kaggle, fill in its name, then create.")


if __name__ == "__main__":
    main()
