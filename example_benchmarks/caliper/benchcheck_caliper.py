"""The audit of CALIPER's two scenes: pytest --benchcheck example_benchmarks/caliper."""

from pytest_benchcheck.example_benchmarks.caliper.benchmark import Caliper

# Known to be unable to rank representations: a fixed camera turns the displacement into pixel
# coordinates, which any of them keeps (paper, section 4). The audit is green while it is found out.
clean = Caliper("caliper-clean", scene="clean", expected={"spread": "fail"})
nuisance = Caliper("caliper-nuisance", scene="nuisance")
