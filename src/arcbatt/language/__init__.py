"""The language: primitives with their meaning, and programs as data.

Nothing here knows of tasks. Text goes in by `parse_programs`, values come out of `interpret`.
"""

from .budget import SEARCH_BUDGET, Budget, to_budget
from .conversion import to_value
from .failure import Failure, Reason
from .interpreter import Result, evaluate_call, interpret
from .ir import Node, Program
from .parse import (
    ParsedProgram,
    RejectedProgram,
    parse_file,
    parse_program,
    parse_programs,
    read_file,
    read_lines,
    to_program,
)
from .program_error import ProgramError
from .prompt import language_prompt
from .registry import Primitive, all_primitives, find_primitive
from .replies import read_programs
from .text import format_batt, format_program
from .values import Function, Value, format_value
from .version import language_version

__all__ = [
    "SEARCH_BUDGET",
    "Budget",
    "Failure",
    "Function",
    "Node",
    "ParsedProgram",
    "Primitive",
    "Program",
    "ProgramError",
    "Reason",
    "RejectedProgram",
    "Result",
    "Value",
    "all_primitives",
    "evaluate_call",
    "find_primitive",
    "format_batt",
    "format_program",
    "format_value",
    "interpret",
    "language_prompt",
    "language_version",
    "parse_file",
    "parse_program",
    "parse_programs",
    "read_file",
    "read_lines",
    "read_programs",
    "to_budget",
    "to_program",
    "to_value",
]
