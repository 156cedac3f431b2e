"""Line charts: positions of numbers, ticks, and both renderers."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ElementTree
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageColor

from arcbatt.drawing.charts import (
    COLORS,
    PLOT_HEIGHT,
    PLOT_WIDTH,
    Chart,
    Line,
    lay_out_chart,
    lay_out_charts,
    png_charts,
    round_step,
    svg_charts,
    thin_out,
)
from arcbatt.drawing.png import SCALE
from arcbatt.drawing.scene import Block, Boxes, Label, Polyline

SVG = "{http://www.w3.org/2000/svg}"
RISE = Line("rise", ((0, 0), (4, 10), (8, 40)))
FALL = Line("fall", ((0, 40), (10, 20)))


def chart(*lines: Line, top: float | None = None) -> Chart:
    return Chart("Title & <more>", "seconds", "tasks", lines, top)


def labels(block: Block) -> dict[str, Label]:
    return {command.text: command for command in block.commands if isinstance(command, Label)}


def lines_of(block: Block) -> list[Polyline]:
    return [command for command in block.commands if isinstance(command, Polyline)]


def test_points_match_the_axes() -> None:
    block = lay_out_chart(chart(RISE))
    (line,) = lines_of(block)
    (x0, y0), (x1, y1), (x2, y2) = line.points
    assert (x2 - x0, y0 - y2) == (PLOT_WIDTH, PLOT_HEIGHT)
    assert x1 - x0 == PLOT_WIDTH / 2
    assert y0 - y1 == PLOT_HEIGHT / 4
    texts = labels(block)
    assert abs(texts["40"].y - y2) < 6
    assert abs(texts["10"].y - y1) < 6
    assert (texts["4"].x, texts["8"].x) == (x1, x2)
    assert {"0", "10", "20", "30", "40"} <= texts.keys()
    assert {"Title & <more>", "seconds", "tasks"} <= texts.keys()


def test_the_vertical_axis_starts_at_0_and_ends_at_a_round_number() -> None:
    (line,) = lines_of(lay_out_chart(chart(Line("high", ((0, 90), (1, 95))))))
    (_, y0), (_, y1) = line.points
    texts = labels(lay_out_chart(chart(Line("high", ((0, 90), (1, 95))))))
    assert {"0", "20", "100"} <= texts.keys()
    assert y0 - y1 == pytest.approx(PLOT_HEIGHT * 5 / 100)


def test_the_horizontal_axis_starts_at_0_if_that_is_near() -> None:
    block = lay_out_chart(chart(Line("soon", ((1, 5), (40, 5)))))
    (line,) = lines_of(block)
    assert labels(block)["0"].x < line.points[0][0]
    block = lay_out_chart(chart(Line("later", ((30, 5), (40, 5)))))
    (line,) = lines_of(block)
    assert labels(block)["30"].x == line.points[0][0]


def test_a_given_top_ends_the_axis() -> None:
    (line,) = lines_of(lay_out_chart(chart(Line("share", ((0, 0), (1, 50))), top=100)))
    (_, y0), (_, y1) = line.points
    assert y0 - y1 == PLOT_HEIGHT / 2


def test_numbers_below_0_have_room() -> None:
    block = lay_out_chart(chart(Line("sign", ((0, -10), (1, 10)))))
    assert {"-10", "0", "10"} <= labels(block).keys()
    (line,) = lines_of(block)
    assert line.points[0][1] - line.points[1][1] == PLOT_HEIGHT


def test_counts_have_whole_ticks_and_small_numbers_decimals() -> None:
    assert {"0", "1", "2"} <= labels(lay_out_chart(chart(Line("few", ((0, 1), (9, 2)))))).keys()
    texts = labels(lay_out_chart(chart(Line("small", ((0, 0.01), (9, 0.04))))))
    assert {"0.00", "0.01", "0.04"} <= texts.keys()
    assert "60,000" in labels(lay_out_chart(chart(Line("many", ((0, 0), (9, 60_000))))))


@given(st.floats(1e-6, 1e12))
def test_steps_are_round_and_neither_few_nor_many(span: float) -> None:
    step = round_step(span, whole=False)
    assert 2 <= span / step <= 5.01
    assert f"{step:.0e}"[0] in "125"
    assert step == pytest.approx(float(f"{step:.0e}"))


def test_several_lines_have_colors_and_a_legend_and_one_has_none() -> None:
    block = lay_out_chart(chart(RISE, FALL))
    assert [line.stroke for line in lines_of(block)] == list(COLORS[:2])
    assert {"rise", "fall"} <= labels(block).keys()
    swatches = {command.fill for command in block.commands if isinstance(command, Boxes)}
    assert swatches >= set(COLORS[:2])
    assert "rise" not in labels(lay_out_chart(chart(RISE)))


def test_any_number_of_lines_has_colors_of_its_own() -> None:
    many = [Line(str(k), ((0, k), (1, k))) for k in range(30)]
    assert len({line.stroke for line in lines_of(lay_out_chart(chart(*many)))}) == 30


def test_lines_of_many_points_keep_their_extremes() -> None:
    places = [(k / 1000, float(k % 97)) for k in range(10_000)]
    kept = thin_out(places)
    assert len(kept) <= 4 * 10
    assert kept == sorted(kept, key=lambda place: place[0])
    assert (kept[0], kept[-1]) == (places[0], places[-1])
    assert {y for _, y in kept} >= {0.0, 96.0}
    assert thin_out(places[:4]) == places[:4]


def test_charts_without_numbers_or_with_one_can_be_drawn() -> None:
    for each in (chart(), chart(Line("none", ())), chart(Line("one", ((3, 0),)))):
        ElementTree.fromstring(svg_charts("", [each]))
        Image.open(io.BytesIO(png_charts("", [each]))).load()
    assert "no numbers" in labels(lay_out_chart(chart()))


@pytest.mark.parametrize("number", [nan, inf, -inf])
def test_numbers_that_are_not_finite_are_rejected(number: float) -> None:
    with pytest.raises(ValueError, match=r"Title .* finite"):
        lay_out_chart(chart(Line("bad", ((0, number),))))


def test_the_svg_has_every_line_and_text() -> None:
    root = ElementTree.fromstring(svg_charts("All <charts>", [chart(RISE, FALL), chart(RISE)]))
    lines = list(root.iter(SVG + "polyline"))
    assert len(lines) == 3
    assert all(line.get("fill") == "none" for line in lines)
    texts = [text.text for text in root.iter(SVG + "text")]
    assert texts[0] == "All <charts>"
    assert texts.count("Title & <more>") == 2
    right = float(root.get("width") or 0)
    bottom = float(root.get("height") or 0)
    for line in lines:
        for point in (line.get("points") or "").split():
            x, y = map(float, point.split(","))
            assert 0 <= x <= right
            assert 0 <= y <= bottom


def test_the_png_has_the_lines_where_the_scene_says() -> None:
    scene = lay_out_charts("", [chart(FALL)])
    image = Image.open(io.BytesIO(png_charts("", [chart(FALL)]))).convert("RGB")
    assert image.size == (scene.width * SCALE, scene.height * SCALE)
    (line,) = lines_of(scene)
    (x0, y0), (x1, y1) = line.points
    middle = (round((x0 + x1) / 2 * SCALE), round((y0 + y1) / 2 * SCALE))
    assert image.getpixel(middle) == ImageColor.getrgb(COLORS[0])
    above = (middle[0], middle[1] - 12 * SCALE)
    assert image.getpixel(above) == (255, 255, 255)
