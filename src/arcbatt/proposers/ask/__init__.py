"""The ask proposer: programs that a language model writes, behind any OpenAI-compatible endpoint.

`endpoint` sends requests and bounds them, `messages` writes what the model is told and reads what
it answers, `proposer` holds a conversation per task beside the search.
"""

from .options import AskOptions
from .proposer import AskProposer

__all__ = ["AskOptions", "AskProposer"]
