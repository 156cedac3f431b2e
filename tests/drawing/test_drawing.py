"""Captions, canvases, and their drawings in the terminal, as SVG and as PNG."""

import io
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from rich.console import Console, RenderableType

from arcbatt.drawing import (
    Kind,
    describe,
    draw_grid,
    draw_pair,
    draw_task,
    draw_value,
    palette,
    png_task,
    svg_grid,
    svg_pair,
    svg_task,
    svg_value,
)
from arcbatt.drawing.cells import canvas_block, cell_size
from arcbatt.drawing.figures import MAX_ITEMS, MAX_SIDE, canvas_of_grid, figure_of
from arcbatt.drawing.layout import (
    MARGIN,
    MAX_WIDTH,
    lay_out_grid,
    lay_out_pair,
    lay_out_task,
    lay_out_value,
)
from arcbatt.drawing.png import SCALE, render_png
from arcbatt.drawing.scene import Boxes
from arcbatt.language.types import parse_type
from arcbatt.tasks import Pair, Task, find_task, load

SVG = "{http://www.w3.org/2000/svg}"
GRID = ((0, 1, 2), (3, 4, 5), (6, 7, 8))
OBJECT = frozenset({(1, (0, 1)), (4, (1, 1))})
INDICES = frozenset({(0, 0), (2, 2)})


@dataclass(frozen=True)
class Failure:
    reason: str
    detail: str

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}"


class Function:
    def __str__(self) -> str:
        return "compose(first, <last>)"


def scene(text: str) -> ElementTree.Element:
    root = ElementTree.fromstring(text)
    assert root.tag == SVG + "svg"
    return root


def boxes(text: str, fill: str) -> list[tuple[int, int, int, int]]:
    """Return x, y, width, height of all boxes of one color in an SVG."""
    return [
        (int(x), int(y), int(width), int(height))
        for path in scene(text).iter(SVG + "path")
        if path.get("fill") == fill
        for x, y, width, height in re.findall(r"M(-?\d+) (-?\d+)h(\d+)v(\d+)", path.get("d") or "")
    ]


def texts(text: str) -> list[str]:
    return [element.text or "" for element in scene(text).iter(SVG + "text")]


def shown(drawn: RenderableType, width: int = 100, **options: Any) -> str:
    console = Console(width=width, file=io.StringIO(), **options)
    with console.capture() as capture:
        console.print(drawn)
    return capture.get()


def colored(drawn: RenderableType, width: int = 100) -> str:
    return shown(drawn, width, force_terminal=True, color_system="truecolor", no_color=False)


def background(color: str) -> str:
    channels = (str(int(color[k : k + 2], 16)) for k in (1, 3, 5))
    return "48;2;" + ";".join(channels)


def plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines())


# Captions


@pytest.mark.parametrize(
    ("value", "kind", "caption"),
    [
        (None, Kind.NOTHING, "nothing"),
        (True, Kind.BOOLEAN, "boolean True"),
        (-7, Kind.NUMBER, "number -7"),
        pytest.param(10**5000, Kind.NUMBER, "number of 16610 bits", id="huge"),
        ((2, 3), Kind.PAIR, "pair (2, 3)"),
        ((3, (1, 2)), Kind.CELL, "cell color 3 at (1, 2)"),
        ((1, 2, 3), Kind.NUMBERS, "numbers (1, 2, 3)"),
        (frozenset({3, 1}), Kind.NUMBERS, "numbers {1, 3}"),
        (tuple(range(20)), Kind.NUMBERS, f"numbers ({str(list(range(16)))[1:-1]}, ... 4 more)"),
        (GRID, Kind.GRID, "grid 3x3"),
        (((1, 2),), Kind.GRID, "grid 1x2"),
        (((1,), (2, 3)), Kind.GRID, "ragged grid 2x1-2"),
        (((), ()), Kind.GRID, "grid 2x0"),
        ((), Kind.EMPTY, "empty tuple"),
        (frozenset(), Kind.EMPTY, "empty set"),
        (INDICES, Kind.INDICES, "indices 2"),
        (OBJECT, Kind.OBJECT, "object 2 cells"),
        (frozenset({(1, (0, 0))}), Kind.OBJECT, "object 1 cell"),
        (frozenset({OBJECT}), Kind.PATCHES, "1 object"),
        ((OBJECT, OBJECT, frozenset()), Kind.PATCHES, "3 objects"),
        ((INDICES, INDICES), Kind.PATCHES, "2 sets of indices"),
        ((INDICES, OBJECT), Kind.PATCHES, "2 patches"),
        ((OBJECT, ()), Kind.CONTAINER, "tuple of 2"),
        ((GRID, GRID), Kind.GRIDS, "2 grids"),
        (((GRID, GRID),), Kind.CONTAINER, "tuple of 1"),
        (frozenset({(True, False)}), Kind.CONTAINER, "set of 1"),
        (Failure("empty", "first of nothing"), Kind.FAILURE, "failure: empty: first of nothing"),
        (Function(), Kind.FUNCTION, "function compose(first, <last>)"),
    ],
)
def test_describe(value: object, kind: Kind, caption: str) -> None:
    described = describe(value)
    assert (described.kind, described.caption) == (kind, caption)


PICTURE = ((1, 2), ((3, 0), (0, 4)))
EMPTY_PICTURE = ((0, 0), ())
AWAY = ((0, 0), ((5,),))


@pytest.mark.parametrize(
    ("value", "known", "kind", "caption"),
    [
        (PICTURE, "Any", Kind.PICTURE, "picture 2x2 at (1, 2)"),
        (((-1, 10**30), ((7,),)), "Picture", Kind.PICTURE, "picture 1x1 at (-1, of 100 bits)"),
        (frozenset({PICTURE, AWAY}), "Any", Kind.PICTURES, "list of 2 pictures"),
        ((PICTURE,), "Tuple[Picture]", Kind.PICTURES, "list of 1 picture"),
        (frozenset({PICTURE, EMPTY_PICTURE}), "Pictures", Kind.PICTURES, "list of 2 pictures"),
        # These values are ambiguous without their types.
        (EMPTY_PICTURE, "Any", Kind.PICTURE, "empty picture"),
        (EMPTY_PICTURE, "Picture", Kind.PICTURE, "empty picture"),
        (EMPTY_PICTURE, "Grid", Kind.GRID, "ragged grid 2x0-2"),
        (((2, 3), ()), "Picture", Kind.PICTURE, "empty picture"),
        (((2, 3), ()), "Any", Kind.GRID, "ragged grid 2x0-2"),
        (frozenset(), "Pictures", Kind.EMPTY, "empty list of pictures"),
        (frozenset(), "Objects", Kind.EMPTY, "empty set"),
        # A cell, and demos, are pairs too.
        ((3, (1, 2)), "Cell", Kind.CELL, "cell color 3 at (1, 2)"),
        ((GRID, GRID), "(Grid, Grid)", Kind.GRIDS, "2 grids"),
    ],
)
def test_describe_pictures(value: object, known: str, kind: Kind, caption: str) -> None:
    described = describe(value, parse_type(known))
    assert (described.kind, described.caption) == (kind, caption)


def test_a_picture_is_drawn_at_its_place_over_the_input() -> None:
    drawn = plain(shown(draw_value(PICTURE, over=((0,) * 5,) * 4), no_color=True))
    assert drawn.splitlines() == [
        "picture 2x2 at (1, 2)",
        ". . . . .",
        ". . 3 0 .",
        ". . 0 4 .",
        ". . . . .",
    ]
    canvas = figure_of(PICTURE, ((0,) * 5,) * 4).canvas
    assert canvas is not None and (canvas.height, canvas.width) == (4, 5)
    (patch,) = canvas.patches
    assert patch.cells == {(1, 2): 3, (1, 3): 0, (2, 2): 0, (2, 3): 4}
    cell = cell_size([canvas])
    svg = svg_value(PICTURE, over=((0,) * 5,) * 4)
    ((x, y, _, _),) = boxes(svg, palette.COLORS[3])
    ((x4, y4, _, _),) = boxes(svg, palette.COLORS[4])
    assert (x4 - x, y4 - y) == (cell, cell)


def test_pictures_that_lie_apart_share_a_frame_and_others_have_their_own() -> None:
    over = ((0,) * 5,) * 4
    apart = figure_of(frozenset({PICTURE, AWAY, EMPTY_PICTURE}), over)
    assert apart.canvas is not None and not apart.items
    assert [len(patch.cells) for patch in apart.canvas.patches] == [0, 1, 4]
    stacked = figure_of(frozenset({PICTURE, ((2, 3), ((9, 9),))}), over)
    assert stacked.canvas is None
    assert [item.caption for item in stacked.items] == [
        "picture 2x2 at (1, 2)",
        "picture 1x2 at (2, 3)",
    ]
    assert all(item.canvas and item.canvas.height == 4 for item in stacked.items)
    nothing = figure_of(frozenset({EMPTY_PICTURE}), over, parse_type("Pictures"))
    assert nothing.canvas is None and [item.caption for item in nothing.items] == ["empty picture"]


def test_long_text_is_cut_to_one_line() -> None:
    caption = describe(Failure("type", "a\nb" * 1000)).caption
    assert "\n" not in caption
    assert len(caption) < 150


def test_palette() -> None:
    assert len(set(palette.COLORS)) == 10
    assert palette.COLORS[1] == "#0074D9"
    assert palette.mix("#000000", "#FFFFFF", 0.5) == "#808080"
    assert palette.color_of(-1) == palette.color_of(10) == palette.ODD


# SVG


def test_svg_grid_fills_every_cell_with_its_color() -> None:
    svg = svg_grid(GRID)
    cell = cell_size([canvas_of_grid(GRID)])
    for row, colors in enumerate(GRID):
        for column, color in enumerate(colors):
            expected = (MARGIN + column * cell, MARGIN + row * cell, cell + 1, cell + 1)
            assert boxes(svg, palette.COLORS[color]) == [expected]
    # Four lines each way for three rows and three columns.
    assert len(boxes(svg, palette.GRID_LINE)) == 8
    side = str(3 * cell + 1 + 2 * MARGIN)
    assert (scene(svg).get("width"), scene(svg).get("height")) == (side, side)


def test_neighbors_of_one_color_share_a_box() -> None:
    svg = svg_grid(((2, 2, 2), (2, 0, 2)))
    assert len(boxes(svg, palette.COLORS[2])) == 3


def test_cells_shrink_with_the_size_of_the_grid() -> None:
    small, large = (canvas_of_grid(((0,) * n,) * n) for n in (3, 30))
    assert cell_size([small]) > cell_size([large])
    assert cell_size([small, large]) == cell_size([large])


def test_svg_pair_has_an_arrow_between_its_grids() -> None:
    svg = svg_pair(Pair(((1,),), ((2,),)))
    (arrow,) = list(scene(svg).iter(SVG + "polygon"))
    tip = max(int(point.split(",")[0]) for point in (arrow.get("points") or "").split())
    (before,), (after,) = boxes(svg, palette.COLORS[1]), boxes(svg, palette.COLORS[2])
    assert before[0] + before[2] < tip < after[0]
    assert before[1] == after[1]


@pytest.mark.parametrize("task_id", ["007bbfb7", "00d62c1b", "ff28f65a"])
def test_svg_task_labels_all_pairs(task_id: str) -> None:
    task = find_task(task_id)
    labels = texts(svg_task(task))
    assert labels[0] == task.id
    n_tests = len(task.test_inputs)
    wanted = [f"demo {number}" for number in range(1, len(task.demos) + 1)]
    wanted += ["test"] if n_tests == 1 else [f"test {number}" for number in range(1, n_tests + 1)]
    assert [label for label in labels if label.startswith(("demo", "test"))] == wanted
    assert labels.count("?") == n_tests


def test_every_task_is_laid_out_within_the_page() -> None:
    for task in load("arc-agi-2/evaluation"):
        block = lay_out_task(task)
        assert block.width <= MAX_WIDTH + 2 * MARGIN
        for command in block.commands:
            if isinstance(command, Boxes):
                for x, y, width, height in command.boxes:
                    assert 0 <= x < x + width <= block.width
                    assert 0 <= y < y + height <= block.height


def test_object_is_bright_and_outlined_over_a_dimmed_grid() -> None:
    svg = svg_value(OBJECT, over=GRID)
    assert len(boxes(svg, palette.COLORS[1])) == 1
    assert len(boxes(svg, palette.dimmed(palette.COLORS[8]))) == 1
    assert not boxes(svg, palette.COLORS[8])
    # Two cells, one below the other: six edges are on the border.
    assert len(boxes(svg, palette.OUTLINES[0])) == 6
    assert texts(svg) == ["object 2 cells"]


def test_outline_joins_at_inner_corners() -> None:
    bend = frozenset({(1, (0, 0)), (1, (1, 0)), (1, (1, 1))})
    # Eight edges on the border and one inner corner.
    assert len(boxes(svg_value(bend), palette.OUTLINES[0])) == 9


def test_each_object_of_a_set_has_its_own_outline() -> None:
    other = frozenset({(2, (2, 2))})
    svg = svg_value((OBJECT, other), over=GRID)
    assert len(boxes(svg, palette.OUTLINES[0])) == 6
    assert len(boxes(svg, palette.OUTLINES[1])) == 4
    assert texts(svg) == ["2 objects"]


def test_indices_are_shaded_with_the_grid_shining_through() -> None:
    svg = svg_value(INDICES, over=GRID)
    (shade,) = (p for p in scene(svg).iter(SVG + "path") if p.get("fill") == palette.SHADES[0])
    assert 0 < float(shade.get("fill-opacity") or 1) < 1
    assert len(boxes(svg, palette.SHADES[0])) == 2


def test_patch_beyond_the_frame_widens_the_picture() -> None:
    grid = ((0,) * 10,) * 10
    inside = lay_out_value(frozenset({(1, (0, 0))}), grid)
    outside = lay_out_value(frozenset({(1, (-1, 10))}), grid)
    cell = cell_size([canvas_of_grid(grid)])
    assert (outside.width, outside.height) == (inside.width + cell, inside.height + cell)
    # The frame of the grid stays where the grid is, with its full size.
    frame = next(c for c in outside.commands if isinstance(c, Boxes) and c.fill == palette.TEXT)
    assert frame.boxes[0][:3] == (MARGIN, frame.boxes[0][1], 10 * cell + 1)
    assert max(y + height for _, y, _, height in frame.boxes) == outside.height - MARGIN


def test_far_cells_are_left_out_with_a_note() -> None:
    far = frozenset({(1, (0, 0)), (1, (10**9, -(10**9))), (1, (0, 5000))})
    svg = svg_value(far, over=GRID)
    assert "2 cells beyond this drawing" in texts(svg)
    assert int(scene(svg).get("width") or 0) < 500
    assert "1 cell beyond this drawing" in texts(svg_value(frozenset({(0, 0), (10**30, 0)})))


def test_large_grid_is_cut_with_a_note() -> None:
    svg = svg_grid(((3,) * 500,) * 400)
    assert texts(svg) == [f"the first {MAX_SIDE}x{MAX_SIDE} cells of 400x500"]
    assert len(boxes(svg, palette.COLORS[3])) == MAX_SIDE


def test_odd_numbers_are_drawn_with_digits_on_a_hatch() -> None:
    svg = svg_grid(((0, -1), (10, 41)))
    assert texts(svg) == ["-1", "10", "41"]
    # Two in the second row are neighbors.
    assert len(boxes(svg, palette.ODD)) == 2
    hatch = [p for p in scene(svg).iter(SVG + "polygon") if p.get("fill") == palette.ODD_HATCH]
    assert len(hatch) == 2 * 3


def test_ragged_grids_are_drawn_without_padding() -> None:
    block = canvas_block(canvas_of_grid(((1,), (2, 2, 2))), 10)
    lines = next(c for c in block.commands if isinstance(c, Boxes) and c.fill == palette.GRID_LINE)
    assert (0, 0, 11, 1) in lines.boxes
    assert (0, 20, 31, 1) in lines.boxes


def test_text_is_escaped_and_failures_are_red() -> None:
    svg = svg_value(Function())
    assert texts(svg) == ["function compose(first, <last>)"]
    label = next(scene(svg_value(Failure("a\0b", "<&>"))).iter(SVG + "text"))
    assert label.text == "failure: a b: <&>"
    assert label.get("fill") == palette.FAILURE


def test_containers_show_their_elements_up_to_a_limit() -> None:
    figure = figure_of((GRID, GRID, OBJECT, 5, (GRID, GRID)), GRID)
    assert [item.caption for item in figure.items] == [
        "grid 3x3",
        "grid 3x3",
        "object 2 cells",
        "number 5",
        "2 grids",
    ]
    assert [item.caption for item in figure.items[4].items] == ["grid 3x3", "grid 3x3"]
    many = figure_of((GRID,) * 30)
    assert (len(many.items), many.note) == (MAX_ITEMS, "and 18 more")
    deep: Any = GRID
    for _ in range(20):
        deep = (deep,)
    assert texts(svg_value(deep))[0] == "tuple of 1"


def test_sets_are_drawn_in_ascending_order() -> None:
    grids = frozenset({((2,),), ((1,),), ((0,),)})
    captions = [item.canvas.grid[0, 0] for item in figure_of(grids).items if item.canvas]
    assert captions == [0, 1, 2]


# PNG


def opened(data: bytes) -> Image.Image:
    assert data.startswith(b"\x89PNG")
    return Image.open(io.BytesIO(data)).convert("RGB")


def test_png_has_the_size_and_the_colors_of_the_scene() -> None:
    image = opened(render_png(lay_out_grid(GRID)))
    block = lay_out_grid(GRID)
    assert image.size == (block.width * SCALE, block.height * SCALE)
    cell = cell_size([canvas_of_grid(GRID)])
    for row, colors in enumerate(GRID):
        for column, color in enumerate(colors):
            x = (MARGIN + column * cell + cell // 2) * SCALE
            y = (MARGIN + row * cell + cell // 2) * SCALE
            expected = tuple(bytes.fromhex(palette.COLORS[color][1:]))
            assert image.getpixel((x, y)) == expected


def test_png_blends_the_shade_of_indices() -> None:
    pixels = (
        opened(render_png(lay_out_value(frozenset({(0, 0)}), ((0, 0), (0, 0))))).getcolors(10**6)
        or []
    )
    seen = {color for _, color in pixels}
    under = palette.dimmed(palette.COLORS[0])
    blended = bytes.fromhex(palette.mix(under, palette.SHADES[0], 0.62)[1:])
    assert any(
        all(abs(a - b) <= 1 for a, b in zip(color, blended, strict=True))  # type: ignore[arg-type]
        for color in seen
    )


def test_png_of_pairs_and_tasks() -> None:
    task = find_task("007bbfb7")
    block = lay_out_task(task)
    assert opened(png_task(task)).size == (block.width * SCALE, block.height * SCALE)
    assert lay_out_pair(task.demos[0]).width > lay_out_grid(task.demos[0].output).width


# Terminal


def test_digits_without_a_terminal() -> None:
    assert plain(shown(draw_grid(GRID))) == "0 1 2\n3 4 5\n6 7 8"


def test_digits_under_no_color(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    output = shown(draw_grid(GRID), force_terminal=True, color_system="truecolor")
    assert plain(output) == "0 1 2\n3 4 5\n6 7 8"


def test_colors_on_a_terminal() -> None:
    output = colored(draw_grid(GRID))
    assert [output.count(background(color)) for color in palette.COLORS] == [1] * 9 + [0]
    assert len(output.splitlines()) == 3


def test_half_blocks_where_the_terminal_is_narrow() -> None:
    grid = ((1,) * 20,) * 5
    assert "▀" not in colored(draw_grid(grid), width=40)
    narrow = colored(draw_grid(grid), width=39)
    assert len(narrow.splitlines()) == 3
    assert narrow.count("▀") == 60


def test_narrow_digits_and_stacked_pairs() -> None:
    grid = ((1,) * 20,) * 2
    assert plain(shown(draw_grid(grid), width=30)) == "\n".join(["1" * 20] * 2)
    pair = plain(shown(draw_pair(Pair(grid, grid)), width=30)).splitlines()
    assert pair == ["1" * 20, "1" * 20, "->", "1" * 20, "1" * 20]
    assert "…" in shown(draw_grid(grid), width=10)


def test_pair_is_in_line_with_its_arrow() -> None:
    pair = Pair(((1,),), ((2, 2), (2, 2), (2, 2)))
    assert plain(shown(draw_pair(pair))) == "     2 2\n1 -> 2 2\n     2 2"


@pytest.mark.parametrize("width", [40, 80, 200])
def test_task_fits_the_terminal(width: int) -> None:
    task = find_task("00d62c1b")
    for output in (shown(draw_task(task), width), colored(draw_task(task), width)):
        bare = re.sub(r"\x1b\[[0-9;]*m", "", output)
        assert max(map(len, bare.splitlines())) <= width
        assert all(f"demo {number} " in bare for number in range(1, 6))
        assert "test" in bare
        assert "?" in bare


def test_task_shows_no_grid_twice_and_all_digits() -> None:
    task = Task("t", (Pair(((1, 1),), ((2,),)),), (((3,),), ((4,),)), "here")
    output = plain(shown(draw_task(task)))
    assert "demo 1  1x2 -> 1x1" in output
    assert "1 1 -> 2" in output
    assert "test 1  1x1 -> ?" in output
    assert "3 -> ?" in output
    assert "test 2" in output


def test_patches_without_color() -> None:
    assert plain(shown(draw_value(OBJECT, over=GRID))) == "object 2 cells\n. 1 .\n. 4 .\n. . ."
    assert plain(shown(draw_value(INDICES, over=GRID))) == "indices 2\n# . .\n. . .\n. . #"
    several = plain(shown(draw_value((INDICES, frozenset({(1, 1)})), over=GRID)))
    assert several == "2 sets of indices\na . .\n. b .\n. . a"
    objects = plain(shown(draw_value((OBJECT, frozenset({(7, (2, 2))})), over=GRID)))
    assert objects.splitlines()[1:] == [" . 1a  .", " . 4a  .", " .  . 7b"]


def test_patches_with_color() -> None:
    output = colored(draw_value(OBJECT, over=GRID))
    assert background(palette.COLORS[4]) in output
    assert background(palette.COLORS[5]) not in output
    assert background(palette.dimmed(palette.COLORS[5])) in output
    output = colored(draw_value(INDICES, over=GRID))
    assert background(palette.mix(palette.COLORS[0], palette.SHADES[0], 0.7)) in output


def test_odd_numbers_in_the_terminal() -> None:
    grid = ((0, -1), (10,))
    assert plain(shown(draw_grid(grid))) == " 0 -1\n10"
    bare = re.sub(r"\x1b\[[0-9;]*m", "", colored(draw_grid(grid)))
    assert "-1" in bare
    assert "10" in bare


def test_values_without_a_picture() -> None:
    assert plain(shown(draw_value(5))) == "number 5"
    assert plain(shown(draw_value(Function()))) == "function compose(first, <last>)"
    failure = colored(draw_value(Failure("empty", "no [bold]cells")))
    assert "failure: empty: no [bold]cells" in failure
    assert "38;2;229;56;59" in failure
    assert "(no cells)" in shown(draw_value(((), ())))


def test_container_of_grids_is_side_by_side() -> None:
    output = plain(shown(draw_value((((1,), (2,)), ((3,), (4,))))))
    assert output == "2 grids\ngrid 2x1    grid 2x1\n1           3\n2           4"


# Any value


def values() -> st.SearchStrategy[Any]:
    numbers = st.integers(-3, 45) | st.integers()
    pairs = st.tuples(st.integers(-40, 40), st.integers(-40, 40))
    leaves = st.one_of(
        st.none(),
        st.booleans(),
        numbers,
        st.just(Function()),
        st.builds(Failure, st.text(max_size=5), st.text(max_size=5)),
        st.frozensets(pairs, max_size=8),
        st.frozensets(st.tuples(st.integers(-2, 12), pairs), max_size=8),
        st.lists(st.lists(st.integers(-2, 12), max_size=4).map(tuple), max_size=4).map(tuple),
    )
    return st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=4).map(tuple) | st.frozensets(inner, max_size=4),
        max_leaves=8,
    )


@pytest.mark.slow
@settings(max_examples=75)
@given(values(), st.sampled_from([None, (), ((),), ((1, 2), (3,)), GRID]))
def test_any_value_can_be_drawn(value: Any, over: Any) -> None:
    svg = svg_value(value, over)
    image = opened(render_png(lay_out_value(value, over)))
    assert image.width == int(scene(svg).get("width") or 0) * SCALE
    assert texts(svg)[0] == describe(value).caption
    for width in (20, 80):
        assert shown(draw_value(value, over), width)
        assert colored(draw_value(value, over), width)
