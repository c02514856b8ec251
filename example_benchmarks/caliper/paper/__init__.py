"""The tables and figures of the CALIPER paper, computed: one command each."""
