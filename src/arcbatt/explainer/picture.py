"""Lay out an explanation as one picture: every line with its value on one pair."""

from __future__ import annotations

from collections.abc import Iterator

from arcbatt.drawing import Kind, describe, palette
from arcbatt.drawing.layout import lay_out_grid, lay_out_pair, lay_out_value
from arcbatt.drawing.scene import Block, stack, text_block, with_margin
from arcbatt.language import Failure
from arcbatt.tasks import Pair

from .trace import Explanation, PairTrace, Step
from .wording import VERDICT_MARKS, is_rule, verdict_words, why_no_value

TITLE_SIZE = 17
CODE_SIZE = 14
TEXT_SIZE = 13
MARGIN = 8
GAP = 6
# Longer lines are cut, as a picture does not scroll.
MAX_TEXT = 140


def lay_out_explanation(explanation: Explanation, pair: int = 0) -> Block:
    """Lay out an explanation on one of its pairs, counted from 0."""
    shown = explanation.pairs[pair]
    title = f"{explanation.program.name} on {explanation.task.id}, {shown.label}"
    blocks = [
        _text(title, TITLE_SIZE, palette.STRONG_TEXT, bold=True),
        *([_text(explanation.source.doc)] if explanation.source.doc else []),
        _text(explanation.source.header, CODE_SIZE, palette.STRONG_TEXT),
        _given(shown),
    ]
    for line, trace in zip(explanation.lines, shown.lines, strict=True):
        code = " ".join(line.statement.text.split())
        number = f"{line.statement.number}  {code}"
        blocks.append(_text(number, CODE_SIZE, palette.STRONG_TEXT, bold=True))
        blocks += _value(trace.step, shown)
    verdict = f"{VERDICT_MARKS[shown.verdict]} {shown.label} {verdict_words(shown)}"
    fill = palette.FAILURE if shown.verdict in ("wrong", "failed") else palette.STRONG_TEXT
    blocks.append(_text(verdict, CODE_SIZE, fill, bold=True))
    return with_margin(stack(blocks, GAP), MARGIN)


def _given(pair: PairTrace) -> Block:
    if pair.wanted is None:
        return lay_out_grid(pair.input)
    return lay_out_pair(Pair(pair.input, pair.wanted))


def _value(step: Step, pair: PairTrace) -> Iterator[Block]:
    if step.state == "failed":
        yield _text(f"failed: {step.outcome}", fill=palette.FAILURE)
        return
    if step.state != "value" or isinstance(step.outcome, Failure):
        yield _text(why_no_value(step))
        return
    for words in step.words:
        yield _text(words)
    if is_rule(step):
        return
    description = describe(step.outcome, step.type)
    if description.kind is Kind.FUNCTION:
        yield _text(description.caption)
    else:
        yield lay_out_value(step.outcome, pair.input, step.type)


def _text(
    text: str, size: int = TEXT_SIZE, fill: str = palette.TEXT, *, bold: bool = False
) -> Block:
    cut = text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 3] + "..."
    return text_block(cut, size, fill, bold=bold)
