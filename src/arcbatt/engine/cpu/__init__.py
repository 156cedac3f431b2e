"""Running programs on the CPU: by the native engine, or by their Python definitions."""
