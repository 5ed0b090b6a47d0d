"""Trains the networks of cornu-bench in PyTorch on a GPU; prints a line of JSON for each.

    torch_bench.py [WORKLOAD...] [--dtype float32|bfloat16] [--tf32] [--compile] [--steps N]

Workloads: seed_b32 (the sums of Gaussians), mlp, mnist_cnn, lstm, gpt, resnet50, with the shapes, batches and
optimizers of benchmarks/cornu/networks.cpp. Data is on the device before the clock starts; the best of three rounds
counts.
"""
import argparse
import json
import time

import torch
from torch import nn
from torch.nn import functional as F


class Gpt(nn.Module):
    vocabulary, width, heads, blocks, tokens = 5000, 256, 4, 4, 128

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

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(self.vocabulary, self.width)
        self.places = nn.Embedding(self.tokens, self.width)
        self.body = nn.Sequential(*(self.Block(self.width, self.heads) for _ in range(self.blocks)))
        self.norm, self.head = nn.LayerNorm(self.width), nn.Linear(self.width, self.vocabulary)

    def forward(self, ids):
        x = self.table(ids) + self.places(torch.arange(self.tokens, device=ids.device))
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

    if name == "seed_b32":
        net = nn.Sequential(nn.Linear(20, 20), nn.ReLU(), nn.Linear(20, 10), nn.ReLU(), nn.Linear(10, 1))
        return net, torch.randn(32, 20, device=device), torch.randn(32, 1, device=device), F.mse_loss, "samples/s", 32
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
    if name == "gpt":
        x = ints(Gpt.vocabulary, 16, Gpt.tokens)
        loss = lambda y, t: F.cross_entropy(y.flatten(0, 1), t.flatten())  # noqa: E731
        return Gpt(), x, x.roll(-1, 1), loss, "tokens/s", 16 * Gpt.tokens
    if name == "resnet50":
        x = torch.rand(16, 3, 224, 224, device=device).to(memory_format=torch.channels_last)
        return resnet50().to(memory_format=torch.channels_last), x, ints(1000, 16), F.cross_entropy, "samples/s", 16
    raise SystemExit(f"torch_bench: there is no workload {name!r}")


def measure(name, a):
    device = torch.device("cuda")
    net, x, y, loss, unit, amount = task(name, device)
    net.to(device)
    optimizer = (torch.optim.SGD(net.parameters(), 0.01, momentum=0.9) if name == "resnet50"
                 else torch.optim.Adam(net.parameters(), 1e-3))

    def step():
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16, enabled=a.dtype == "bfloat16"):
            result = loss(net(x), y)
        result.backward()
        optimizer.step()

    run = torch.compile(step) if a.compile else step
    for _ in range(10):
        run()
    best = 0.0
    for _ in range(3):
        torch.cuda.synchronize()
        start = time.perf_counter()
        for _ in range(a.steps):
            run()
        torch.cuda.synchronize()
        best = max(best, a.steps * amount / (time.perf_counter() - start))
    mode = ("compile" if a.compile else "eager") + " " + a.dtype + (" tf32" if a.tf32 else "")
    print(json.dumps({"workload": name, "peer": "torch", "mode": mode, "metric": "train", "value": round(best, 1),
                      "unit": unit, "version": "torch " + torch.__version__}), flush=True)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("workloads", nargs="*", default=["seed_b32", "mlp", "mnist_cnn", "lstm", "gpt", "resnet50"])
    p.add_argument("--dtype", choices=("float32", "bfloat16"), default="float32")
    p.add_argument("--tf32", action="store_true")
    p.add_argument("--compile", action="store_true")
    p.add_argument("--steps", type=int, default=50)
    a = p.parse_args()
    if not torch.cuda.is_available():
        raise SystemExit("torch_bench: PyTorch sees no GPU")
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = a.tf32
    torch.backends.cudnn.benchmark = True
    for name in a.workloads:
        measure(name, a)


if __name__ == "__main__":
    main()
