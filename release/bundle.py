"""Assemble a Kaggle dataset: all wheels for a notebook without network.

python release/bundle.py    into dist/kaggle; the wheels of arcbatt are those of `make wheels`

NumPy and Pillow are left out: every image of Kaggle has them, they are large, and NumPy 1.26
and Pillow 10 are recent enough. Other packages of an image are replaced only if they are too old.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
BUNDLE = DIST / "kaggle"
NOTEBOOKS = ROOT / "notebooks"
# The Python versions of notebooks, and the platforms whose wheels they accept.
VERSIONS = ("3.11", "3.12", "3.13")
PLATFORMS = ("manylinux_2_17_x86_64", "manylinux2014_x86_64", "manylinux_2_28_x86_64")
IN_EVERY_IMAGE = ("numpy", "pillow")


def list_packages(version: str) -> list[str]:
    """Return the packages that a Python of this version needs besides arcbatt, as name==version."""
    platforms = [f"--platform={name}" for name in PLATFORMS]
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--report", "-"]
    command += ["--ignore-installed", "--only-binary=:all:", "--target", str(DIST / "nowhere")]
    command += [f"--python-version={version}", "--implementation=cp", *platforms]
    command += [f"--find-links={DIST}", "arcbatt"]
    report = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    packages = [each["metadata"] for each in report["install"]]
    left_out = {"arcbatt", *IN_EVERY_IMAGE}
    return [f"{m['name']}=={m['version']}" for m in packages if m["name"].lower() not in left_out]


def download(package: str, version: str) -> None:
    """Put the wheel of a package for a Python of this version into the bundle."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    command += ["--only-binary=:all:", f"--python-version={version}", "--implementation=cp"]
    command += [*(f"--platform={name}" for name in PLATFORMS), "--dest", str(BUNDLE), package]
    subprocess.run(command, check=True)


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
        for package in list_packages(version):
            download(package, version)
    files = sorted(BUNDLE.iterdir())
    for path in files:
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.name}")
    total = sum(path.stat().st_size for path in files)
    print(f"{total / 1e6:8.2f} MB  {len(files)} files in {BUNDLE.relative_to(ROOT)}")
    print("To publish: kaggle datasets init -p dist/kaggle, fill in its name, then create.")


if __name__ == "__main__":
    main()
