"""Writes tiny language models of KerasHub's, as files, and what the tests of them expect.

Run: KERAS_BACKEND=jax python tools/goldens/backbone_goldens.py tests/data
"""

import json
import sys

import keras
import keras_hub
import numpy as np

folder = sys.argv[1]
models = keras_hub.models
generator = np.random.default_rng(11)
sizes = {"vocabulary_size": 19, "num_layers": 2, "hidden_dim": 8, "intermediate_dim": 12}


def draw(model, scale=0.4):
    """Gives each weight values of its own, scales of norms around 1."""
    model.set_weights(
        [
            (generator.normal(0, scale, w.shape) + (w.name in ("scale", "weight", "gamma"))).astype("float32")
            for w in model.weights
        ]
    )
    return model


def tensor(value):
    value = np.asarray(value)
    kind = float if value.dtype.kind == "f" else int
    return {"values": [kind(v) for v in value.ravel()], "shape": list(value.shape)}


def generate(model, prompts, length, sampler, stop=None):
    model.compile(sampler=sampler)
    rows = np.array([prompt + [0] * (length - len(prompt)) for prompt in prompts])
    mask = np.array([[1] * len(prompt) + [0] * (length - len(prompt)) for prompt in prompts]).astype(bool)
    found = model.generate({"token_ids": rows, "padding_mask": mask}, stop_token_ids=stop)
    return [ids[kept].tolist() for ids, kept in zip(np.asarray(found["token_ids"]), np.asarray(found["padding_mask"]))]


token_ids = generator.integers(0, 19, (2, 12))
padding_mask = np.array([[1] * 12, [1] * 9 + [0] * 3])
inputs = {"token_ids": token_ids, "padding_mask": padding_mask}
goldens = {"token_ids": tensor(token_ids), "padding_mask": tensor(padding_mask)}

# Llama; the second one has the frequencies of Llama 3.1, and one matrix for tokens and logits.
llama = draw(models.LlamaBackbone(**sizes, num_query_heads=4, num_key_value_heads=2, rope_max_wavelength=100))
llama.save_weights(f"{folder}/keras_llama.weights.h5")
stretched = models.LlamaBackbone(
    **sizes,
    num_query_heads=2,
    num_key_value_heads=1,
    rope_max_wavelength=10000,
    rope_frequency_adjustment_factor=8.0,
    rope_low_freq_factor=1.0,
    rope_high_freq_factor=4.0,
    rope_pretraining_sequence_length=64,
    tie_word_embeddings=True,
)
draw(stretched)
writer = models.LlamaCausalLM(backbone=llama)
writer.save(f"{folder}/keras_llama_lm.keras")
prompts = [token_ids[1, :n].tolist() for n in (2, 5, 3)]
greedy = keras_hub.samplers.GreedySampler
beams = keras_hub.samplers.BeamSampler
answers = generate(writer, prompts, 14, greedy())
# One prompt at a time: of several, KerasHub counts what longer prompts have as the search's own choice.
searches = [
    {
        "num_beams": num_beams,
        "temperature": temperature,
        "stop": stop,
        "answers": [generate(writer, [p], 14, beams(num_beams=num_beams, temperature=temperature), stop)[0] for p in prompts],
    }
    for num_beams, temperature, stop in [(1, 1.0, None), (3, 1.0, None), (4, 3.0, [answers[0][6], answers[1][9]]), (25, 1.0, None)]
]
goldens["llama"] = {
    "hidden": tensor(llama(inputs)),
    "logits": tensor(writer(inputs)),
    "prompts": prompts,
    "answers": answers,
    "searches": searches,
}
goldens["llama_stretched"] = {
    "weights": [tensor(w) for w in stretched.get_weights()],
    "logits": tensor(models.LlamaCausalLM(backbone=stretched)(inputs)),
}

mistral = models.MistralBackbone(
    **sizes, num_query_heads=4, num_key_value_heads=2, head_dim=4, sliding_window=4, rope_max_wavelength=100
)
draw(mistral).save(f"{folder}/keras_mistral.keras")
goldens["mistral"] = {
    "hidden": tensor(mistral(inputs)),
    "answers": generate(models.MistralCausalLM(backbone=mistral), prompts, 14, greedy()),
}

bert = draw(models.BertBackbone(**sizes, num_heads=2, max_sequence_length=16, dropout=0.0))
segment_ids = generator.integers(0, 2, (2, 12))
mask_positions = np.array([[1, 5, 7], [0, 3, 8]])
filler = models.BertMaskedLM(backbone=bert)
head = filler.masked_lm_head
for weight in head._intermediate_dense.weights + head._intermediate_layer_norm.weights + [head._bias]:
    weight.assign(generator.normal(0, 0.4, weight.shape))
filler.save(f"{folder}/keras_bert_lm.keras")
bert_inputs = {**inputs, "segment_ids": segment_ids}
goldens["bert"] = {
    "segment_ids": tensor(segment_ids),
    "mask_positions": tensor(mask_positions),
    **{name: tensor(value) for name, value in bert(bert_inputs).items()},
    "logits": tensor(filler({**bert_inputs, "mask_positions": mask_positions})),
}

t5 = draw(models.T5Backbone(**sizes, num_heads=2, key_value_dim=3, activation="gelu", dropout=0.0))
t5.save(f"{folder}/keras_t5.keras")
# Long enough for distances that share a number.
encoder_ids = generator.integers(0, 19, (1, 70))
encoder_mask = np.array([[1] * 66 + [0] * 4])
decoder_ids = generator.integers(0, 19, (1, 40))
decoder_mask = np.array([[1] * 35 + [0] * 5])
found = t5(
    {
        "encoder_token_ids": encoder_ids,
        "encoder_padding_mask": encoder_mask,
        "decoder_token_ids": decoder_ids,
        "decoder_padding_mask": decoder_mask,
    }
)
goldens["t5"] = {
    "encoder_token_ids": tensor(encoder_ids),
    "encoder_padding_mask": tensor(encoder_mask),
    "decoder_token_ids": tensor(decoder_ids),
    "decoder_padding_mask": tensor(decoder_mask),
    **{name: tensor(value) for name, value in found.items()},
}

with open(f"{folder}/backbones.json", "w") as file:
    json.dump(goldens, file)
