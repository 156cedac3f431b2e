"""Build the engine with address and undefined-behavior sanitizers, and stress it.

    python -m tests.sanitize --minutes 60    what `make sanitize` does
    python -m tests.sanitize --count 300     a number of cases of the fuzz instead

Builds the extensions in build/sanitize, beside the installed ones, then replays the recorded calls,
searches tasks and fuzzes with them. A finding ends the run with status 1 and
prints the running programs with their seed and inputs.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

from .fuzz import make_case

ROOT = Path(__file__).parent.parent
BUILD = ROOT / "build" / "sanitize" / str(sys.implementation.cache_tag)
# CPython leaks by design, so leaks are not checked; other findings end the run.
SETTINGS = {
    "ASAN_OPTIONS": "detect_leaks=0:halt_on_error=1:detect_stack_use_after_return=1",
    "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
}
INTERRUPTED = 130


class SanitizersMissing(RuntimeError):
    """The compiler's sanitizer library is not installed."""


def build() -> Path:
    """Build the extension if it is stale; return its file."""
    tools = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", "")])
    cmake = shutil.which("cmake", path=tools)
    if cmake is None:
        raise SystemExit("cmake is not installed; pip install -e '.[dev]' brings it")
    nanobind = _output([sys.executable, "-m", "nanobind", "--cmake_dir"])
    configure = [
        # A release build lacks the symbol names that reports need.
        *(cmake, "-S", ROOT, "-B", BUILD, "-DARCBATT_SANITIZE=ON", "-DCMAKE_BUILD_TYPE=Debug"),
        "-DARCBATT_WERROR=ON",
        *(f"-DPython_EXECUTABLE={sys.executable}", f"-Dnanobind_DIR={nanobind}"),
    ]
    for command in (configure, [cmake, "--build", BUILD, "--parallel", "2"]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise SystemExit(f"the build with sanitizers fails:\n{done.stdout}")
    return BUILD / f"_engine{sysconfig.get_config_var('EXT_SUFFIX')}"


def preloads() -> str:
    """Return the libraries that must be loaded before Python starts.

    They include the C++ library, since the sanitizer looks up its `throw` at startup.
    """
    compiler = os.environ.get("CXX", "c++")
    if shutil.which(compiler) is None:
        raise SanitizersMissing(f"no C++ compiler {compiler}")
    libraries = []
    for name in ("libasan.so", "libstdc++.so"):
        path = Path(_output([compiler, f"-print-file-name={name}"]))
        if not path.is_absolute() or not path.exists():
            raise SanitizersMissing(f"{compiler} has no {name}")
        libraries.append(str(path.resolve()))
    return " ".join(libraries)


def run_sanitized(options: Sequence[str], timeout_s: float) -> int:
    """Replay and fuzz with the sanitized extension; return the exit status.

    The options are those of tests.fuzz.
    """
    libraries = preloads()
    extension = build()
    log = BUILD / f"running.{os.getpid()}"
    log.write_text("nothing yet")
    command = [sys.executable, "-m", "tests.fuzz", "--conform", "--search"]
    command += ["--extension", str(extension)]
    command += ["--log", str(log), *options]
    environment = {**os.environ, **SETTINGS, "LD_PRELOAD": libraries}
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
        print(describe_running(running), flush=True)
        return 1
    return status


def describe_running(running: str) -> str:
    """Return what the child was about to run, from the text it left."""
    seed, *chosen = running.split()
    if not seed.isdecimal():
        return f"last run: {running}"
    case = make_case(int(seed))
    text = case.describe(map(int, chosen), range(len(case.inputs)))
    again = f"again: python -m tests.sanitize --seed {seed} --count 1"
    return f"last run, of {len(chosen)} program{'s' * (len(chosen) > 1)}:\n{text}\n{again}"


def _output(command: Sequence[str]) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.sanitize", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--minutes", type=float, default=60.0, help="how long to fuzz")
    parser.add_argument("--count", type=int, help="how many cases instead")
    parser.add_argument("--seed", type=int, help="of the first case")
    options = parser.parse_args()
    passed = [f"--minutes={options.minutes}"]
    passed += [f"--count={options.count}"] if options.count is not None else []
    passed += [f"--seed={options.seed}"] if options.seed is not None else []
    print("building with sanitizers, then fuzzing; Ctrl-C ends it", flush=True)
    try:
        sys.exit(run_sanitized(passed, timeout_s=60 * options.minutes + 1200))
    except SanitizersMissing as missing:
        sys.exit(f"error: {missing}; install the compiler's sanitizers")


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
