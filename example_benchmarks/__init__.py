"""Worked examples, each a benchmark repository in small, on the public API only."""
