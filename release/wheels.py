"""Build the published files: wheels that run on any Linux of the last ten years, and an sdist.

python release/wheels.py              into dist/, with the Zig compiler from the package index
python release/wheels.py --compiler c++   with the compiler of this machine
python release/wheels.py --kernels 60,75,80,86,89,90,100,120   and compiled kernels (kernels.py)

There is a wheel for Python 3.11 and one for 3.12 and all later versions, which uses the stable
ABI. Each wheel is checked three times: `auditwheel` determines the systems it runs on, `abi3audit`
checks that it uses only the stable ABI, and the installed wheel replays the recorded calls.
Interpreters are searched on PATH and in pyenv; `--python` names others.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
BUILD = ROOT / "build" / "wheels"
# The first Python whose stable ABI has everything that the extension needs.
STABLE = "3.12"
VERSIONS = ("3.11", STABLE)
GLIBC = "2.17"
# Packages are installed by their hashes from these files.
LOCKS = ROOT / "requirements"
# By default, Zig traps on undefined behavior. The headers of the stable ABI do not include stdio,
# which the headers of nanobind need.
ZIG_FLAGS = ("-fno-sanitize=undefined", "-include", "stdio.h", "-Wno-macro-redefined")


def find_python(version: str) -> Path:
    """Return an interpreter of a version, such as 3.12."""
    on_path = shutil.which(f"python{version}")
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [Path(on_path)] if on_path else []
    candidates += sorted(pyenv.glob(f"{version}.*/bin/python"))
    for candidate in candidates:
        # A shim of pyenv on PATH may fail if its version is not selected.
        asked = [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
        answer = subprocess.run(asked, capture_output=True, text=True)
        if answer.returncode == 0 and answer.stdout.strip() == version:
            return candidate
    raise SystemExit(f"no Python {version} was found; install it, or name one with --python")


def version_of(python: Path) -> str:
    """Return the version of an interpreter, as in "3.12"."""
    asked = [python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def make_environment(python: Path, place: Path, packages: Sequence[str]) -> Path:
    """Make an environment with packages, or reuse the existing one."""
    if not (place / "bin" / "python").exists():
        subprocess.run([python, "-m", "venv", place], check=True)
    own = place / "bin" / "python"
    subprocess.run([own, "-m", "pip", "install", "--quiet", "--quiet", *packages], check=True)
    return own


def locked(name: str) -> list[str]:
    """Return the arguments of pip that install the packages of a lock."""
    return ["--require-hashes", "--requirement", str(LOCKS / f"{name}.txt")]


def make_tools() -> Path:
    """Make the environment with the compiler and the checkers, or reuse the existing one.

    There is one for all versions, since Zig rebuilds its libraries for every install location.
    """
    return make_environment(Path(sys.executable), BUILD / "tools", locked("release"))


def write_compilers(python: Path, place: Path) -> dict[str, Path]:
    """Write scripts that call Zig as a compiler for an old system; return them by name."""
    target = ("-target", f"{platform.machine()}-linux-gnu.{GLIBC}")
    scripts = {"cc": target, "c++": (*target, *ZIG_FLAGS), "ar": (), "ranlib": ()}
    place.mkdir(parents=True, exist_ok=True)
    for name, flags in scripts.items():
        words = " ".join(map(str, (python, "-m", "ziglang", name, *flags)))
        (place / name).write_text(f'#!/bin/sh\nexec {words} "$@"\n')
        (place / name).chmod(0o755)
    return {name: place / name for name in scripts}


def build_wheel(python: Path, compiler: str) -> Path:
    """Build the wheel for an interpreter; return its path."""
    version = version_of(python)
    place = BUILD / version
    own = make_environment(python, place / "env", locked("build"))
    environment = dict(os.environ, PATH=f"{own.parent}{os.pathsep}{os.environ['PATH']}")
    options = [f"build-dir={place / 'cmake'}"]
    if version != "3.11":
        options.append("wheel.py-api=cp" + STABLE.replace(".", ""))
    if compiler == "zig":
        made = write_compilers(make_tools(), BUILD / "zig")
        environment |= {"CC": str(made["cc"]), "CXX": str(made["c++"])}
        options += [f"cmake.define.CMAKE_{n.upper()}={made[n]}" for n in ("ar", "ranlib")]
    else:
        environment["CXX"] = compiler
    fresh = place / "wheel"
    shutil.rmtree(fresh, ignore_errors=True)
    command = [own, "-m", "pip", "wheel", ROOT, "--quiet", "--no-deps", "--no-build-isolation"]
    settings = [f"--config-settings={option}" for option in options]
    subprocess.run([*command, "--wheel-dir", fresh, *settings], check=True, env=environment)
    (wheel,) = fresh.glob("*.whl")
    return wheel


def tag_wheel(wheel: Path) -> Path:
    """Tag a wheel with the oldest systems that it runs on; return the tagged wheel."""
    own = make_tools()
    environment = dict(os.environ, PATH=f"{own.parent}{os.pathsep}{os.environ['PATH']}")
    if "-abi3-" in wheel.name:
        subprocess.run([own.parent / "abi3audit", "--strict", wheel], check=True)
    fresh = wheel.parent / "tagged"
    command = [own, "-m", "auditwheel", "repair", "--strip", "--wheel-dir", fresh, wheel]
    subprocess.run(command, check=True, env=environment)
    (tagged,) = fresh.glob("*.whl")
    return tagged


def try_wheel(wheel: Path, python: Path) -> None:
    """Install a wheel into an empty environment, and replay the recorded calls."""
    place = BUILD / version_of(python) / "try"
    shutil.rmtree(place, ignore_errors=True)
    make_environment(python, place, locked("run"))
    own = make_environment(python, place, ["--no-deps", str(wheel)])
    subprocess.run([own.parent / "arcbatt", "conform", "--engine", "cpu"], check=True, cwd=place)


def build_sdist() -> Path:
    """Build the sdist; return its path."""
    own = make_tools()
    fresh = BUILD / "sdist"
    shutil.rmtree(fresh, ignore_errors=True)
    command = [own, "-m", "build", "--sdist", "--no-isolation", "--outdir", fresh, ROOT]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    (sdist,) = fresh.glob("*.tar.gz")
    return sdist


def main() -> None:
    parser = argparse.ArgumentParser(description="Build wheels and an sdist into dist/.")
    parser.add_argument(
        "--python", action="append", type=Path, metavar="PATH", help="build for this interpreter"
    )
    parser.add_argument(
        "--compiler", default="zig", metavar="NAME", help="zig, or an installed compiler"
    )
    parser.add_argument(
        "--kernels",
        default="",
        metavar="75,80,90",
        help="also build a wheel of kernels for these GPU architectures (ten minutes each)",
    )
    args = parser.parse_args()
    pythons = args.python or [find_python(version) for version in VERSIONS]
    DIST.mkdir(exist_ok=True)
    made = []
    for python in pythons:
        print(f"building for Python {version_of(python)} ({python})", flush=True)
        wheel = tag_wheel(build_wheel(python, args.compiler))
        try_wheel(wheel, python)
        made.append(Path(shutil.copy(wheel, DIST)))
    if args.kernels:
        from kernels import build_kernels

        print(f"compiling kernels for {args.kernels}", flush=True)
        made.append(Path(shutil.copy(build_kernels(pythons[-1], made[-1], args.kernels), DIST)))
    print("building the sdist", flush=True)
    made.append(Path(shutil.copy(build_sdist(), DIST)))
    for path in made:
        print(f"{path.stat().st_size / 1e6:8.2f} MB  {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
