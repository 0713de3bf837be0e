"""Blanks for a model that reads from left to right.

It fills a blank that is the last thing in its sentence, from what stands before. An answer inside a sentence is scored
with all that follows it: candidates for one blank then compare as their whole sentences do.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from asof.errors import UserError
from asof.models._blank import Blank, FilledBlank, Filling, Masking, Search, Span, TokenGuess
from asof.models._left_to_right import Beginning, Next, Path, fillings, paths
from asof.models._token_border import Statement, answer_tokens
from asof.models._transformers import Placement, equal_lengths, guesses, on_every_core, ordered
from asof.weights.transformers_folder import torch


class CausalBlanks:
    """The verbs ``fill`` and ``token_logprobs`` of a decoder; the rest is ``TransformersCausal``."""

    name: str
    _tokenizer: Any
    _model: Any
    _bos: list[int]
    _context: int | None
    _placement: Placement

    def _scored(self, encoded: list[Statement]) -> list[list[float]]:
        raise NotImplementedError

    def cannot_fill(self, blank: Blank) -> str:
        """Return why a blank cannot be filled, nothing when it can."""
        if not blank.is_last:
            return "the blank is not the last thing in the sentence, and the model reads from left to right"
        return self.cannot_score(blank)

    def cannot_score(self, blank: Blank) -> str:
        """Return why answers in a blank cannot be scored, nothing when they can."""
        if blank.before.strip() or self._begins():
            return ""
        return "nothing stands before the blank, and the model has no token that begins a text"

    def count_answer_tokens(self, filled: Sequence[FilledBlank]) -> list[int]:
        """Return how many tokens each answer has after what stands before it, with the space between.

        0 where it changes the tokens before it, so that no filling can be it.
        """
        found = []
        for one in filled:
            before, whole = self._before(one.blank), self._read(one.blank.before + one.answer)[0]
            whole = whole if one.blank.before.strip() else before + whole
            found.append(len(whole) - len(before) if whole[: len(before)] == before else 0)
        return found

    def guess_token(self, filled: Sequence[FilledBlank], *, best: int) -> list[TokenGuess]:
        """Put one token into each blank: where the answer, which is one token, stands among all, and the best."""
        answers = [self._read(one.blank.before + one.answer)[0][-1] for one in filled]
        found: list[TokenGuess | None] = [None] * len(filled)

        def guess(logprobs: torch.Tensor, indices: list[int]) -> None:
            right = [answers[index] for index in indices]
            for index, one in zip(indices, guesses(logprobs, right, best, self._said), strict=True):
                found[index] = one

        self._next([self._before(one.blank) for one in filled], guess)
        return [one for one in found if one is not None]

    def fill(self, blanks: Sequence[Blank], *, most_tokens: int, search: Search) -> list[list[Filling]]:
        """Go on where each blank is, by one token, by two, and so on; an end is what then follows the blank."""
        before = [self._before(blank) for blank in blanks]

        def likeliest(begun: Sequence[Beginning], most: int) -> list[Next]:
            found: list[Next] = [[] for _ in begun]

            def choose(logprobs: torch.Tensor, indices: list[int]) -> None:
                for index, top in zip(indices, ordered(logprobs, most), strict=True):
                    found[index] = top

            self._next([[*before[one.text], *one.tokens] for one in begun], choose)
            return found

        searched = paths([blank.before for blank in blanks], most_tokens, search, likeliest)
        best = [(index, lengths[0]) for index, by_length in enumerate(searched) for lengths in by_length]
        ends = self._ends([(blanks[index], path) for index, path in best], [before[index] for index, _ in best])
        return fillings(len(blanks), best, ends, self._said)

    def token_logprobs(
        self, filled: Sequence[FilledBlank], *, masking: Masking = "word", of: Span = "answer"
    ) -> list[list[float]]:
        """Return the log-probability of each token from the answer on, or of all that have something before them."""
        statements = []
        for one in filled:
            ids, offsets = self._read(one.sentence)
            count = answer_tokens(offsets, len(one.blank.before), one.sentence)
            begins = self._begins() if count == len(ids) else []
            if count == len(ids) and not begins:
                raise UserError(f"{one.sentence[:60]!r}: {self.cannot_score(one.blank)}. Use another model.")
            ids = begins + ids
            statements.append(Statement(ids, count if of == "answer" else len(ids) - 1))
        return self._scored(statements)

    def _ends(self, paths: Sequence[tuple[Blank, Path]], before: Sequence[list[int]]) -> list[float | None]:
        """Return how likely what follows the blank is after each path, None where nothing follows."""
        statements, asked = [], []
        for number, ((blank, path), ids) in enumerate(zip(paths, before, strict=True)):
            after = FilledBlank(blank, self._said(path.tokens)).after
            closing = list(self._tokenizer(after, add_special_tokens=False)["input_ids"]) if after else []
            if closing:
                asked.append(number)
                statements.append(Statement([*ids, *path.tokens, *closing], len(closing)))
        scores = dict(zip(asked, map(sum, self._scored(statements)), strict=True))
        return [scores.get(number) for number in range(len(paths))]

    def _next(self, texts: Sequence[list[int]], work: Callable[[torch.Tensor, list[int]], None]) -> None:
        """Hand the log-probabilities of what follows each text to what makes use of them; special tokens have none."""
        special = sorted(set(self._tokenizer.all_special_ids))
        for ids in texts:
            if self._context and len(ids) > self._context:
                raise UserError(f"A sentence has {len(ids):,} tokens; {self.name} reads {self._context:,}.")

        def read(batch: list[int]) -> None:
            tokens = torch.tensor([texts[index] for index in batch])
            logits = self._model(input_ids=tokens, logits_to_keep=1, use_cache=False).logits[:, -1]
            logprobs = torch.log_softmax(logits.float(), -1)
            logprobs[:, special] = -torch.inf
            work(logprobs, batch)

        lengths = [len(ids) for ids in texts]
        on_every_core(
            equal_lengths(lengths, tokens=int, most_tokens=self._placement.tokens_per_batch), read, self._placement
        )

    def _before(self, blank: Blank) -> list[int]:
        """Return the tokens before a blank; the space between is the filling's, as decoders have it."""
        text = blank.before.rstrip()
        return self._read(text)[0] if text else self._begins()

    def _read(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Return tokens and the characters they cover, with what begins a text and without what closes it."""
        read = self._tokenizer(text, return_offsets_mapping=True)
        ids, offsets = list(read["input_ids"]), list(read["offset_mapping"])
        while ids and ids[-1] == self._tokenizer.eos_token_id and offsets[-1][0] == offsets[-1][1]:
            ids.pop()  # some tokenizers close every text
            offsets.pop()
        if self._bos and ids[:1] != self._bos:
            ids, offsets = self._bos + ids, [(0, 0), *offsets]
        return ids, offsets

    def _begins(self) -> list[int]:
        """Return the token that begins a text; many decoders use the one that ended the text before."""
        for token in (self._tokenizer.bos_token_id, self._tokenizer.eos_token_id):
            if token is not None:
                return [int(token)]
        return []

    def _said(self, tokens: Sequence[int]) -> str:
        return str(self._tokenizer.decode(list(tokens))).strip()
