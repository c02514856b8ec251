"""Hooks and options; everything heavy loads when an item runs."""
