#!/usr/bin/env python3
"""Takes pictures of TensorBoard's pages with headless Chromium, for the documentation and for looking at them.

    screenshots.py --probe                  exits with 0 when TensorBoard and Chromium are there
    screenshots.py LOG_DIR OUT              writes OUT/scalars.png, graph.png, histograms.png and hparams.png. Exits
                                            with 1 when a page stays empty.

Needs `pip install tensorboard 'setuptools<82'` and Chromium (Debian: apt-get install chromium). TensorBoard listens on
the loopback interface alone, and ends with this program.
"""
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

BROWSER = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
PAGES = {
    "scalars": "#scalars",
    "graph": "#graphs",
    "histograms": "#histograms",
    "hparams": "#hparams",
}
EMPTY = 12_000  # bytes: a page on which nothing is drawn compresses to less


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for(url, server):
    for _ in range(120):
        if server.poll() is not None:
            sys.exit(f"TensorBoard ended with status {server.returncode}")
        try:
            # Runs are there when they have been read.
            if urllib.request.urlopen(url + "/data/runs", timeout=5).read().strip() != b"[]":
                return
        except OSError:
            pass
        time.sleep(0.5)
    sys.exit("TensorBoard shows no runs after a minute")


def take(url, picture, size):
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run(
            [BROWSER, "--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={profile}",
             f"--window-size={size}", "--virtual-time-budget=20000", f"--screenshot={picture}", url],
            check=True, timeout=120, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main(log_dir, out):
    out = pathlib.Path(out).resolve()
    out.mkdir(parents=True, exist_ok=True)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    server = subprocess.Popen([sys.executable, "-m", "tensorboard.main", "--logdir", log_dir, "--host", "127.0.0.1",
                               "--port", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    empty = []
    try:
        wait_for(url, server)
        for name, place in PAGES.items():
            picture = out / f"{name}.png"
            take(f"{url}/{place}", picture, "1280,800")
            if picture.stat().st_size < EMPTY:
                empty.append(name)
    finally:
        server.terminate()
        server.wait()
    if empty:
        print("nothing is drawn on:", ", ".join(empty))
    return 1 if empty else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--probe"]:
        import tensorboard.main  # noqa: F401
        sys.exit(0 if BROWSER else 1)
    sys.exit(main(sys.argv[1], sys.argv[2]))
