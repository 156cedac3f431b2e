"""Kernels: compiled from the headers, kept as files, found again, or compiled meanwhile."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from arcbatt.engine.gpu import kernel_files, kernels, nvrtc
from tests.support import emulated_gpu


def has_compiler() -> bool:
    try:
        return bool(nvrtc.version())
    except nvrtc.NvrtcError:
        return False


# All modules would take an hour; each contains all headers.
@pytest.mark.skipif(not has_compiler(), reason="needs NVIDIA's run-time compiler")
@pytest.mark.parametrize(
    ("module", "target"),
    [
        ("common", "sm_90"),
        ("functions_1", "sm_60"),
        (list(kernels.modules())[-1], "sm_75"),
        ("symmetry", "sm_100"),
        (kernels.module_of("wide_run_close_symmetry"), "sm_120"),
    ],
)
def test_the_headers_compile_for_the_gpu(module: str, target: str, tmp_path: Path) -> None:
    if int(target.removeprefix("sm_")) < nvrtc.oldest():
        pytest.skip(f"this compiler has no {target}")
    assert kernels.compile_modules(tmp_path, [module], [target], 1) == []
    (path,) = tmp_path.rglob("*.xz")
    assert path == tmp_path / kernels.source_digest() / target / f"{module}.xz"
    assert kernel_files.read(path).startswith(b"\x7fELF")


def test_an_interrupted_compilation_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chosen, targets = list(kernels.modules())[:3], ["sm_80", "sm_90"]
    asked = []

    def command(folder: Path, target: str, module: str) -> list[str]:
        asked.append((module, target))
        if len(asked) == 4:
            return [sys.executable, "-c", "import os; os.abort()"]
        kernel_files.write(folder, kernels.source_digest(), target, module, b"code")
        return [sys.executable, "-c", ""]

    monkeypatch.setattr(kernel_files, "compile_command", command)
    everything = [(module, target) for module in chosen for target in targets]
    assert kernels.compile_modules(tmp_path, chosen, targets, 1) == [
        f"{chosen[1]} for sm_90: the compiler ended with status -6"
    ]
    assert asked == everything
    asked.clear()
    assert kernels.compile_modules(tmp_path, chosen, targets, 1) == []
    assert asked == [(chosen[1], "sm_90")]
    assert kernels.compile_modules(tmp_path, chosen, targets, 2) == []
    assert len(asked) == 1


# Functions that all threads of a lane call together, with the same values.
TOGETHER = {"compare", "compare_members", "equal", "hash_together", "count_words", "write_words"}


def calls_of(ptx: str) -> dict[str, set[str]]:
    """Return the functions that each function of a module calls."""
    heads = list(re.finditer(r"^\.(?:visible \.entry|func)\b.*?(\w+)\($", ptx, flags=re.M))
    ends = [head.start() for head in heads[1:]] + [len(ptx)]
    words = {}
    for head, end in zip(heads, ends, strict=True):
        calls = re.findall(r"^\s*call\b[^;]*;", ptx[head.end() : end], flags=re.M)
        words[head[1]] = {word for call in calls for word in re.findall(r"\w+", call)}
    return {name: called & words.keys() for name, called in words.items()}


@pytest.mark.skipif(not has_compiler(), reason="needs NVIDIA's run-time compiler")
@pytest.mark.parametrize(
    "kernel",
    [
        "wide_run_combine",
        "wide_run_close_symmetry",
        "wide_site_order",
        "run_objects",
        "site_apply",
        "find_outcomes",
    ],
)
def test_functions_for_single_threads_are_not_recursive(kernel: str) -> None:
    module = kernels.module_of(kernel)
    source, options = kernels.source(module), kernels.source_options(module)
    calls = calls_of(nvrtc.compile_source(module, source, options, "compute_90").decode())
    assert calls[kernel]
    for name, reached in calls.items():
        while more := set().union(*(calls[each] for each in reached)) - reached:
            reached = reached | more
        parts = re.match(r"_ZN3arc\d+([a-z_]+?)E", name)
        if name in reached:
            assert parts and parts[1] in TOGETHER, name


# Another compiler, with more warnings.
@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs the compiler of CUDA's toolkit")
@pytest.mark.parametrize("module", ["common", "functions_1", list(kernels.modules())[-1]])
def test_the_headers_compile_without_warnings(module: str, tmp_path: Path) -> None:
    source, target = tmp_path / f"{module}.cu", tmp_path / f"{module}.cubin"
    source.write_text(kernels.source(module), "utf-8")
    options = [each for each in kernels.source_options(module) if each != "-default-device"]
    options += ["-arch=sm_90", "-cubin", "-Werror", "all-warnings"]
    command = ["nvcc", *options, "-o", target, source]
    compiled = subprocess.run(command, capture_output=True, text=True)
    assert compiled.returncode == 0, compiled.stderr
    assert target.stat().st_size > 0


@pytest.mark.parametrize(
    ("capability", "wanted"),
    [(86, ["sm_86", "sm_80", "compute_75"]), (90, ["sm_90", "compute_75"]), (61, ["sm_60"])],
)
def test_a_gpu_gets_code_that_it_can_run(
    cache_folder: Path, capability: int, wanted: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # The best file comes first, in whichever folder it is; files of other sources are not used.
    packaged = cache_folder / "package"
    monkeypatch.setattr(kernel_files, "folders", lambda: [packaged, cache_folder / "kernels"])
    targets = ["sm_60", "sm_75", "sm_80", "sm_86", "sm_90", "compute_75"]
    for k, target in enumerate(targets):
        folder = packaged if k % 2 else cache_folder / "kernels"
        kernel_files.write(folder, "digest", target, "grids", target.encode())
    for target in wanted:
        best = kernel_files.find("digest", "grids", capability)
        assert best is not None
        assert kernel_files.read(best) == target.encode()
        best.unlink()
    assert kernel_files.find("digest", "grids", capability) is None
    assert kernel_files.find("other", "grids", 75) is None


def test_kernels_of_an_installed_wheel_are_found(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[3] / "release")
    wheel = importlib.import_module("kernels").write_wheel
    folder = cache_folder / "made"
    kernel_files.write(folder, "digest", "sm_90", "grids", b"code")
    path = wheel(folder, "1.2", cache_folder)
    assert path.name == "arcbatt_kernels-1.2-py3-none-any.whl"
    assert kernel_files.find("digest", "grids", 90) is None
    with zipfile.ZipFile(path) as archive:
        rows = archive.read("arcbatt_kernels-1.2.dist-info/RECORD").decode().splitlines()
        assert [row.split(",")[0] for row in rows] == archive.namelist()
        archive.extractall(cache_folder / "site")
    monkeypatch.syspath_prepend(cache_folder / "site")
    installed = kernel_files.find("digest", "grids", 90)
    assert installed is not None
    assert kernel_files.read(installed) == b"code"


@pytest.mark.skipif(not has_compiler(), reason="needs NVIDIA's run-time compiler")
def test_changed_kernels_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("elftools", reason="needs pyelftools")
    monkeypatch.syspath_prepend(Path(__file__).parents[3] / "release")
    tool = importlib.import_module("changed_kernels")
    before, after = tmp_path / "before", tmp_path / "after"
    assert kernels.compile_modules(before, ["functions_2"], ["sm_75"], 1) == []
    (path,) = before.rglob("*.xz")
    code, names = kernel_files.read(path), list(kernels.modules()["functions_2"])
    code_by_name = tool.kernels_in(path)
    assert sorted(code_by_name) == sorted(names)
    monkeypatch.setattr(sys, "argv", ["changed_kernels", str(before), str(after)])

    def list_changes(changed: bytes) -> list[str]:
        kernel_files.write(after, "other", "sm_75", "functions_2", changed)
        tool.main()
        return capsys.readouterr().out.splitlines()

    assert list_changes(code) == [f"{len(names)} of {len(names)} are unchanged"]
    first = code_by_name[names[0]]
    assert list_changes(code.replace(first, bytes(255 - byte for byte in first))) == [
        f"changed: {names[0]}",
        f"{len(names) - 1} of {len(names)} are unchanged",
    ]
    kernel_files.write(after, "other", "sm_90", "functions_2", code)
    with pytest.raises(SystemExit, match=r"found other/sm_75, other/sm_90$"):
        tool.main()


def test_only_the_latest_versions_are_kept(tmp_path: Path) -> None:
    for k in range(kernel_files.N_VERSIONS + 2):
        (tmp_path / str(k) / "sm_90").mkdir(parents=True)
        os.utime(tmp_path / str(k), (k, k))
    kernel_files.drop_old(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2", "3", "4", "5"]


def test_the_version_in_use_is_not_deleted(tmp_path: Path) -> None:
    for k in range(kernel_files.N_VERSIONS + 1):
        (tmp_path / str(k)).mkdir()
        os.utime(tmp_path / str(k), (k, k))
    kernel_files.write(tmp_path, "0", "sm_90", "grids", b"code")
    kernel_files.drop_old(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0", "2", "3", "4"]
    assert kernel_files._changed_at(tmp_path / "1") == 0  # which another process may have dropped


class Modules:
    """Stands for the driver's modules; records those that are loaded, and their code."""

    def __init__(self, trouble: str = "") -> None:
        self.trouble = trouble
        self.loaded: list[bytes] = []

    def __call__(self) -> Modules:
        return self

    def load(self, code: bytes) -> None:
        if self.trouble:
            raise RuntimeError(self.trouble)
        time.sleep(0.01)  # so that others come in between
        self.loaded.append(code)


@pytest.fixture
def modules(cache_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Modules:
    """Pretend that all modules are compiled and none is loaded, on a GPU of 9.0."""
    del cache_folder  # kernel files are written there
    cupy, modules = emulated_gpu.fake_cupy(), Modules()
    cupy.cuda.Module = modules
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setattr(kernels, "_capability", lambda _device: 90)
    monkeypatch.setattr(kernels, "_module", cache(kernels._module.__wrapped__))
    for name in ("_loaded", "_refused"):
        monkeypatch.setattr(kernels, name, {})
    monkeypatch.setattr(kernels, "_warned", set())
    monkeypatch.setattr(kernel_files, "compilers", kernel_files.Compilers())
    for module in kernels.modules():
        code = module.encode()
        folder = kernel_files.folders()[-1]
        kernel_files.write(folder, kernels.source_digest(), "sm_90", module, code)
    return modules


NAMES = ("run_hmirror", "run_objects", "site_apply", "find_outcomes")


def test_runs_that_start_together_load_each_module_once(modules: Modules) -> None:
    with ThreadPoolExecutor(3) as pool:
        list(pool.map(lambda _: kernels.load(NAMES, 0), range(3)))
    assert sorted(modules.loaded) == sorted({kernels.module_of(n).encode() for n in NAMES})
    assert kernels.are_ready(NAMES, 0)
    assert len(modules.loaded) == 4


def test_a_damaged_file_is_compiled_again(
    modules: Modules, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, digest = kernels.module_of("run_hmirror"), kernels.source_digest()
    path = kernel_files.find(digest, module, 90)
    assert path is not None
    path.write_bytes(path.read_bytes()[:-8])
    with pytest.warns(RuntimeWarning, match=r"cuda:0 is not used, .* cannot be read: .*xz"):
        assert not kernels.are_ready(NAMES, 0)
    assert not path.exists()
    code = (
        "from arcbatt.engine.gpu import kernel_files as k; "
        f"k.write(k.folders()[-1], {digest!r}, 'sm_90', {module!r}, b'again')"
    )
    monkeypatch.setattr(kernel_files, "compile_command", lambda *_: [sys.executable, "-c", code])
    assert not kernels.are_ready(NAMES, 0)
    kernels.load(NAMES, 0)
    assert b"again" in modules.loaded
    # A run on a chosen GPU treats it as an error of the GPU.
    path.write_bytes(b"")
    kernels._loaded.clear()
    kernels._module.cache_clear()
    with pytest.raises(kernels.KernelError, match="cannot be read"):
        kernels.load(NAMES, 0)
    kernels.load(NAMES, 0)


def test_a_gpu_that_refuses_kernels_is_not_used(modules: Modules) -> None:
    modules.trouble = "CUDA_ERROR_OUT_OF_MEMORY: out of memory\nmore"
    with pytest.warns(RuntimeWarning, match=r"cuda:0 is not used, .* loaded: CUDA_ERROR_OUT_OF"):
        assert not kernels.are_ready(NAMES, 0)
    assert not kernels.are_ready(NAMES, 0)  # without a second warning, which is an error
    assert kernels.trouble_with(NAMES, 0) == "CUDA_ERROR_OUT_OF_MEMORY: out of memory"


def test_a_failed_compilation_gives_a_reason_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_library() -> None:
        raise nvrtc.NvrtcError("libnvrtc is not there")

    monkeypatch.setattr(nvrtc, "_library", no_library)
    monkeypatch.setattr(sys, "argv", ["kernels"])
    with pytest.raises(SystemExit, match=r"^libnvrtc is not there$"):
        kernels.main()
    with pytest.raises(SystemExit, match=r"^libnvrtc is not there$"):
        kernels.compile_here(str(tmp_path), "sm_90", "common")
    # A folder that cannot be written to.
    (tmp_path / "file").touch()
    monkeypatch.setattr(nvrtc, "compile_source", lambda *_: b"code")
    with pytest.raises(SystemExit, match=r"Not a directory"):
        kernels.compile_here(str(tmp_path / "file"), "sm_90", "common")


def test_modules_are_compiled_once_in_the_background(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    compilers = kernel_files.Compilers()
    monkeypatch.setattr(kernel_files, "compilers", compilers)
    monkeypatch.setattr(kernels, "_capability", lambda _device: 90)
    loaded: list[set[str]] = []
    monkeypatch.setattr(kernels, "_load_modules", lambda names, _device: loaded.append(set(names)))
    started = cache_folder / "started"

    def command(folder: Path, target: str, module: str) -> list[str]:
        code = f"open({str(started)!r}, 'a').write('{module} '); " + (
            "raise SystemExit('no such thing as a site')"
            if module.startswith("site")
            else "from pathlib import Path; from arcbatt.engine.gpu import kernel_files, kernels; "
            f"kernel_files.write(Path({str(folder)!r}), kernels.source_digest(), '{target}', "
            f"'{module}', b'code')"
        )
        return [sys.executable, "-c", code]

    monkeypatch.setattr(kernel_files, "compile_command", command)
    names = {"run_hmirror", "run_objects"}
    assert not kernels.are_ready(names, 0)
    kernels.load(names, 0)  # which waits
    assert kernels.are_ready(names, 0)
    assert loaded == [names, names]
    assert sorted(started.read_text().split()) == sorted(map(kernels.module_of, names))
    with pytest.raises(kernels.KernelError, match="no such thing as a site"):
        kernels.load({"site_apply"}, 0)
    monkeypatch.setattr(kernels, "_warned", set())
    with pytest.warns(RuntimeWarning, match=r"cuda:0 is not used.*no such thing as a site.*doctor"):
        assert not kernels.are_ready({"site_apply"}, 0)
    assert not kernels.are_ready({"site_apply"}, 0)  # without a second warning, which is an error
    assert "no such thing" in kernels.trouble_with({"site_apply", "run_objects"}, 0)
    failed = kernel_files.read_troubles(kernels.source_digest())
    assert failed == {f"sm_90/{kernels.module_of('site_apply')}": "no such thing as a site"}
    assert compilers.n_busy == 0
    # A compiler that ends well and leaves nothing has failed, too.
    monkeypatch.setattr(kernel_files, "compile_command", lambda *_: [sys.executable, "-c", ""])
    with pytest.raises(kernels.KernelError, match="has written nothing to"):
        kernels.load({"run_add"}, 0)
    monkeypatch.setattr(kernel_files, "compile_command", lambda *_: [str(cache_folder / "nowhere")])
    with pytest.raises(kernels.KernelError, match="nowhere"):
        kernels.load({"run_canvas"}, 0)


@pytest.mark.skipif(not has_compiler(), reason="needs NVIDIA's run-time compiler")
def test_modules_are_compiled_in_the_background_by_the_real_compiler(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernel_files, "compilers", kernel_files.Compilers())
    monkeypatch.setattr(kernels, "_capability", lambda _device: 90)
    monkeypatch.setattr(kernels, "_load_modules", lambda *_: None)
    names = set(kernels.modules()["functions_1"])
    assert not kernels.are_ready(names, 0)
    kernels.load(names, 0)
    assert kernels.are_ready(names, 0)
    path = kernel_files.find(kernels.source_digest(), "functions_1", 90)
    assert path is not None and path.is_relative_to(cache_folder)
    assert kernel_files.read(path).startswith(b"\x7fELF")


def test_runs_leave_cores_to_compilers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_files, "compilers", SimpleNamespace(n_busy=10))
    assert [kernels.threads_beside_compilers(n) for n in (16, 8, 1)] == [6, 2, 1]
