def engine_version() -> str:
    return "stub"
