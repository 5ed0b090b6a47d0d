"""Trains the networks of cornu-bench in PyTorch on a GPU; prints a line of JSON for each.

    torch_bench.py [WORKLOAD[:DTYPE]...] [--tf32] [--compile MODE] [--steps N] [--device cpu] [--no-cudnn-benchmark]

Workloads: seed_b1 and seed_b32 (the sums of Gaussians), mlp, mnist_cnn, lstm, gpt, gpt_768, resnet50, resnet50_b128,
with the shapes, batches and optimizers of benchmarks/cornu/networks.cpp, and kernels, those of
benchmarks/cornu/kernels.cpp, which tell what the vendor's libraries reach alone. DTYPE: float32 (default) or bfloat16;
kernels:int8 is a product of integers, kernels:float8_e4m3fn one of 8-bit floats.
MODE: of torch.compile, "default" or "reduce-overhead" (which replays CUDA graphs). cuDNN tries its algorithms for each
convolution, unless --no-cudnn-benchmark leaves them to its heuristics. Data is on the device before the clock starts;
the best of three rounds counts.
"""
import argparse
import json
import sys
import time

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel


class Gpt(nn.Module):
    class Block(nn.Module):
        def __init__(self, width, heads):
            super().__init__()
            self.heads = heads
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

        def forward(self, x):
            n, t, width = x.shape
            q, k, v = (y.view(n, t, self.heads, -1).transpose(1, 2) for y in self.qkv(self.norm1(x)).chunk(3, -1))
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(n, t, width))
            return x + self.down(F.gelu(self.up(self.norm2(x))))

    def __init__(self, vocabulary, width, heads, blocks, tokens):
        super().__init__()
        self.table, self.places = nn.Embedding(vocabulary, width), nn.Embedding(tokens, width)
        self.body = nn.Sequential(*(self.Block(width, heads) for _ in range(blocks)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, vocabulary)

    def forward(self, ids):
        x = self.table(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        return self.head(self.norm(self.body(x)))


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.table, self.lstm, self.head = nn.Embedding(20000, 128), nn.LSTM(128, 128, batch_first=True), nn.Linear(128, 1)

    def forward(self, ids):
        return self.head(self.lstm(self.table(ids))[0][:, -1])


class Bottleneck(nn.Module):
    def __init__(self, before, width, stride, project):
        super().__init__()
        after = 4 * width
        self.body = nn.Sequential(
            nn.Conv2d(before, width, 1, stride), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, width, 3, 1, 1), nn.BatchNorm2d(width), nn.ReLU(),
            nn.Conv2d(width, after, 1), nn.BatchNorm2d(after))
        self.side = nn.Sequential(nn.Conv2d(before, after, 1, stride), nn.BatchNorm2d(after)) if project else nn.Identity()

    def forward(self, x):
        return F.relu(self.body(x) + self.side(x))


def resnet50():
    layers = [nn.Conv2d(3, 64, 7, 2, 3), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    before = 64
    for width, count, stride in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(count):
            layers.append(Bottleneck(before, width, stride if i == 0 else 1, i == 0))
            before = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(2048, 1000))


def task(name, device):
    """(network, x, y, loss, unit, what a step counts as)"""
    def ints(high, *shape):
        return torch.randint(0, high, shape, device=device)

    if name in ("seed_b1", "seed_b32"):
        batch = int(name[6:])
        net = nn.Sequential(nn.Linear(20, 20), nn.ReLU(), nn.Linear(20, 10), nn.ReLU(), nn.Linear(10, 1))
        x = torch.randn(batch, 20, device=device)
        return net, x, x.sum(1, keepdim=True), F.mse_loss, "samples/s", batch
    if name == "mlp":
        net = nn.Sequential(nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10))
        return net, torch.rand(128, 784, device=device), ints(10, 128), F.cross_entropy, "samples/s", 128
    if name == "mnist_cnn":
        net = nn.Sequential(nn.Conv2d(1, 32, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(32, 64, 3), nn.ReLU(),
                            nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.5), nn.Linear(1600, 10))
        return net, torch.rand(128, 1, 28, 28, device=device), ints(10, 128), F.cross_entropy, "samples/s", 128
    if name == "lstm":
        loss = F.binary_cross_entropy_with_logits
        return Lstm(), ints(20000, 32, 80), ints(2, 32, 1).float(), loss, "samples/s", 32
    if name in ("gpt", "gpt_768"):
        sizes, batch = ((5000, 256, 4, 4, 128), 16) if name == "gpt" else ((50304, 768, 12, 12, 1024), 8)
        x = ints(sizes[0], batch, sizes[-1])
        loss = lambda y, t: F.cross_entropy(y.flatten(0, 1), t.flatten())  # noqa: E731
        return Gpt(*sizes), x, x.roll(-1, 1), loss, "tokens/s", x.numel()
    if name in ("resnet50", "resnet50_b128"):
        batch = 128 if name == "resnet50_b128" else 16
        x = torch.rand(batch, 3, 224, 224, device=device).to(memory_format=torch.channels_last)
        y = ints(1000, batch)
        return resnet50().to(memory_format=torch.channels_last), x, y, F.cross_entropy, "samples/s", batch
    raise SystemExit(f"torch_bench: there is no workload {name!r}")


class Clock:
    """Seconds of one call of f: of so many calls, the best of three rounds after a warm-up."""

    def __init__(self, device, steps):
        self.wait = torch.cuda.synchronize if device.type == "cuda" else lambda: None
        self.steps = steps

    def __call__(self, f):
        for _ in range(min(10, self.steps)):
            f()
        best = float("inf")
        for _ in range(3):
            self.wait()
            start = time.perf_counter()
            for _ in range(self.steps):
                f()
            self.wait()
            best = min(best, (time.perf_counter() - start) / self.steps)
        return best


def say(workload, mode, metric, value, unit):
    print(json.dumps({"workload": workload, "peer": "torch", "mode": mode, "metric": metric, "value": round(value, 1),
                      "unit": unit, "version": "torch " + torch.__version__}), flush=True)


def measure_training(name, dtype, a, clock):
    device = torch.device(a.device)
    net, x, y, loss, unit, amount = task(name, device)
    net.to(device)
    fused = device.type == "cuda"
    optimizer = (torch.optim.SGD(net.parameters(), 0.01, momentum=0.9, fused=fused) if name.startswith("resnet50")
                 else torch.optim.Adam(net.parameters(), 1e-3, fused=fused))

    def gradients():
        with torch.autocast(device.type, torch.bfloat16, enabled=dtype == "bfloat16"):
            result = loss(net(x), y)
        result.backward()

    if a.compile:
        gradients = torch.compile(gradients, mode=a.compile)

    def step():
        optimizer.zero_grad(set_to_none=True)
        gradients()
        optimizer.step()

    mode = ("compile " + a.compile if a.compile else "eager") + " " + dtype + (" tf32" if a.tf32 else "")
    mode += "" if a.cudnn_benchmark else " heuristic"
    say(name, mode, "train", amount / clock(step), unit)


def measure_kernels(dtype, a, clock):
    device, kind = torch.device(a.device), getattr(torch, dtype)
    mode = "library " + dtype + (" tf32" if a.tf32 else "")
    n = 8192
    if dtype == "int8":
        p, q = (torch.randint(-127, 128, (n, n), dtype=kind, device=device) for _ in range(2))
        # The second factor by columns, as the library wants it.
        say("kernels", mode, "matmul_8192", 2e-12 * n**3 / clock(lambda: torch._int_mm(p, q.t())), "TOP/s")
        return

    def numbers(*shape):
        return torch.randn(*shape, device=device).to(kind)

    if dtype == "float8_e4m3fn":
        p, q, one = numbers(n, n), numbers(n, n), torch.ones((), device=device)
        product = lambda: torch._scaled_mm(p, q.t(), one, one, out_dtype=torch.float32)
        say("kernels", mode, "matmul_8192", 2e-12 * n**3 / clock(product), "TFLOP/s")
        return

    x, y = numbers(1 << 27), numbers(1 << 27)
    array = x.numel() * x.element_size() * 1e-9
    say("kernels", mode, "copy", 2 * array / clock(lambda: y.copy_(x)), "GB/s")
    program = torch.compile(lambda x, y: torch.relu(x * 0.5 + y))
    say("kernels", mode, "elementwise", 3 * array / clock(lambda: program(x, y)), "GB/s")
    del x, y
    p, q = numbers(n, n), numbers(n, n)
    say("kernels", mode, "matmul_8192", 2e-12 * n**3 / clock(lambda: p @ q), "TFLOP/s")
    if dtype == "float32":
        return
    batch, tokens, heads, depth = 8, 2048, 16, 128
    q, k, v = (numbers(batch, tokens, heads, depth).transpose(1, 2).requires_grad_() for _ in range(3))
    product = batch * heads * tokens**2 * depth * 1e-12

    def attend():
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    def train():
        y = attend()
        return torch.autograd.grad(y, (q, k, v), torch.ones_like(y))

    for backend in (SDPBackend.CUDNN_ATTENTION, SDPBackend.FLASH_ATTENTION):
        try:
            with sdpa_kernel(backend):
                name = mode + " " + backend.name.lower()
                with torch.no_grad():
                    say("kernels", name, "attention", 2 * product / clock(attend), "TFLOP/s")
                say("kernels", name, "attention_training", 7 * product / clock(train), "TFLOP/s")
        except RuntimeError as error:
            print(f"torch_bench: no attention by {backend.name}: {error}", file=sys.stderr)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("workloads", nargs="*", default=["seed_b32", "mlp", "mnist_cnn", "lstm", "gpt", "resnet50"])
    p.add_argument("--tf32", action="store_true")
    p.add_argument("--compile", default="", metavar="MODE")
    p.add_argument("--steps", type=int, default=50)
    p.add_argument("--device", default="cuda")
    p.add_argument("--cudnn-benchmark", action=argparse.BooleanOptionalAction, default=True)
    a = p.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = a.tf32
    torch.backends.cudnn.benchmark = a.cudnn_benchmark
    clock = Clock(torch.device(a.device), a.steps)
    for workload in a.workloads:
        name, _, dtype = workload.partition(":")
        try:
            if name == "kernels":
                measure_kernels(dtype or "float32", a, clock)
            else:
                measure_training(name, dtype or "float32", a, clock)
        except Exception as error:  # the others go on
            print(f"torch_bench: {workload}: {type(error).__name__}: {error}", file=sys.stderr)
        torch._dynamo.reset()


if __name__ == "__main__":
    main()
