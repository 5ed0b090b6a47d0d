"""The rate at which others write texts on with GPT-2's smallest model, beside `cornu-bench gpt2_base --mode generate`.

    python3 benchmarks/generation_peers.py llama LLAMA_BENCH   # llama.cpp's program; needs the packages numpy and gguf
    python3 benchmarks/generation_peers.py keras               # needs keras, keras-hub and jax

124 M random weights in float32, a prompt of 32 tokens and 64 more, two threads. Prints lines of JSON.
"""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

LAYERS, WIDTH, HEADS, VOCABULARY, LENGTH, INNER = 12, 768, 12, 50257, 1024, 3072
KNOWN, FRESH = 32, 64


def say(peer, metric, value, unit):
    print(json.dumps({"workload": "gpt2_base", "peer": peer, "mode": "generate", "metric": metric, "value": value,
                      "unit": unit}), flush=True)


def write_gguf(path):
    import gguf
    import numpy as np

    rng = np.random.default_rng(0)
    writer = gguf.GGUFWriter(path, "gpt2")
    writer.add_name("GPT-2 with random weights")
    writer.add_block_count(LAYERS)
    writer.add_context_length(LENGTH)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_layer_norm_eps(1e-5)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list([b"t%d" % i for i in range(VOCABULARY)])
    writer.add_token_types([1] * VOCABULARY)
    writer.add_token_merges(["t 0"])
    writer.add_bos_token_id(VOCABULARY - 1)
    writer.add_eos_token_id(VOCABULARY - 1)

    def kernel(name, *shape):
        writer.add_tensor(name, (rng.standard_normal(shape) * 0.02).astype(np.float32))

    def norm(name):
        writer.add_tensor(name + ".weight", np.ones(WIDTH, np.float32))
        writer.add_tensor(name + ".bias", np.zeros(WIDTH, np.float32))

    def dense(name, units, inputs):
        kernel(name + ".weight", units, inputs)
        writer.add_tensor(name + ".bias", np.zeros(units, np.float32))

    kernel("token_embd.weight", VOCABULARY, WIDTH)
    kernel("position_embd.weight", LENGTH, WIDTH)
    for i in range(LAYERS):
        block = f"blk.{i}."
        norm(block + "attn_norm")
        dense(block + "attn_qkv", 3 * WIDTH, WIDTH)
        dense(block + "attn_output", WIDTH, WIDTH)
        norm(block + "ffn_norm")
        dense(block + "ffn_up", INNER, WIDTH)
        dense(block + "ffn_down", WIDTH, INNER)
    norm("output_norm")
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def llama(program):
    with tempfile.TemporaryDirectory() as folder:
        path, answer = os.path.join(folder, "gpt2.gguf"), os.path.join(folder, "answer.json")
        # By a process of its own: what a process starts begins with its peak of memory.
        subprocess.run([sys.executable, __file__, "write", path], check=True)
        command = [program, "-m", path, "-t", "2", "-p", str(KNOWN), "-n", str(FRESH), "-r", "5", "-o", "json"]
        with open(answer, "w") as file:
            process = subprocess.Popen(command, stdout=file)
            _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            sys.exit(f"{program} ended with status {os.waitstatus_to_exitcode(status)}")
        with open(answer) as file:
            results = json.load(file)
    for result in results:
        best = max(result["samples_ts"])
        if result["n_gen"] > 0:
            say("llama.cpp", "tokens", best, "tokens/s")
        else:
            say("llama.cpp", "first_token", 1e3 * KNOWN / best, "ms")
    say("llama.cpp", "peak_rss", usage.ru_maxrss * 1024e-6, "MB")


def keras():
    os.environ.setdefault("KERAS_BACKEND", "jax")
    import keras_hub
    import numpy as np

    backbone = keras_hub.models.GPT2Backbone(vocabulary_size=VOCABULARY, num_layers=LAYERS, num_heads=HEADS,
                                             hidden_dim=WIDTH, intermediate_dim=INNER, max_sequence_length=LENGTH)
    model = keras_hub.models.GPT2CausalLM(backbone=backbone, preprocessor=None)
    model.compile(sampler="greedy")
    ids = np.zeros((1, KNOWN + FRESH), "int32")
    ids[0, :KNOWN] = [7919 * i % VOCABULARY for i in range(KNOWN)]
    mask = np.zeros_like(ids, "bool")
    mask[0, :KNOWN] = True

    def seconds():
        start = time.perf_counter()
        model.generate({"token_ids": ids, "padding_mask": mask}, stop_token_ids=None)
        return time.perf_counter() - start

    say("keras", "time_to_first_step", seconds(), "s")
    say("keras", "tokens", FRESH / min(seconds() for _ in range(5)), "tokens/s")
    say("keras", "peak_rss", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024e-6, "MB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["llama"] and len(sys.argv) == 3:
        llama(sys.argv[2])
    elif sys.argv[1:2] == ["write"] and len(sys.argv) == 3:
        write_gguf(sys.argv[2])
    elif sys.argv[1:] == ["keras"]:
        keras()
    else:
        sys.exit(__doc__)
