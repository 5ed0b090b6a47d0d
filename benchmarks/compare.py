"""Runs cornu-bench, and the benchmarks of other frameworks beside it, and prints a Markdown table.

    compare.py CORNU_BENCH [WORKLOAD...] [--peers FOLDER --tf VENV --jax VENV --torch VENV
               --libtorch PROGRAM] [--passes N] [--out FILE]
    compare.py --table FILE...      the table of lines that were kept

FOLDER holds keras_bench.py and torch_bench.py, which print the same JSON lines as cornu-bench. Each measurement is a
process of its own. The programs take turns within a workload, and the best pass of each counts, so that a machine
that is busy for a while harms nobody in particular. Needs only Python's standard library.
"""
import argparse
import collections
import json
import os
import re
import resource
import subprocess
import sys
import time

TRAINED = ("seed_b1", "seed_b32", "mlp", "mnist_cnn", "lstm", "gru", "gpt", "resnet50")
WORKLOADS = TRAINED + ("call_overhead", "load_resnet50", "load_mnist_cnn", "loaded_model", "callers", "mobilenet_v2",
                       "memory_predict")
OURS_ONLY = ("loaded_model", "callers", "mobilenet_v2")
KERAS = {"tf": ("tensorflow", ("fit", "xla"), ("fit", "eager", "jit", "xla")),
         "jax": ("jax", ("fit",), ("fit", "eager", "jit")),
         "torch": ("torch", ("fit",), ("fit", "eager"))}
LOWER_IS_BETTER = {"s", "ms", "us", "MB"}
PEERS = ("keras-tf", "keras-jax", "keras-torch", "torch", "libtorch")


def keras_arguments(workload, fits, seeds, models):
    if workload.startswith("seed"):
        return [["seed", "--mode", mode, "--batch", workload[6:]] for mode in seeds]
    if workload.startswith("load_"):
        net = workload[5:]
        return [["load", "--net", net, "--file", os.path.join(models, net + ".keras")]]
    if workload in ("call_overhead", "memory_predict"):
        return [[workload.split("_")[0]]]
    predict = [[workload, "--mode", "predict"]] if workload in ("gpt", "resnet50") else []
    return [[workload, "--mode", mode] for mode in fits] + predict


def commands(workload, a):
    """Yields (peer, environment, command) of everything that measures a workload."""
    ours = ["--threads", str(a.threads), "--seconds", str(a.seconds)]
    for mode in a.modes[workload]:
        yield "cornu", {}, [a.bench, workload, "--mode", mode, "--models", a.models, *ours]
    if not a.peers or workload in OURS_ONLY:
        return
    for peer, (backend, fits, seeds) in KERAS.items():
        venv = getattr(a, peer)
        for arguments in keras_arguments(workload, fits, seeds, a.models) if venv else ():
            yield ("keras-" + peer, {"KERAS_BACKEND": backend},
                   [os.path.join(venv, "bin", "python"), os.path.join(a.peers, "keras_bench.py"), *arguments, *ours])
    name = {"call_overhead": "call"}.get(workload, workload)
    if workload not in TRAINED and name != "call":
        return
    for mode in ("eager", "compile") if a.torch else ():
        yield ("torch", {}, [os.path.join(a.torch, "bin", "python"), os.path.join(a.peers, "torch_bench.py"), name,
                             "--mode", mode, *ours])
    if a.libtorch:
        yield "libtorch", {}, [a.libtorch, name, str(a.threads)]


def cpu_seconds():
    """Seconds that all cores were busy, and those of this program's children."""
    with open("/proc/stat") as file:
        fields = [int(x) for x in file.readline().split()[1:]]
    own = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (sum(fields[i] for i in (0, 1, 2, 5, 6, 7)) / os.sysconf("SC_CLK_TCK"), own.ru_utime + own.ru_stime)


def run(peer, environment, command, a):
    """The lines that one process prints, each with others_cpu: the cores that other processes used meanwhile."""
    threads = {key: str(a.threads) for key in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
    started = time.clock_gettime(time.CLOCK_BOOTTIME)
    if peer == "cornu":
        threads["CORNU_BENCH_START"] = repr(started)
    all_before, own_before = cpu_seconds()
    label = f"{peer} {' '.join(command[1:] if peer in ('cornu', 'libtorch') else command[2:])}"
    try:
        done = subprocess.run(command, env={**os.environ, **environment, **threads}, capture_output=True, text=True,
                              timeout=a.timeout)
        text, error = done.stdout, ""
        if done.returncode:
            error = f"{done.stderr.strip()}\nended with status {done.returncode}"
    except (OSError, subprocess.TimeoutExpired) as problem:
        text, error = "", str(problem)
    all_after, own_after = cpu_seconds()
    taken = time.clock_gettime(time.CLOCK_BOOTTIME) - started
    others = max(0.0, (all_after - all_before - (own_after - own_before)) / taken)
    print(f"{time.strftime('%H:%M:%S')} {label}: {taken:.0f} s, others use {others:.1f} cores", file=sys.stderr)
    if error:
        print("    " + "\n    ".join(error.strip().splitlines()[-3:]), file=sys.stderr)
    lines = [json.loads(line) for line in text.splitlines() if line.startswith("{")]
    for line in lines:
        line.update(threads=a.threads, others_cpu=round(others, 2))
    return lines


def row_of(line):
    """(workload, batch, metric) under which measurements of all programs are compared, and the mode."""
    workload, mode, metric, batch = line["workload"], line["mode"], line["metric"], line.get("batch")
    if metric.startswith("train_"):  # torch's second optimizer
        mode, metric = f"{mode} {metric[6:]}", "train"
    if metric in ("jit.trace", "jitted_xla"):
        mode, metric = metric, "jitted"
    elif metric.startswith("predict_b"):
        batch, metric = int(metric[9:]), "predict"
    elif workload == "resnet50":
        batch = 16
    if mode.startswith("predict") and metric in ("time_to_first_step", "peak_rss") and workload != "memory_predict":
        metric = {"time_to_first_step": "time_to_first_result", "peak_rss": "peak_rss predict"}[metric]
    if workload == "seed_table" and metric in ("train", "time_to_first_step"):
        metric += {"fit": " with fit", "eager": " eagerly"}.get(re.split("[ _]", mode)[0], " compiled")
    return (workload, batch, metric), mode


def figure(value):
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table(lines):
    best = collections.defaultdict(dict)
    for line in lines:
        if line["value"] != line["value"] or line["metric"] == "import":
            continue
        row, mode = row_of(line)
        lower = line["unit"] in LOWER_IS_BETTER
        old = best[row].get(line["peer"])
        if old is None or (line["value"] < old[0] if lower else line["value"] > old[0]):
            best[row][line["peer"]] = (line["value"], mode, line["unit"], line.get("gflop_per_s"))
    peers = [p for p in PEERS if any(p in cells for cells in best.values())]
    head = ["workload", "metric", "unit", "Cornu", *peers] + (["Cornu to best"] if peers else [])
    print("| " + " | ".join(head) + " |\n|" + " --- |" * len(head))
    for (workload, batch, metric), cells in best.items():
        if "cornu" not in cells:
            continue
        ours, mode, unit, speed = cells["cornu"]
        others = [cells[p][0] for p in peers if p in cells]
        lower = unit in LOWER_IS_BETTER
        top = (min if lower else max)([ours, *others])
        name = workload + (f" b{batch}" if batch and not workload.startswith(("load", "call", "memory")) else "")
        out = [name, metric, unit, mark(ours, ours == top) + f" {mode}" + (f" ({speed:.0f} GFLOP/s)" if speed else "")]
        for peer in peers:
            out.append(f"{mark(cells[peer][0], cells[peer][0] == top)} {cells[peer][1]}" if peer in cells else "")
        if peers:
            out.append(ratio(ours, others, lower))
        print("| " + " | ".join(out) + " |")


def mark(value, top):
    return f"**{figure(value)}**" if top else figure(value)


def ratio(ours, others, lower):
    """How many times better than the best of the others; below 1 is worse."""
    if not others:
        return ""
    rival = min(others) if lower else max(others)
    if min(ours, rival) <= 0:  # memory may shrink
        return ""
    return f"{rival / ours if lower else ours / rival:.2f}"


def find_peers(a):
    """Says which peers are left out."""
    for option, needs in (("tf", "a venv with tensorflow and keras"), ("jax", "a venv with jax and keras"),
                          ("torch", "a venv with torch and keras"), ("libtorch", "the built program")):
        path = getattr(a, option) or os.environ.get(f"CORNU_PEER_{option.upper()}")
        program = path and (path if option == "libtorch" else os.path.join(path, "bin", "python"))
        if not program or not os.access(program, os.X_OK):
            print(f"compare: {option} is left out: {'no ' + program if program else 'not given'}. Give --{option} or "
                  f"CORNU_PEER_{option.upper()}: {needs}.", file=sys.stderr)
            path = None
        setattr(a, option, path)


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("bench", nargs="?")
    ap.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS))
    ap.add_argument("--peers", metavar="FOLDER")
    for peer in ("tf", "jax", "torch", "libtorch"):
        ap.add_argument("--" + peer, metavar="PATH")
    ap.add_argument("--models", help="folder of resnet50.keras and mnist_cnn.keras; default: written by cornu-bench")
    ap.add_argument("--only", default="", help="regular expression on 'peer workload mode'")
    ap.add_argument("--passes", type=int, default=2)
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--seconds", type=float, default=5)
    ap.add_argument("--timeout", type=int, default=600)
    ap.add_argument("--out", help="file to which the lines are added")
    ap.add_argument("--table", nargs="+", metavar="FILE")
    a = ap.parse_args()
    if a.table:
        return table([json.loads(line) for path in a.table for line in open(path)])
    if not a.bench:
        ap.error("CORNU_BENCH is missing")
    workloads = [w for w in WORKLOADS if not a.workloads or w in a.workloads]
    if unknown := set(a.workloads) - set(WORKLOADS) - {"all"}:
        ap.error(f"unknown workload {', '.join(sorted(unknown))}; there are {', '.join(WORKLOADS)}")
    if "all" in a.workloads:
        workloads = list(WORKLOADS)
    listed = subprocess.run([a.bench, "--list"], capture_output=True, text=True, check=True).stdout
    a.modes = {line.split(": ")[0]: line.split(": ")[1].split(", ") for line in listed.splitlines()}
    if a.peers:
        find_peers(a)
    if not a.models:
        a.models = os.path.join(os.path.dirname(os.path.abspath(a.bench)), "bench_models")
        if any(w.startswith("load") for w in workloads):
            subprocess.run([a.bench, "--save", a.models], check=True)
    lines = []
    for workload in workloads:
        for _ in range(a.passes):
            for peer, environment, command in commands(workload, a):
                if not re.search(a.only, " ".join([peer, workload, *command])):
                    continue
                found = run(peer, environment, command, a)
                lines += found
                if a.out:
                    with open(a.out, "a") as file:
                        file.writelines(json.dumps(line) + "\n" for line in found)
    table(lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
