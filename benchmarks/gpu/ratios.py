"""Cornu's figures beside the best of the peers', of the same run: a table in Markdown.

    ratios.py benchmarks.jsonl

Each line of the file is an object of cornu-bench, torch_bench.py or jax_bench.py. Figures of one workload, metric and
precision are compared; for Cornu it is what `fit` reached, where it was measured, since that is what people call.
`copy` is what elementwise kernels are compared with as well.
"""
import json
import sys

# At least so much of the best peer, or of the library alone, is what Cornu wants to reach.
WANTED = {("resnet50_b128", "bfloat16"): 1.1, ("gpt_768", "bfloat16"): 1.1, ("seed_b1", "float32"): 10,
          ("mnist_cnn", "float32"): 1.5, ("lstm", "float32"): 1.2}
WANTED_OF_KERNELS = {"matmul_8192": 0.9, "attention": 0.9, "attention_training": 0.9, "elementwise of copy": 0.85}


def precision(mode):
    kind = next((k for k in ("bfloat16", "float16", "int8") if k in mode), "float32")
    return kind + (" tf32" if "tf32" in mode else "")


def collect(lines):
    """{(workload, metric, precision): {"cornu" or "peers": [(value, who)]}}, and units"""
    groups, units = {}, {}
    for line in lines:
        figure = json.loads(line)
        if figure["metric"] not in ("train", "copy", "elementwise") and figure["workload"] != "kernels":
            continue
        workload = figure["workload"]
        if workload == "seed_table":
            workload = f"seed_b{figure['batch']}"
        key = workload, figure["metric"], precision(figure["mode"])
        side = "cornu" if figure["peer"] == "cornu" else "peers"
        mode = figure["mode"].split()
        if side == "cornu":
            who = mode[0]
        else:
            who = " ".join([figure["peer"]] + [m for m in mode if m not in ("float32", "bfloat16", "tf32")])
        groups.setdefault(key, {}).setdefault(side, []).append((figure["value"], who))
        units[key] = figure["unit"]
        if workload == "kernels" and figure["metric"] == "copy":
            of_copy = "kernels", "elementwise of copy", key[2]
            groups.setdefault(of_copy, {}).setdefault("peers", []).append((figure["value"], f"{who} copy"))
        if workload == "kernels" and figure["metric"] == "elementwise" and side == "cornu":
            groups.setdefault(("kernels", "elementwise of copy", key[2]), {}).setdefault("cornu", []).append(
                (figure["value"], who))
            units["kernels", "elementwise of copy", key[2]] = figure["unit"]
    return groups, units


def main():
    with open(sys.argv[1]) as file:
        groups, units = collect(line for line in file if line.strip())
    print("| workload | precision | Cornu | best peer | ratio | wanted |\n|---|---|---|---|---|---|")
    for key, sides in sorted(groups.items()):
        workload, metric, kind = key
        cornu, peers = sides.get("cornu", []), sides.get("peers", [])
        own = max([c for c in cornu if c[1] == "fit"] or cornu, default=None)
        if own is None:
            continue
        wanted = WANTED_OF_KERNELS.get(metric) if workload == "kernels" else WANTED.get((workload, kind))
        name = workload if metric == "train" else f"{workload}: {metric}"
        text = f"{own[0]:,.4g} {units[key]}" + (f" ({own[1]})" if workload != "kernels" else "")
        if not peers:
            print(f"| {name} | {kind} | {text} | | | {wanted or ''} |")
            continue
        best = max(peers)
        print(f"| {name} | {kind} | {text} | {best[0]:,.4g} ({best[1]}) | {own[0] / best[0]:.2f} | {wanted or ''} |")


if __name__ == "__main__":
    main()
