"""Encoder-decoder models of Hugging Face Transformers that were trained to fill gaps, as T5 was.

The blank is the first sentinel, ``<extra_id_0>``; the decoder begins with it, writes the filling and closes it with the
next one (Raffel et al. 2020, section 3.1.4). So a filling has an end of its own, which counts as one more step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, NamedTuple

from asof.errors import UserError
from asof.models._blank import Blank, FilledBlank, Filling, Masking, Search, Span, TokenGuess
from asof.models._left_to_right import Beginning, Next, fillings, paths
from asof.models._transformers import Placement, described, equal_lengths, guesses, on_every_core, ordered
from asof.registry import models
from asof.weights.transformers_folder import loaded, torch, transformers

_BLANK, _END = "<extra_id_0>", "<extra_id_1>"
_SENTINEL = re.compile(r"<extra_id_\d+>")


class WrittenBlank(NamedTuple):
    """What the decoder wrote into a blank so far, in tokens."""

    blank: int
    tokens: tuple[int, ...]


@models.register("transformers-seq2seq")
class TransformersSeq2seq:
    """Any encoder-decoder with T5's sentinels: a folder or a hub name. Fills a blank, scores an answer in it.

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
        self._tokenizer, self._model = loaded(location, transformers.AutoModelForSeq2SeqLM)
        known = self._tokenizer.get_vocab()
        if _BLANK not in known or _END not in known:
            raise UserError(
                f"The tokenizer of {location!r} has no {_BLANK} and {_END}, by which T5 and its kin leave a blank. "
                "Use such a model, or a masked or causal one."
            )
        self._blank, self._end = known[_BLANK], known[_END]
        others = {token for text, token in known.items() if _SENTINEL.fullmatch(text)}
        self._special = sorted(others | set(self._tokenizer.all_special_ids))
        self._start: int = self._model.config.decoder_start_token_id
        self._model = self._placement.put(self._model)

    def describe(self) -> dict[str, str]:
        """Return what identifies the model and its runtime."""
        return described("transformers-seq2seq", self.name, self._model) | {"mask": _BLANK}

    def cannot_fill(self, blank: Blank) -> str:
        """Return nothing: a blank can be anywhere."""
        return ""

    def cannot_score(self, blank: Blank) -> str:
        """Return nothing: a blank can be anywhere."""
        return ""

    def count_answer_tokens(self, filled: Sequence[FilledBlank]) -> list[int]:
        """Return how many tokens each answer has, 0 for one that the vocabulary cannot spell."""
        unknown = self._tokenizer.unk_token_id
        return [0 if unknown in ids else len(ids) for ids in map(self._answer, filled)]

    def guess_token(self, filled: Sequence[FilledBlank], *, best: int) -> list[TokenGuess]:
        """Put one token into each blank: where the answer, which is one token, stands among all, and the best."""
        blanks, which = _different([one.blank for one in filled])
        answers = [self._answer(one)[0] for one in filled]
        found: list[TokenGuess | None] = [None] * len(filled)

        def guess(logprobs: torch.Tensor, indices: list[int]) -> None:
            last = logprobs[:, -1]
            last[:, self._special] = -torch.inf
            right = [answers[index] for index in indices]
            for index, one in zip(indices, guesses(last, right, best, self._said), strict=True):
                found[index] = one

        self._read(self._states(blanks), [WrittenBlank(blank, ()) for blank in which], guess)
        return [one for one in found if one is not None]

    def fill(self, blanks: Sequence[Blank], *, most_tokens: int, search: Search) -> list[list[Filling]]:
        """Return for each blank the best filling of one token, of two, and so on, with how likely it ends there."""
        states = self._states(blanks)

        def likeliest(begun: Sequence[Beginning], most: int) -> list[Next]:
            found: list[Next] = [[] for _ in begun]

            def choose(logprobs: torch.Tensor, indices: list[int]) -> None:
                last = logprobs[:, -1]
                last[:, self._special] = -torch.inf
                for index, top in zip(indices, ordered(last, most), strict=True):
                    found[index] = top

            self._read(states, [WrittenBlank(one.text, one.tokens) for one in begun], choose)
            return found

        names = [blank.before + "|" + blank.after for blank in blanks]
        searched = paths(names, most_tokens, search, likeliest)
        best = [(index, lengths[0]) for index, by_length in enumerate(searched) for lengths in by_length]
        ends = [0.0] * len(best)

        def close(logprobs: torch.Tensor, indices: list[int]) -> None:
            for index, end in zip(indices, logprobs[:, -1, self._end].tolist(), strict=True):
                ends[index] = end

        self._read(states, [WrittenBlank(index, path.tokens) for index, path in best], close)
        return fillings(len(blanks), best, ends, self._said)

    def token_logprobs(
        self, filled: Sequence[FilledBlank], *, masking: Masking = "word", of: Span = "answer"
    ) -> list[list[float]]:
        """Return the log-probability of each token of the answer, and of its end."""
        if of == "sentence":
            raise UserError(f"{self.name} scores what it writes into a blank, not whole sentences. Use of=answer.")
        blanks, which = _different([one.blank for one in filled])
        answers = [self._answer(one) for one in filled]
        results: list[list[float]] = [[] for _ in filled]

        def look_up(logprobs: torch.Tensor, indices: list[int]) -> None:
            targets = torch.tensor([[*answers[index], self._end] for index in indices])
            values = logprobs.gather(2, targets.unsqueeze(2)).squeeze(2).tolist()
            for index, row in zip(indices, values, strict=True):
                results[index] = row

        asked = [WrittenBlank(blank, tuple(ids)) for blank, ids in zip(which, answers, strict=True)]
        self._read(self._states(blanks), asked, look_up)
        return results

    def _states(self, blanks: Sequence[Blank]) -> list[torch.Tensor]:
        """Read each sentence with its blank once."""
        texts = [blank.with_sign(_BLANK) for blank in blanks]
        ids = list(self._tokenizer(texts)["input_ids"]) if texts else []
        found: list[Any] = [None] * len(ids)

        def encode(batch: list[int]) -> None:
            read = self._model.get_encoder()(input_ids=torch.tensor([ids[index] for index in batch]))
            for index, state in zip(batch, read.last_hidden_state, strict=True):
                found[index] = state

        lengths = [len(one) for one in ids]
        on_every_core(
            equal_lengths(lengths, tokens=int, most_tokens=self._placement.tokens_per_batch), encode, self._placement
        )
        return found

    def _read(
        self,
        states: Sequence[torch.Tensor],
        asked: Sequence[WrittenBlank],
        work: Callable[[torch.Tensor, list[int]], None],
    ) -> None:
        """Hand the log-probabilities after the blank's sentinel and after each token that follows it to their user."""

        def decode(batch: list[int]) -> None:
            read = self._model(
                encoder_outputs=(torch.stack([states[asked[index].blank] for index in batch]),),
                decoder_input_ids=torch.tensor([[self._start, self._blank, *asked[index].tokens] for index in batch]),
                use_cache=False,
            )
            work(torch.log_softmax(read.logits[:, 1:].float(), -1), batch)

        sizes = [(len(states[one.blank]), len(one.tokens)) for one in asked]
        on_every_core(
            equal_lengths(sizes, tokens=sum, most_tokens=self._placement.tokens_per_batch), decode, self._placement
        )

    def _answer(self, filled: FilledBlank) -> list[int]:
        ids = list(self._tokenizer(filled.answer, add_special_tokens=False)["input_ids"])
        if not ids:
            raise UserError(f"{self.name} has no token for {filled.answer!r}. Remove that answer.")
        return ids

    def _said(self, tokens: Sequence[int]) -> str:
        return str(self._tokenizer.decode(list(tokens))).strip()


def _different(blanks: Sequence[Blank]) -> tuple[list[Blank], list[int]]:
    """Return the different blanks, and of each one given which it is.

    >>> one, other = Blank("a ", ""), Blank("b ", "")
    >>> _different([other, one, other])[1]
    [0, 1, 0]
    """
    indices: dict[Blank, int] = {}
    which = [indices.setdefault(blank, len(indices)) for blank in blanks]
    return list(indices), which
