"""The commands, one module each: the module `solve` holds the command `arcbatt solve`.

A module has a function of its own name (or `app`, a group of commands) and `EXAMPLES` for its help;
`CONTEXT` may hold Click context settings. Modules are discovered, so there is nothing to register.
"""
