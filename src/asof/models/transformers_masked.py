"""Any masked model of Hugging Face Transformers: BERT, RoBERTa and others, a local folder or a hub name.

Every question is a text with some tokens hidden and one place asked about. Those of many sentences are read together,
each different one once: copies of equal length share a batch without padding, and the last layer and the output run on
the place that is asked about, not on the whole text (``_asked_positions.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

from asof.errors import UserError
from asof.models._asked_positions import AskedPositions
from asof.models._blank import Blank, FilledBlank, Filling, Masking, Search, Span, TokenGuess
from asof.models._left_to_right import Beginning, Next, paths
from asof.models._transformers import Placement, described, equal_lengths, guesses, on_every_core, ordered
from asof.registry import models
from asof.weights.transformers_folder import loaded, torch, transformers

_TRIED = 8  # texts on which the ways to read one place are compared


class MaskedText(NamedTuple):
    """A text in tokens, some of them hidden, and the place that is asked about."""

    tokens: tuple[int, ...]
    position: int


class EncodedSentence(NamedTuple):
    """A sentence in tokens: which of them are the answer, which are the text's own, and to which word each belongs."""

    tokens: list[int]
    answer: range
    own: list[int]
    words: list[int | None]


@models.register("transformers-masked")
class TransformersMasked:
    """Any masked Transformers model (BERT, RoBERTa): a folder or a hub name. Fills a blank, scores tokens.

    Args:
        location: The folder or the hub name.
        threads: How many batches to work on at a time; by default one per core.
        device: Where it runs, as torch names it: cpu, cuda, cuda:1, mps.
        dtype: The precision of its weights: float32, bfloat16, float16.
        batch_size: How many tokens it reads at a time; by default 1024.
    """

    can: ClassVar[frozenset[str]] = frozenset({"fill", "token_logprobs"})

    def __init__(
        self,
        location: str,
        *,
        threads: int | None = None,
        device: str = "cpu",
        dtype: str = "float32",
        batch_size: int | None = None,
    ) -> None:
        self._placement = Placement.of(device, dtype, batch_size, threads)
        self.settings = self._placement.settings
        self.name = location
        self._tokenizer, self._model = loaded(location, transformers.AutoModelForMaskedLM)
        if self._tokenizer.mask_token_id is None:
            raise UserError(
                f"The tokenizer of {location!r} has no mask token, so it cannot leave a blank. Use a masked model, or, "
                f"if this one reads from left to right, transformers-causal:{location}"
            )
        self._mask: int = self._tokenizer.mask_token_id
        self._special = sorted(set(self._tokenizer.all_special_ids))
        self._model = self._placement.put(self._model)
        self._positions = AskedPositions(self._model, self._tokenizer.pad_token_id)
        self._context = _context(self._model, self._tokenizer)

    def describe(self) -> dict[str, str]:
        """Return what identifies the model and its runtime."""
        return described("transformers-masked", self.name, self._model) | {"mask": str(self._tokenizer.mask_token)}

    def cannot_fill(self, blank: Blank) -> str:
        """Return nothing: a masked model fills a blank anywhere."""
        return ""

    def cannot_score(self, blank: Blank) -> str:
        """Return nothing: a masked model scores an answer anywhere."""
        return ""

    def count_answer_tokens(self, filled: Sequence[FilledBlank]) -> list[int]:
        """Return how many tokens each answer has in its place, 0 for one that the vocabulary cannot spell."""
        unknown = self._tokenizer.unk_token_id
        return [
            0 if unknown in (one.tokens[index] for index in one.answer) else len(one.answer)
            for one in self._encoded(filled)
        ]

    def guess_token(self, filled: Sequence[FilledBlank], *, best: int) -> list[TokenGuess]:
        """Put one token into each blank: where the answer, which is one token, stands among all, and the best."""
        encoded = self._encoded(filled)
        asked = [self._hidden(one, one.answer[0], [one.answer[0]]) for one in encoded]
        answers = [one.tokens[one.answer[0]] for one in encoded]
        found: list[TokenGuess | None] = [None] * len(asked)

        def guess(logprobs: torch.Tensor, indices: list[int]) -> None:
            logprobs[:, self._special] = -torch.inf
            right = [answers[index] for index in indices]
            for index, one in zip(indices, guesses(logprobs, right, best, self._text), strict=True):
                found[index] = one

        self._ask(asked, guess)
        return [one for one in found if one is not None]

    def fill(self, blanks: Sequence[Blank], *, most_tokens: int, search: Search) -> list[list[Filling]]:
        """Return for each blank the best filling of one token, of two, and so on; each length has so many masks."""
        found: list[list[Filling]] = [[] for _ in blanks]
        names = [blank.before + "|" + blank.after for blank in blanks]
        for length in range(1, most_tokens + 1):
            texts = [blank.with_sign(self._tokenizer.mask_token * length) for blank in blanks]
            masked = [self._checked(ids, text) for ids, text in zip(self._ids(texts), texts, strict=True)]
            for index, lengths in enumerate(paths(names, length, search, self._likeliest(masked))):
                best = lengths[-1][0]
                found[index].append(Filling(self._text(best.tokens), best.logprobs))
        return found

    def token_logprobs(
        self, filled: Sequence[FilledBlank], *, masking: Masking = "word", of: Span = "answer"
    ) -> list[list[float]]:
        """Return the log-probability of each token with itself hidden, and more as ``masking`` says."""
        asked: dict[MaskedText, int] = {}
        wanted: list[list[tuple[int, int]]] = []  # of each question, the tokens to look up and where they go
        results: list[list[float]] = []
        for number, one in enumerate(self._encoded(filled)):
            scored = one.answer if of == "answer" else one.own
            results.append([0.0] * len(scored))
            for order, position in enumerate(scored):
                question = self._hidden(one, position, _with(one, position, masking))
                at = asked.setdefault(question, len(asked))
                if at == len(wanted):
                    wanted.append([])
                wanted[at].append((one.tokens[position], number << 16 | order))

        def look_up(logprobs: torch.Tensor, positions: list[int]) -> None:
            rows = [row for row, position in enumerate(positions) for _ in wanted[position]]
            targets = [target for position in positions for target in wanted[position]]
            values = logprobs[rows, [token for token, _ in targets]].tolist()
            for (_, home), value in zip(targets, values, strict=True):
                results[home >> 16][home & 0xFFFF] = value

        self._ask(list(asked), look_up)
        return results

    def _ask(self, asked: Sequence[MaskedText], work: Callable[[torch.Tensor, list[int]], None]) -> None:
        """Read texts, and hand the log-probabilities at the places asked about to what makes use of them."""
        if not asked:
            return
        like_first = [one for one in asked[:_TRIED] if len(one.tokens) == len(asked[0].tokens)]
        with torch.device(self._placement.device):
            self._positions.settle(*_tensors(like_first))

        def read(batch: list[int]) -> None:
            logits = self._positions.logits(*_tensors([asked[index] for index in batch]))
            work(torch.log_softmax(logits.float(), -1), batch)

        lengths = [len(one.tokens) for one in asked]
        on_every_core(
            equal_lengths(lengths, tokens=int, most_tokens=self._placement.tokens_per_batch), read, self._placement
        )

    def _likeliest(self, masked: Sequence[list[int]]) -> Callable[[Sequence[Beginning], int], list[Next]]:
        """Return what gives the likeliest tokens for the first mask that is left in each text."""
        masks = [[index for index, token in enumerate(ids) if token == self._mask] for ids in masked]

        def likeliest(begun: Sequence[Beginning], most: int) -> list[Next]:
            asked = []
            for one in begun:
                ids = list(masked[one.text])
                for index, token in zip(masks[one.text], one.tokens, strict=False):
                    ids[index] = token
                asked.append(MaskedText(tuple(ids), masks[one.text][len(one.tokens)]))
            found: list[Next] = [[] for _ in asked]

            def choose(logprobs: torch.Tensor, indices: list[int]) -> None:
                logprobs[:, self._special] = -torch.inf
                for index, top in zip(indices, ordered(logprobs, most), strict=True):
                    found[index] = top

            self._ask(asked, choose)
            return found

        return likeliest

    def _hidden(self, sentence: EncodedSentence, position: int, hide: Sequence[int]) -> MaskedText:
        tokens = list(sentence.tokens)
        for other in hide:
            tokens[other] = self._mask
        return MaskedText(tuple(tokens), position)

    def _encoded(self, filled: Sequence[FilledBlank]) -> list[EncodedSentence]:
        if not filled:
            return []
        texts = [one.sentence for one in filled]
        read = self._tokenizer(texts, return_offsets_mapping=True, return_special_tokens_mask=True)
        found = []
        for number, one in enumerate(filled):
            start, end = one.span
            ids = self._checked(read["input_ids"][number], texts[number])
            covering = [
                index
                for index, (first, last) in enumerate(read["offset_mapping"][number])
                if first < last and last > start and first < end
            ]
            if not covering:
                raise UserError(f"{self.name} has no token for {one.answer!r} in {one.sentence!r}. Remove that answer.")
            own = [index for index, special in enumerate(read["special_tokens_mask"][number]) if not special]
            found.append(EncodedSentence(ids, range(covering[0], covering[-1] + 1), own, read.word_ids(number)))
        return found

    def _ids(self, texts: Sequence[str]) -> list[list[int]]:
        return list(self._tokenizer(list(texts))["input_ids"]) if texts else []

    def _checked(self, ids: list[int], text: str) -> list[int]:
        if self._context and len(ids) > self._context:
            raise UserError(f"{text[:60]!r} has {len(ids):,} tokens; {self.name} reads {self._context:,}.")
        return ids

    def _text(self, tokens: Sequence[int]) -> str:
        return str(self._tokenizer.decode(list(tokens))).strip()


def _tensors(asked: Sequence[MaskedText]) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.tensor([one.tokens for one in asked]), torch.tensor([one.position for one in asked])


def _with(sentence: EncodedSentence, position: int, masking: Masking) -> list[int]:
    """Return what is hidden together with a token.

    >>> one = EncodedSentence([5, 6, 7, 8], range(0, 3), [0, 1, 2, 3], [0, 0, 1, 2])  # the first word has two tokens
    >>> [_with(one, 0, masking) for masking in ("token", "word", "answer")]
    [[0], [0, 1], [0, 1, 2]]
    """
    if masking == "word" and sentence.words[position] is not None:
        return [
            later
            for later in range(position, len(sentence.tokens))
            if sentence.words[later] == sentence.words[position]
        ]
    if masking == "answer" and position in sentence.answer:
        return list(range(position, sentence.answer[-1] + 1))
    return [position]


def _context(model: Any, tokenizer: Any) -> int | None:
    """Return how many tokens a model reads; RoBERTa and its kin begin to count after the padding's own number."""
    positions = getattr(model.config, "max_position_embeddings", None)
    if positions is None:
        return None
    embeddings = getattr(getattr(model.base_model, "embeddings", None), "position_embeddings", None)
    padding = getattr(embeddings, "padding_idx", None)
    return int(min(positions - (0 if padding is None else padding + 1), tokenizer.model_max_length))
