"""The engine: runs many small programs over many samples, on CPU and GPU."""
