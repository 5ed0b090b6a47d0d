"""Writes what the tests of tokenizers expect, from Hugging Face's tokenizers with small vocabularies
that are trained here.

Run: python tools/goldens/tokenizer_goldens.py tests/data/tokenizers.json
"""

import json
import random
import sys

from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

CORPUS = """It's a truth that we'll all acknowledge: they've seen the thing, and I'd say she's been here.
The quick brown fox jumps over the lazy dog; numbers like 12, 345 and 67890 are joined digit by digit.
Grüße aus Köln! Ein Käse für die Straße. Où est le café? ¿Dónde está el niño? Привет, мир. Γειά σου Κόσμε.
日本語のテキスト 中文字符 한국어 문장 emoji 🙂 and 👩‍👩‍👧 families. tokenization tokenizer tokens token unbelievable
for (int i = 0; i < 10; ++i) { sum += values[i]; }  // a line of code with   many   spaces
""".splitlines() * 3

TEXTS = [
    "",
    " ",
    "   ",
    "\n",
    "Hello, world!",
    "It's what they'll say, isn't it? I'd've known; WE'LL SEE'S",
    "  leading and trailing  ",
    "tabs\tand\nlines\r\n\r\n  indented\n\n\nend \n",
    "nbsp\u00a0and\u3000wide\u2003em\u200bzero width\u2028line",
    "controls \x00\x01\x1c\x1d\x7f\x85 \ufeffbom \ufffd end\u00ad soft",
    "12345 1,000.50 ½ Ⅷ ٣٤٥ ²³ 3rd",
    "Grüße, Ångström, İstanbul ıI, Σίσυφος ΌΔΟΣ, naïve e\u0301 o\u0308\u0323",
    "日本語のテキストと中文字符。한국어 문장 테스트",
    "🙂👍🏽 👩‍👩‍👧‍👦 🇩🇪 a🙂b",
    "العربية עברית हिन्दी ไทย தமிழ்",
    "unbelievable tokenization untokenizable antidisestablishmentarianism",
    "$100 €5 a+b=c x^2 `code` ~tilde~ <tag> a|b «q» “quote” … —",
    "<|endoftext|> before<|endoftext|>after <|endof",
    "[CLS] the [MASK] token[SEP] [mask]",
    "a" * 101 + " " + "the" * 40,
    "''s 't '' '''ll ' s",
    "ﬁne ﬀ ĳ ǅ ẞ Ⓐ 𝐀 豈 㐀 𠀀",
    "for (int i = 0; i < 10; ++i) { sum += values[i]; }",
]


def random_texts(count):
    generator = random.Random(7)
    parts = [" ", "  ", "\n", "'s", "'", "the", "Token", "é", "e\u0301", "Ä", "1", "99", "日", "!", "?!", "🙂", "한", "\t", "ß"]
    return ["".join(generator.choices(parts, k=generator.randint(1, 25))) for _ in range(count)]


def byte_pair(texts, prefix):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=prefix)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        CORPUS,
        trainers.BpeTrainer(
            vocab_size=480,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            special_tokens=["<|endoftext|>"],
            show_progress=False,
        ),
    )
    model = json.loads(tokenizer.to_str())["model"]
    return {
        "vocabulary": model["vocab"],
        "merges": [" ".join(pair) for pair in model["merges"]],
        "ids": [tokenizer.encode(text).ids for text in texts],
    }


def word_piece(texts, lowercase, strip_accents):
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase, strip_accents=strip_accents)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    tokenizer.train_from_iterator(
        CORPUS, trainers.WordPieceTrainer(vocab_size=400, special_tokens=special, show_progress=False)
    )
    vocabulary = tokenizer.get_vocab()
    tokenizer.decoder = decoders.WordPiece(cleanup=False)
    ids = [tokenizer.encode(text).ids for text in texts]
    return {
        "vocabulary": sorted(vocabulary, key=vocabulary.get),
        "ids": ids,
        "decoded": [tokenizer.decode(row, skip_special_tokens=False) for row in ids],
    }


texts = TEXTS + random_texts(60)
result = {
    "texts": texts,
    "byte_pair": byte_pair(texts, False),
    "byte_pair_prefixed": byte_pair(texts, True),
    "word_piece": word_piece(texts, False, False),
    "word_piece_lower": word_piece(texts, True, None),
    "word_piece_lower_accents": word_piece(texts, True, False),
}
with open(sys.argv[1], "w") as file:
    json.dump(result, file, separators=(",", ":"))
