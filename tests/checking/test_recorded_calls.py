"""Recorded calls: the definitions reproduce every one, and bad files are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arcbatt.checking import ENGINES, EngineUnavailable, RecordError, read_recorded, replay
from arcbatt.engine.gpu.health import look_for_gpus
from arcbatt.language import Failure, all_primitives
from arcbatt.language.values import content_hash

N_RECORDED = 5849
HAS_GPU = bool(look_for_gpus().gpus)
HERE = [name for name in ENGINES if name != "cuda" or HAS_GPU]


@pytest.mark.parametrize("engine", HERE)
def test_every_recorded_call_is_reproduced(recorded_calls: Path, engine: str) -> None:
    total, differences = replay(read_recorded(recorded_calls), ENGINES[engine])
    assert not differences, "\n".join(map(str, differences[:20]))
    assert total == N_RECORDED


@pytest.mark.skipif(HAS_GPU, reason="there is a GPU")
def test_the_cpu_does_not_replace_a_missing_gpu(recorded_calls: Path) -> None:
    with pytest.raises(EngineUnavailable, match="no GPU for engine cuda: "):
        replay(read_recorded(recorded_calls), ENGINES["cuda"])


def test_recorded_calls_include_failures(recorded_calls: Path) -> None:
    failing = {call.name for call in read_recorded(recorded_calls) if call.fails}
    assert {"extract", "subgrid", "other", "adjacent", "downscale"} <= failing


def test_every_primitive_of_the_dialect_that_takes_data_is_recorded(recorded_calls: Path) -> None:
    recorded = {call.name for call in read_recorded(recorded_calls)}
    assert len(recorded) == 153
    assert recorded <= set(all_primitives())


@pytest.mark.parametrize("engine", HERE)
def test_a_difference_names_the_call_and_both_results(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text(
        '{"op": "add", "args": [1, 2], "out": 4}\n'
        '{"op": "first", "args": [{"set": []}], "out": 0}\n'
    )
    total, differences = replay(read_recorded(path), ENGINES[engine])
    assert total == 2
    got = "3" if engine in ("reference", "cpu") else f"a value with hash {content_hash(3):016x}"
    assert "add(1, 2)" in str(differences[0])
    assert "recorded: 4" in str(differences[0]) and f"got:      {got}\n" in f"{differences[0]}\n"
    assert "got:      failure: empty" in str(differences[1])


@pytest.mark.parametrize("engine", HERE)
def test_an_unknown_primitive_is_a_difference(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "calls.jsonl"
    good = '{"op": "add", "args": [1, 2], "out": 3}\n'
    path.write_text(good + '{"op": "ad", "args": [1, 2], "out": {"error": 1}}\n' + good)
    total, (difference,) = replay(read_recorded(path), ENGINES[engine])
    assert total == 3
    assert "did you mean add?" in str(difference)


@pytest.mark.parametrize("engine", HERE)
def test_only_a_failure_agrees_with_a_recorded_failure(tmp_path: Path, engine: str) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text('{"op": "add", "args": [1, 2], "out": {"error": 1}}\n')
    _, differences = replay(read_recorded(path), ENGINES[engine])
    assert not isinstance(differences[0].outcome, Failure)


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize(
    "args",
    [
        "[]",
        "[1]",
        "[1, 2, 3]",
        "[1, 100000000]",
        '[1, {"prim": "add"}]',
        '[1, {"tuple": [{"prim": "add"}, {"set": [{"prim": "size"}, 2]}]}]',
    ],
)
def test_any_recorded_arguments_may_fail(tmp_path: Path, engine: str, args: str) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text(f'{{"op": "add", "args": {args}, "out": {{"error": 1}}}}\n')
    assert replay(read_recorded(path), ENGINES[engine]) == (1, [])


@pytest.mark.parametrize("engine", HERE)
def test_functions_inside_containers_are_arguments_too(tmp_path: Path, engine: str) -> None:
    inner = '{"set": [{"call": ["rbind", {"prim": "add"}, 2]}, {"prim": "size"}, 7]}'
    encoded = '{"tuple": [{"prim": "add"}, 3, {"prim": "add"}, {"tuple": []}, ' + inner + "]}"
    path = tmp_path / "calls.jsonl"
    path.write_text(f'{{"op": "identity", "args": [{encoded}], "out": {encoded}}}\n')
    assert replay(read_recorded(path), ENGINES[engine]) == (1, [])


@pytest.mark.parametrize(
    "line",
    [
        "not json",
        "[]",
        "{}",
        '{"op": "add", "args": [1], "out": {"color": 1}}',
        '{"op": "add", "args": ["one", 2], "out": 3}',
        '{"op": "identity", "args": [{"call": ["power", {"prim": "double"}, 0]}], "out": 3}',
        '{"op": "identity", "args": [{"prim": "hmiror"}], "out": 3}',
        '{"op": "identity", "args": [' + '{"tuple": [' * 5000 + "]}" * 5000 + '], "out": 3}',
    ],
)
def test_unreadable_records_are_refused_with_their_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "calls.jsonl"
    path.write_text(json.dumps({"op": "add", "args": [1, 2], "out": 3}) + "\n" + line + "\n")
    with pytest.raises(RecordError, match=r"calls\.jsonl: line 2: "):
        list(read_recorded(path))
