"""The audit of both: pytest --benchcheck example_benchmarks/single_perturbation."""

from pytest_benchcheck import Benchmark
from pytest_benchcheck.example_benchmarks.single_perturbation import MENDED, PUBLISHED

# Known to be bad: 13 of its 20 cells are inert (paper, table 4). The audit is green while it is
# found out.
published = Benchmark("single-perturbation", tasks=PUBLISHED, expected={"effect_size": "fail"})
mended = Benchmark("single-perturbation-mended", tasks=MENDED)
