"""Folders of runs: their files, also after a sudden end."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from arcbatt import __version__
from arcbatt.engine.version import engine_version
from arcbatt.language import language_version
from arcbatt.solving import run_folder
from arcbatt.solving.log import N_DETAILED, LogEntry, progress_charts, sum_up
from arcbatt.solving.run_folder import RunConfig, RunFolder, RunFolderError, read_log

CONFIG = RunConfig("evolve", 7, {"data": "arc-agi-1/training", "budget_s": 600.0})


def entry(number: int, **changes: object) -> LogEntry:
    counts = {"tried": 100 * number, "ran": 80 * number, "improved": 2 * number, "fitted": number}
    content = {
        "number": number,
        "proposer": "evolve",
        "item": "card",
        "elapsed_s": 2.0 * number,
        "wall_s": 2.0,
        "engine_s": 1.5,
        "n_fitted": 80 + number,
        "n_pairs": 120_000,
        "mutations": {"constant": counts, "splice": {**counts, "improved": 0}},
        "details": {"device": "cpu"},
    }
    return LogEntry(**{**content, **changes})  # type: ignore[arg-type]


# --- what is written ---


def test_the_config_says_what_was_asked_for_and_nothing_of_the_machine(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path / "runs", CONFIG)
    folder.close()
    assert folder.path.parent == tmp_path / "runs"
    assert folder.path.name.startswith("evolve-")
    assert json.loads((folder.path / "config.json").read_text("utf-8")) == {
        "format": 2,
        "command": "evolve",
        "seed": 7,
        "options": {"data": "arc-agi-1/training", "budget_s": 600.0},
        "versions": {
            "arcbatt": __version__,
            "language": language_version(),
            "engine": engine_version(),
        },
    }


def test_two_runs_of_one_second_have_two_folders(tmp_path: Path) -> None:
    folders = [RunFolder.create(tmp_path, CONFIG) for _ in range(3)]
    assert len({folder.path for folder in folders}) == 3
    for folder in folders:
        folder.close()


def test_options_that_are_no_plain_data_are_refused_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(TypeError):
        RunFolder.create(tmp_path, RunConfig("evolve", 1, {"pool": tmp_path}))
    assert list(tmp_path.iterdir()) == []


def test_the_log_has_a_line_an_entry_as_soon_as_it_is_known(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, CONFIG) as folder:
        folder.begin_log(0)
        for number in range(1, 4):
            folder.append(entry(number))
            lines = (folder.path / "log.jsonl").read_text("utf-8").splitlines()
            assert len(lines) == number
            assert json.loads(lines[-1]) == entry(number).to_json()
        assert list(read_log(folder.path / "log.jsonl")) == [entry(k) for k in (1, 2, 3)]


def test_numbers_that_json_does_not_know_are_refused(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, CONFIG) as folder:
        folder.begin_log(0)
        with pytest.raises(ValueError, match="JSON"):
            folder.append(entry(1, elapsed_s=float("nan")))
        assert list(read_log(folder.path / "log.jsonl")) == []


# --- going on ---


def test_a_log_goes_on_where_the_ledger_ends(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, CONFIG) as folder:
        folder.begin_log(0)
        for number in (1, 2, 3):
            folder.append(entry(number))
    log = folder.path / "log.jsonl"
    with RunFolder.open(folder.path) as again:
        assert again.config == CONFIG
        # The work of the third entry will be repeated.
        again.begin_log(2)
        assert list(read_log(log)) == [entry(1), entry(2)]
        again.append(entry(3, n_pairs=7))
    assert list(read_log(log)) == [entry(1), entry(2), entry(3, n_pairs=7)]
    with RunFolder.open(folder.path) as anew:
        anew.begin_log(0)
        assert list(read_log(log)) == []


@pytest.mark.slow
@pytest.mark.parametrize("torn", [b"{", b'{"number": 3, "elap', b'{"number": 3}', b"\xff"])
def test_a_torn_last_line_is_ignored_and_overwritten(torn: bytes, tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, CONFIG) as folder:
        folder.begin_log(0)
        for number in (1, 2):
            folder.append(entry(number))
    log = folder.path / "log.jsonl"
    log.write_bytes(log.read_bytes() + torn)
    assert list(read_log(log)) == [entry(1), entry(2)]
    with RunFolder.open(folder.path) as again:
        again.begin_log(2)
        again.append(entry(3))
    assert list(read_log(log)) == [entry(k) for k in (1, 2, 3)]
    assert log.read_bytes().count(b"\n") == 3


def test_a_whole_line_that_is_no_entry_is_named(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    good = json.dumps(entry(1).to_json())
    for bad in ("{}", "[]", "no JSON"):
        log.write_text(f"{good}\n{bad}\n{good}\n")
        with pytest.raises(RunFolderError, match=r"log.jsonl:2: not an entry of a log"):
            list(read_log(log))


def test_a_log_that_lost_lines_is_noticed(tmp_path: Path) -> None:
    with RunFolder.create(tmp_path, CONFIG) as folder:
        folder.begin_log(0)
        folder.append(entry(1))
    (folder.path / "log.jsonl").write_bytes(b"")
    with (
        RunFolder.open(folder.path) as again,
        pytest.raises(RunFolderError, match=r"has 0 entries, but pool.db expects 1"),
    ):
        again.begin_log(1)
    # A folder that could not be resumed is unlocked.
    RunFolder.open(folder.path).close()


def test_other_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RunFolderError, match=r"is not the folder of a run: config.json: no such"):
        RunFolder.open(tmp_path)
    for bad in ("{", "[]", "[" * 100_000, '{"format": NaN}', '{"format": 2, "options": 5}'):
        (tmp_path / "config.json").write_text(bad)
        with pytest.raises(RunFolderError, match=r"is not the folder of a run: config.json: "):
            RunFolder.open(tmp_path)
    (tmp_path / "config.json").write_text('{"format": 99}')
    with pytest.raises(RunFolderError, match="of format 99, not 2"):
        RunFolder.open(tmp_path)


def test_a_run_of_another_language_does_not_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    RunFolder.create(tmp_path, CONFIG).close()
    (path,) = tmp_path.iterdir()
    monkeypatch.setattr(run_folder, "language_version", lambda: "another")
    with pytest.raises(RunFolderError, match="another version of the language"):
        RunFolder.open(path)


def test_two_processes_cannot_run_in_one_folder(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path, CONFIG)
    with pytest.raises(RunFolderError, match="in use"):
        RunFolder.open(folder.path)
    folder.close()
    RunFolder.open(folder.path).close()


# --- sudden ends ---


def test_an_interrupted_run_has_its_charts(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), RunFolder.create(tmp_path, CONFIG) as folder:
        folder.begin_log(0)
        folder.append(entry(1))
        folder.append(entry(2))
        raise KeyboardInterrupt
    svg = (folder.path / "progress.svg").read_text("utf-8")
    ElementTree.fromstring(svg)
    assert "arcbatt evolve, seed 7" in svg
    assert "splice" in svg
    with Image.open(folder.path / "progress.png") as image:
        image.load()
    assert sorted(each.name for each in folder.path.iterdir()) == sorted(
        ["config.json", "lock", "log.jsonl", "progress.png", "progress.svg"]
    )


# --- charts ---


def test_charts_show_what_was_logged() -> None:
    first, second = entry(1), entry(2, n_pairs=60_000, engine_s=0.5)
    solved, pairs, engine, mutations = progress_charts([first, second])
    assert [line.points for line in solved.lines] == [((2.0, 81), (4.0, 82))]
    each, sums = pairs.lines
    assert each.points == ((2.0, 60_000), (4.0, 30_000))
    assert sums.points == ((2.0, 60_000), (4.0, 45_000))
    each, sums = engine.lines
    assert each.points == ((2.0, 75), (4.0, 25))
    assert sums.points == ((2.0, 75), (4.0, 50))
    assert engine.top == 100
    assert {line.name: line.points for line in mutations.lines} == {
        "constant": ((2.0, 2.0), (4.0, 2.0)),
        "splice": ((2.0, 0.0), (4.0, 0.0)),
    }


def test_a_line_of_a_mutation_begins_when_enough_were_tried() -> None:
    def counted(number: int, tried: int, improved: int) -> LogEntry:
        return entry(number, mutations={"swap": {"tried": tried, "improved": improved}})

    early, late, last = counted(2, 1, 1), counted(3, 50, 5), counted(4, 1000, 50)
    without = entry(1, mutations={})
    (line,) = progress_charts([without, early, late, last])[3].lines
    assert line.points == ((6.0, 10.0), (8.0, 5.0))


@pytest.mark.parametrize(
    ("elapsed_s", "unit", "shown"),
    [(100.0, "seconds", 100.0), (600.0, "minutes", 10.0), (28_800.0, "hours", 8.0)],
)
def test_times_are_in_a_fitting_unit(elapsed_s: float, unit: str, shown: float) -> None:
    chart = progress_charts([entry(1, elapsed_s=elapsed_s)])[0]
    assert chart.x_label == unit
    assert chart.lines[0].points[-1][0] == shown


def test_a_run_of_no_entry_has_empty_charts() -> None:
    assert all(not line.points for chart in progress_charts([]) for line in chart.lines)
    assert progress_charts([entry(1, wall_s=0.0)])[1].lines[0].points == ((2.0, 0.0),)


def test_a_run_without_evolution_has_the_chart_of_tasks_alone() -> None:
    first, second = entry(1, mutations={}), entry(2, mutations={})
    (fitted,) = progress_charts([first, second])
    assert fitted.lines[0].points == ((2.0, 81), (4.0, 82))


def test_charts_that_cannot_be_drawn_end_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> bytes:
        raise AttributeError("no such font")

    monkeypatch.setattr(run_folder, "png_charts", fail)
    folder = RunFolder.create(tmp_path, CONFIG)
    with pytest.warns(RuntimeWarning, match="no charts .AttributeError: no such font."), folder:
        folder.begin_log(0)
    assert not (folder.path / "progress.png").exists()
    RunFolder.open(folder.path).close()


# --- long runs ---


def card(number: int, **changes: object) -> LogEntry:
    """Return the entry of a card without news, a third of a second after the last one."""
    details = {"card": number, "n_mutants": 8, "ran_on": {"cpu": 16}, "best_credit": 9, "found": []}
    times = {"elapsed_s": number / 3, "wall_s": 1 / 3, "engine_s": 0.25}
    return entry(number, **{**times, "n_fitted": 80, "details": details, **changes})


def round_end(number: int, **changes: object) -> LogEntry:
    """Return the entry of the end of a card's round."""
    details = {"ended": {"n_rounds": number}, "ran_on": {"cpu": 16 * number}}
    counts = {"wall_s": 0.0, "engine_s": 0.0, "n_pairs": 0, "mutations": {}}
    return card(number, **{**counts, "details": details, **changes})


def log_of_cards(n_cards: int) -> list[LogEntry]:
    return [make(number) for number in range(1, n_cards + 1) for make in (card, round_end)]


@pytest.mark.slow
def test_the_log_of_a_long_run_grows_by_its_logarithm() -> None:
    lengths = [len(list(sum_up(log_of_cards(n)))) for n in (10_000, 20_000, 40_000)]
    # Doubling the length of a run adds a constant number of entries.
    assert lengths[2] - lengths[1] < 1.1 * (lengths[1] - lengths[0])
    assert lengths[2] < 8_000


def test_a_short_run_has_every_entry_as_it_came() -> None:
    entries = log_of_cards(N_DETAILED // 2)
    assert list(sum_up(entries)) == entries


def test_cards_in_one_entry_keep_their_sums() -> None:
    entries = log_of_cards(20_000)
    summed = list(sum_up(entries))
    assert [each.elapsed_s for each in summed] == sorted(each.elapsed_s for each in summed)
    assert sum(each.n_pairs for each in summed) == sum(each.n_pairs for each in entries)
    assert sum(each.wall_s for each in summed) == pytest.approx(20_000 / 3)
    assert sum(each.engine_s for each in summed) == pytest.approx(5_000)
    cards = [each for each in summed if each.is_card]
    assert sum(each.details.get("n_cards", 1) for each in cards) == 20_000
    assert sum(each.details["n_mutants"] for each in cards) == 8 * 20_000
    assert sum(each.details["ran_on"]["cpu"] for each in cards) == 16 * 20_000
    # Totals since the beginning, and the current state, are those of the last card.
    assert cards[-1].mutations == entries[-2].mutations
    assert (cards[-1].details["card"], cards[-1].details["best_credit"]) == (20_000, 9)
    assert summed[-1] == entries[-1]


def test_a_card_with_a_fit_has_its_own_entry() -> None:
    entries = log_of_cards(5_000)
    found = [{"task": "one", "program": "0" * 32, "mutation": "swap"}]
    finding = card(4_001, n_fitted=81, details={**card(4_001).details, "found": found})
    searched = entry(0, proposer="enumerate", item="roles", elapsed_s=4_500 / 3, mutations={})
    later = [replace(each, n_fitted=81) for each in entries[8_001:]]
    summed = list(sum_up([*entries[:8_000], finding, *later[:998], searched, *later[998:]]))
    assert finding in summed and searched in summed
    # All cards before a find come before it in the log, and the fit is at its own time.
    assert sum(each.n_pairs for each in summed[: summed.index(finding)]) == 4_000 * 120_000
    assert next(each for each in summed if each.n_fitted == 81) == finding


def test_cards_of_several_workers_are_summed_each_for_itself() -> None:
    cards = [
        card(number, details={**card(number).details, "worker": f"worker {number % 2}"})
        for number in range(1, 10_001)
    ]
    summed = list(sum_up(cards))
    for worker in ("worker 0", "worker 1"):
        own = [each.details for each in summed if each.details["worker"] == worker]
        assert sum(each.get("n_cards", 1) for each in own) == 5_000


@pytest.mark.slow
def test_charts_of_a_long_log_have_some_thousand_points_and_the_same_ends() -> None:
    # As an earlier version wrote it: one entry per card.
    charts = progress_charts(iter(log_of_cards(40_000)))
    assert all(len(line.points) < 8_000 for chart in charts for line in chart.lines)
    _, pairs, engine, mutations = charts
    hours = 40_000 / 3 / 3600
    for line in pairs.lines:
        assert line.points[-1] == pytest.approx((hours, 360_000))
    assert engine.lines[1].points[-1] == pytest.approx((hours, 75))
    assert mutations.lines[0].points[-1] == pytest.approx((hours, 2))


def test_a_log_is_read_an_entry_at_a_time(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(entry(1).to_json()) + "\nno JSON\n")
    entries = read_log(log)
    assert next(entries) == entry(1)
    with pytest.raises(RunFolderError, match=r"log.jsonl:2: not an entry of a log"):
        next(entries)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"elapsed_s": "late"}, "it.elapsed_s: unexpected 'late'"),
        ({"mutations": {"splice": {"tried": 3}}}, "'improved' is missing"),
        ({"mutations": {"splice": 3}}, "mutations.splice: expected an object"),
        ({"details": {"n_mutants": []}}, "details.n_mutants"),
        ({"details": {"verdicts": {"kept": "many"}}}, "details.verdicts.kept"),
        ({"item": "\ud800"}, "it.item: unexpected"),
        ({"details": {"\ud800": {"kept": None}}}, r"details: unexpected '\ud800'"),
    ],
)
def test_odd_entries_are_refused_when_they_are_read(
    tmp_path: Path, changes: dict[str, object], said: str
) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text(json.dumps(entry(1).to_json() | changes) + "\n")
    with pytest.raises(RunFolderError, match=re.escape(said)):
        list(read_log(path))
    path.write_text("[" * 100_000 + "\n")
    with pytest.raises(RunFolderError, match=r"log\.jsonl:1: not an entry"):
        list(read_log(path))
