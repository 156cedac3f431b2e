"""Everything that touches a GPU: planning, kernels, memory, runs and calibration."""
