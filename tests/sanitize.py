"""Build the engine with sanitizers, and stress it.

    python -m tests.sanitize --minutes 60            what `make sanitize` does
    python -m tests.sanitize --count 300             a number of cases of the fuzz instead
    python -m tests.sanitize --only thread           one of the two builds

Builds the extensions twice in build/sanitize, beside the installed ones: with the address and
undefined-behavior sanitizers, and with the thread sanitizer. With each it replays the recorded
calls, searches tasks in two threads, and fuzzes: programs alone and fused, and on tasks, in stages
and slices. A finding ends the run with status 1 and prints the running programs with their seed and
inputs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .fuzz import make_case

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build" / "sanitize" / str(sys.implementation.cache_tag)
INTERRUPTED = 130


@dataclass(frozen=True)
class Sanitizer:
    """A build: the compiler's option, the library to load first, and settings."""

    option: str
    library: str
    settings: Mapping[str, str]


# CPython leaks by design, so leaks are not checked; other findings end the run. Of data races only
# those between parts of the engine count: Python and NumPy are not compiled with the sanitizer.
SANITIZERS = {
    "address": Sanitizer(
        "address,undefined",
        "libasan.so",
        {
            "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:detect_stack_use_after_return=1",
            "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        },
    ),
    "thread": Sanitizer(
        "thread",
        "libtsan.so",
        {"TSAN_OPTIONS": "halt_on_error=1:ignore_noninstrumented_modules=1:exitcode=66"},
    ),
}


class SanitizersMissing(RuntimeError):
    """The compiler's sanitizer library is not installed."""


def build(name: str) -> Path:
    """Build the extension with a sanitizer if it is stale; return its file."""
    folder = BUILD / name
    tools = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    cmake = shutil.which("cmake", path=tools)
    if cmake is None:
        raise SystemExit("cmake is not installed; make .venv/ready brings it")
    nanobind = _output([sys.executable, "-m", "nanobind", "--cmake_dir"])
    configure = [
        # A release build lacks the symbol names that reports need.
        *(cmake, "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Debug"),
        f"-DARCBATT_SANITIZE={SANITIZERS[name].option}",
        "-DARCBATT_WERROR=ON",
        *(f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind}"),
    ]
    for command in (configure, [cmake, "--build", folder, "--parallel", "2"]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise SystemExit(f"the build with sanitizers fails:\n{done.stdout}")
    return folder / f"_engine{sysconfig.get_config_var('EXT_SUFFIX')}"


def preloads(name: str) -> str:
    """Return the libraries that must be loaded before Python starts.

    They include the C++ library, since the sanitizer looks up its `throw` at startup.
    """
    compiler = os.environ.get("CXX", "c++")
    if shutil.which(compiler) is None:
        raise SanitizersMissing(f"no C++ compiler {compiler}")
    libraries = []
    for library in (SANITIZERS[name].library, "libstdc++.so"):
        path = Path(_output([compiler, f"-print-file-name={library}"]))
        if not path.is_absolute() or not path.exists():
            raise SanitizersMissing(f"{compiler} has no {library}")
        libraries.append(str(path.resolve()))
    return " ".join(libraries)


def run_sanitized(name: str, options: Sequence[str], timeout_s: float) -> int:
    """Replay and fuzz with an extension of a sanitizer; return the exit status.

    The options are those of tests.fuzz.
    """
    libraries = preloads(name)
    extension = build(name)
    log = BUILD / f"running.{os.getpid()}"
    log.write_text("nothing yet")
    command = [sys.executable, "-m", "tests.fuzz", "--conform", "--search"]
    command += ["--extension", str(extension)]
    command += ["--log", str(log), *options]
    environment = {**os.environ, **SANITIZERS[name].settings, "LD_PRELOAD": libraries}
    child = subprocess.Popen(command, cwd=ROOT, env=environment)
    try:
        status = child.wait(timeout_s)
    except subprocess.TimeoutExpired:
        print(f"the run did not end within {timeout_s:.0f} s; what hung:")
        status = 1
    except KeyboardInterrupt:
        status = INTERRUPTED
    finally:
        if child.poll() is None:
            child.kill()
            child.wait()
        running = log.read_text()
        log.unlink()
    if status not in (0, INTERRUPTED):
        print(describe_running(name, running), flush=True)
        return 1
    return status


def describe_running(name: str, running: str) -> str:
    """Return what the child was about to run, from the text it left."""
    seed, *chosen = running.split()
    if not seed.isdecimal():
        return f"with the {name} sanitizer, last run: {running}"
    case = make_case(int(seed))
    text = case.describe(map(int, chosen), range(len(case.inputs)))
    again = f"again: python -m tests.sanitize --only {name} --seed {seed} --count 1"
    return f"last run, of {len(chosen)} program{'s' * (len(chosen) > 1)}:\n{text}\n{again}"


def _output(command: Sequence[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.sanitize", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--minutes", type=float, default=60.0, help="how long to fuzz, in all")
    parser.add_argument("--count", type=int, help="how many cases instead")
    parser.add_argument("--seed", type=int, help="of the first case")
    parser.add_argument("--only", choices=SANITIZERS, help="the build to test")
    options = parser.parse_args()
    chosen = [options.only] if options.only else list(SANITIZERS)
    passed = [f"--minutes={options.minutes / len(chosen)}"]
    passed += [f"--count={options.count}"] if options.count is not None else []
    passed += [f"--seed={options.seed}"] if options.seed is not None else []
    print("building with sanitizers, then fuzzing; Ctrl-C ends it", flush=True)
    try:
        for name in chosen:
            if status := run_sanitized(name, passed, timeout_s=60 * options.minutes + 1200):
                sys.exit(status)
    except SanitizersMissing as missing:
        sys.exit(f"error: {missing}; install the compiler's sanitizers")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
