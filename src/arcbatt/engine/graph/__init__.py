"""Graphs of fused programs, their samples and their results."""
