"""Ordinary primitives, a module per family, and the helper functions of their definitions."""
