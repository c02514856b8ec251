"""The readout engine against a plain scikit-learn pipeline, side by side in one run.

The job is CALIPER's Table 1: four conditions (query, + calibration, + swapped calibration, swapped
at test time only) of eight representations with three blocks each, 3 repeats of 5 folds. The plain
pipeline is timed on one representation and a few folds and scaled; what it returns there is
compared with the engine's. Run with ``make bench-engine``; results stand in docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
import tracemalloc
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import scipy
import sklearn
from sklearn.decomposition import PCA
from sklearn.linear_model import RidgeCV
from sklearn.metrics import r2_score
from sklearn.preprocessing import StandardScaler

from pytest_benchcheck.checks import swap
from pytest_benchcheck.checks.folds import Fold
from pytest_benchcheck.checks.inputs import make_problem
from pytest_benchcheck.checks.readout import Condition, Problem, cross_validate
from pytest_benchcheck.checks.reduction import Block
from pytest_benchcheck.checks.swap import draw_images

BLOCKS = ("query", "slow", "fast")
EVIDENCE = ("slow", "fast")
FOLDS, REPEATS, COMPONENTS = 5, 3, 96
PENALTIES = np.logspace(-3, 5, 17)


def features(rows: int, width: int, seed: int) -> np.ndarray:
    """Like features of frames: a spectrum that falls as a power law, on an offset, with noise."""
    rng = np.random.default_rng(seed)
    factors = rng.standard_normal((rows, 256), dtype=np.float32)
    factors *= np.arange(1, 257, dtype=np.float32) ** -0.7
    loadings = rng.standard_normal((256, width), dtype=np.float32)
    noise = rng.standard_normal((rows, width), dtype=np.float32)
    return factors @ loadings + np.float32(0.1) * noise + np.float32(3)


def table(rows: int, width: int, count: int) -> tuple[dict[str, Any], np.ndarray, np.ndarray]:
    """Representations, speed and target of one Table 1 job."""
    representations = {
        f"encoder_{i}": {block: features(rows, width, 10 * i + j) for j, block in enumerate(BLOCKS)}
        for i in range(count)
    }
    rng = np.random.default_rng(0)
    speed = rng.uniform(0.40, 0.85, (rows, 1))
    mixed = sum(blocks["slow"][:, :8].sum(axis=1) for blocks in representations.values())
    target = 3 * speed[:, 0] + 0.02 * mixed + 0.1 * rng.standard_normal(rows)
    return representations, speed, target


def reduced(x: np.ndarray, train: np.ndarray, components: int) -> np.ndarray:
    """One block as a plain pipeline reduces it, for all rows."""
    pca = PCA(n_components=min(components, train.size - 1), svd_solver="full").fit(x[train])
    scores = pca.transform(x)
    scores = scores[:, scores[train].std(axis=0) > 0]
    return StandardScaler().fit(scores[train]).transform(scores)


def plain_fold(
    blocks: Mapping[str, np.ndarray], problem: Problem, fold: Fold, image: np.ndarray
) -> dict[str, float]:
    """R2 of the four conditions in one fold; the last shares the fit of the second."""
    train, test, y = fold.train, fold.test, problem.target
    share = COMPONENTS // len(blocks)

    def design(parts: Sequence[np.ndarray]) -> np.ndarray:
        return np.hstack([*parts, problem.covariates])

    def score(model: RidgeCV, x: np.ndarray) -> float:
        return float(r2_score(y[test], model.predict(x[test])))

    query = design([reduced(blocks["query"], train, COMPONENTS)])
    own = {name: reduced(x, train, share) for name, x in blocks.items()}
    exchanged = {
        name: reduced(x[image] if name in EVIDENCE else x, train, share)
        for name, x in blocks.items()
    }
    at_test = design([own[n][image] if n in EVIDENCE else own[n] for n in blocks])
    swapped = design(list(exchanged.values()))
    both = design(list(own.values()))
    fits = {
        name: RidgeCV(PENALTIES).fit(x[train], y[train])
        for name, x in {"query": query, "both": both, "swapped": swapped}.items()
    }
    return {
        "query": score(fits["query"], query),
        "query_evidence": score(fits["both"], both),
        "query_swapped": score(fits["swapped"], swapped),
        "query_swapped_at_test": score(fits["both"], at_test),
    }


def gemm_rate(n: int = 3000) -> float:
    """Multiply-adds a second, times two, of float64 products on all cores; the best of five."""
    a = np.random.default_rng(0).standard_normal((n, n))
    times = []
    for _ in range(5):
        start = time.perf_counter()
        a @ a
        times.append(time.perf_counter() - start)
    return 2 * n**3 / min(times)


def unavoidable_products(rows: int, width: int, count: int) -> float:
    """Floating-point operations of the Gram matrices (half of each) and of the scores."""
    train = rows * (FOLDS - 1) // FOLDS
    widths = COMPONENTS + len(EVIDENCE) * (COMPONENTS // len(BLOCKS))
    grams = count * len(BLOCKS) * rows**2 * width
    scores = count * FOLDS * REPEATS * 2 * rows * train * widths
    ridge = count * FOLDS * REPEATS * 3 * 2 * 2 * train * (COMPONENTS + 1) ** 2
    return float(grams + scores + ridge)


def engine_seconds(data: Any, target: np.ndarray, speed: np.ndarray) -> tuple[float, Any]:
    """Time of the whole job, and its result."""
    start = time.perf_counter()
    result = swap(
        data,
        target,
        evidence=EVIDENCE,
        covariates=speed,
        folds=FOLDS,
        repeats=REPEATS,
        components=COMPONENTS,
    )
    return time.perf_counter() - start, result


def compare(rows: int, width: int, count: int, plain_folds: int) -> dict[str, Any]:
    """The Table 1 job by the engine, and one representation's first folds by the pipeline."""
    data, speed, target = table(rows, width, count)
    rate = gemm_rate()
    seconds, _ = engine_seconds(data, target, speed)
    problem, _ = make_problem(target, covariates=speed, folds=FOLDS, repeats=REPEATS)
    images = draw_images(problem, 0)
    first = next(iter(data))
    jobs: dict[str, Any] = {}
    for dtype in ("float64", "float32"):
        blocks = {name: x.astype(dtype) for name, x in data[first].items()}
        start = time.perf_counter()
        folds = [
            plain_fold(blocks, problem, fold, images[fold.repeat])
            for fold in problem.folds[:plain_folds]
        ]
        taken = time.perf_counter() - start
        jobs[dtype] = (taken * FOLDS * REPEATS / plain_folds * count, folds)
    mine = engine_folds(data[first], problem, images)
    furthest = max(
        abs(fold[name] - mine[name][i])
        for i, fold in enumerate(jobs["float64"][1])
        for name in fold
    )
    floor = unavoidable_products(rows, width, count) / rate
    tracemalloc.start()
    engine_seconds({first: data[first]}, target, speed)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        "rows": rows,
        "width": width,
        "representations": count,
        "engine_s": seconds,
        "pipeline_s": jobs["float64"][0],
        "pipeline_float32_s": jobs["float32"][0],
        "ratio": jobs["float64"][0] / seconds,
        "ratio_float32": jobs["float32"][0] / seconds,
        "largest_difference_in_r2": furthest,
        "gemm_gflops": rate / 1e9,
        "floor_s": floor,
        "times_the_floor": seconds / floor,
        "memory_over_largest_block": peak / data[first]["query"].nbytes,
    }


def engine_folds(
    blocks: Mapping[str, np.ndarray], problem: Problem, images: Sequence[np.ndarray]
) -> dict[str, np.ndarray]:
    """R2 of every fold of the four conditions by the engine."""
    wrapped = {name: Block(x) for name, x in blocks.items()}
    conditions = {
        "query": Condition({"query": wrapped["query"]}),
        "query_evidence": Condition(wrapped),
        "query_swapped": Condition(wrapped, EVIDENCE, images),
        "query_swapped_at_test": Condition(wrapped, EVIDENCE, images, False),
    }
    scores = cross_validate(conditions, problem)
    return {name: score.fold_scores for name, score in scores.items()}


def growth(sizes: Sequence[int], width: int) -> list[dict[str, float]]:
    """Seconds and memory for one block and one repeat of five folds, by rows."""
    points = []
    for rows in sizes:
        x = features(rows, width, rows)
        y = x[:, :4].sum(axis=1) + np.random.default_rng(0).standard_normal(rows)
        problem, _ = make_problem(y.astype(np.float64), repeats=1)
        tracemalloc.start()
        start = time.perf_counter()
        cross_validate({"query": Condition({"query": Block(x, remember=False)})}, problem)
        seconds = time.perf_counter() - start
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        points.append({"rows": rows, "seconds": seconds, "memory_over_block": peak / x.nbytes})
        print(points[-1], flush=True)
    return points


def plot(result: Mapping[str, Any], path: Path) -> None:
    """Draw seconds by rows, on logarithmic axes, with a line of slope two."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "benchcheck"
    from matplotlib import pyplot as plt

    points = result["growth"]
    rows = np.array([point["rows"] for point in points], dtype=float)
    seconds = np.array([point["seconds"] for point in points])
    figure, axes = plt.subplots(figsize=(5, 3.4), layout="constrained")
    axes.loglog(rows, seconds, "o-", label="engine, one block, 5 folds")
    axes.loglog(rows, seconds[0] * (rows / rows[0]) ** 2, ":", label="quadratic in rows")
    axes.set_xlabel("rows")
    axes.set_ylabel("seconds")
    axes.set_xticks(rows, [f"{int(n):,}" for n in rows], minor=False)
    axes.minorticks_off()
    axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Measure, print, and write JSON where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--width", type=int, default=16384)
    parser.add_argument("--representations", type=int, default=8)
    parser.add_argument("--plain-folds", type=int, default=2)
    parser.add_argument("--growth", type=int, nargs="*", default=[])
    parser.add_argument("--json", type=Path, help="write the results to this file")
    parser.add_argument("--plot", type=Path, help="draw the growth of a results file: --json")
    options = parser.parse_args()
    if options.plot:
        plot(json.loads(options.json.read_text(encoding="utf-8")), options.plot)
        return
    result: dict[str, Any] = {
        "date": datetime.now(tz=UTC).date().isoformat(),
        "python": platform.python_version(),
        "machine": f"{platform.machine()}, {joblib.cpu_count()} cores",
        "versions": {m.__name__: m.__version__ for m in (np, scipy, sklearn, joblib)},
    }
    if options.representations:
        result["table_1"] = compare(
            options.rows, options.width, options.representations, options.plain_folds
        )
    if options.growth:
        result["growth"] = growth(options.growth, options.width)
    text = json.dumps(result, indent=2)
    print(text)
    if options.json:
        options.json.write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
