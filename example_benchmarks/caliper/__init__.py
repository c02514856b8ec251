"""CALIPER: calibrate, then predict (arXiv 2609.08250)."""
