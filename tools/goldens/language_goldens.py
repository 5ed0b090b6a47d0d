"""Writes a tiny GPT-2 of KerasHub's: its weights, and what the tests of language models expect of it.

Run: KERAS_BACKEND=jax python tools/goldens/language_goldens.py tests/data
"""

import json
import sys

import keras
import keras_hub
import numpy as np

folder = sys.argv[1]
generator = np.random.default_rng(5)
config = {
    "vocabulary_size": 23,
    "num_layers": 2,
    "num_heads": 2,
    "hidden_dim": 8,
    "intermediate_dim": 12,
    "max_sequence_length": 16,
}
backbone = keras_hub.models.GPT2Backbone(**config)
backbone.set_weights([generator.normal(0, 0.4, w.shape).astype("float32") for w in backbone.weights])
backbone.save_weights(f"{folder}/keras_gpt2.weights.h5")

ids = generator.integers(0, 23, (2, 12))
mask = np.array([[1] * 12, [1] * 9 + [0] * 3])
hidden = np.asarray(backbone({"token_ids": ids, "padding_mask": mask}))
prompt = ids[0, :4].tolist()
answer = list(prompt)
vectors = np.asarray(backbone.token_embedding.embeddings)
while len(answer) < 12:  # rows of one length, since each length is compiled
    row = np.array([answer + [0] * (12 - len(answer))] * 2)
    x = np.asarray(backbone({"token_ids": row, "padding_mask": np.ones_like(row)}))
    answer.append(int(np.argmax(vectors @ x[0, len(answer) - 1])))
with open(f"{folder}/language.json", "w") as file:
    json.dump(
        {
            "config": config,
            "token_ids": ids.ravel().tolist(),
            "padding_mask": mask.ravel().tolist(),
            "hidden": {"values": hidden.ravel().tolist(), "shape": list(hidden.shape)},
            "prompt": prompt,
            "answer": answer,
        },
        file,
    )
