"""CALIPER, calibrate then predict: a worked example on MuJoCo (arXiv 2609.08250)."""
