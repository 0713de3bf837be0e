"""Chat requests per second against one local server of 50 ms latency: asof, a plain loop, inspect_ai's own runner.

    python bench/chat.py [ROUNDS]      default: 4 rounds

All three ask the same questions of the same server, in turns, asof and inspect_ai with the same number of requests in
flight; the plain loop is what people write first: one request after the other over one connection. asof runs its whole
command behind `asof run` (a run folder, each answer kept), inspect_ai its `eval` with a log. Writes results/chat.json.
"""

import multiprocessing
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import httpx
from growth import keep

from asof.benchmarks import Benchmark, build
from asof.benchmarks.timestress import TimeStress
from asof.facts import FactStore
from asof.models.openai_chat import OpenAIChat
from asof.probes.write_answer import STOP, WriteAnswer, prompt_for
from asof.runs.runner import run
from asof.sources.almanac import almanac_base
from asof.wording import Wording

IN_FLIGHT = 16
LATENCY = 0.05
MOST_TOKENS = 16
FACTS = 2
FEW = 10  # in each round the plain loop asks every so many-th question, enough to know its rate

Ask = Callable[[Benchmark, Path], int]


def served(port: "multiprocessing.Queue[int]") -> None:
    """Answer every request after 50 ms, in a process of its own."""
    import asyncio
    import socket

    import uvicorn
    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import JSONResponse
    from starlette.routing import Route

    async def answer(request: Request) -> JSONResponse:
        await request.json()
        await asyncio.sleep(LATENCY)
        message = {"role": "assistant", "content": "Barack Obama"}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 20, "completion_tokens": 3, "total_tokens": 23}
        about = {"id": "x", "object": "chat.completion", "created": 1, "model": "scripted"}
        return JSONResponse(about | {"choices": [choice], "usage": usage})

    async def models(request: Request) -> JSONResponse:
        return JSONResponse({"object": "list", "data": [{"id": "scripted"}]})

    routes = [Route("/v1/chat/completions", answer, methods=["POST"]), Route("/v1/models", models)]
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        port.put(listening.getsockname()[1])
        uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="error")).run([listening])


def by_asof(address: str) -> Ask:
    """Run as `asof run` does."""

    def ask(benchmark: Benchmark, folder: Path) -> int:
        model = OpenAIChat(f"{address}#scripted", in_flight=IN_FLIGHT)
        finished = run(benchmark, model, folder / "run", probe=WriteAnswer(most_tokens=MOST_TOKENS))
        return len(finished.predictions())

    return ask


def by_loop(address: str) -> Ask:
    """Ask one question after the other."""

    def ask(benchmark: Benchmark, folder: Path) -> int:
        found = []
        with httpx.Client() as client:
            for item in list(benchmark.items())[::FEW]:
                messages = [{"role": "user", "content": prompt_for(item.prompt)}]
                body = {"model": "scripted", "messages": messages, "max_tokens": MOST_TOKENS, "temperature": 0}
                answer = client.post(f"{address}/chat/completions", json=body, timeout=60).json()
                found.append(answer["choices"][0]["message"]["content"])
        return len(found)

    return ask


def by_inspect(address: str) -> Ask:
    """Run with inspect_ai's own runner and its client for OpenAI's protocol."""
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import GenerateConfig, get_model
    from inspect_ai.solver import generate

    def ask(benchmark: Benchmark, folder: Path) -> int:
        samples = [
            Sample(id=item.id, input=prompt_for(item.prompt), target=item.answers[0]) for item in benchmark.items()
        ]
        config: Any = GenerateConfig(
            max_tokens=MOST_TOKENS, temperature=0, stop_seqs=list(STOP), max_connections=IN_FLIGHT
        )
        model = get_model("openai-api/local/scripted", base_url=address, api_key="none", config=config)
        [log] = evaluate(
            Task(dataset=MemoryDataset(samples), solver=generate()),
            model=model,
            log_dir=str(folder / "logs"),
            display="none",
            max_samples=2 * IN_FLIGHT,
            score=False,
        )
        return log.results.completed_samples if log.results else len(log.samples or [])

    return ask


WAYS: dict[str, Callable[[str], Ask]] = {"asof": by_asof, "plain_loop": by_loop, "inspect": by_inspect}


def main(rounds: int) -> None:
    """Measure in turns, print ratios, write JSON."""
    port: multiprocessing.Queue[int] = multiprocessing.Queue()
    server = multiprocessing.Process(target=served, args=(port,), daemon=True)
    server.start()
    address = f"http://127.0.0.1:{port.get()}/v1"
    rates: dict[str, list[float]] = {name: [] for name in WAYS}
    with tempfile.TemporaryDirectory() as temporary:
        benchmark = build(
            Path(temporary) / "b", TimeStress(facts=FACTS, stride=0.2), FactStore(almanac_base()), Wording()
        )
        time.sleep(1.0)
        ways = {name: way(address) for name, way in WAYS.items()}
        for number in range(rounds + 1):
            for name, ask in ways.items():
                folder = Path(temporary) / f"{name}{number}"
                folder.mkdir()
                began = time.perf_counter()
                asked = ask(benchmark, folder)
                if number:  # the first round imports
                    rates[name].append(asked / (time.perf_counter() - began))
    server.terminate()
    server.join()
    result: dict[str, float] = {
        "items": benchmark.items_count,
        "rounds": rounds,
        "in_flight": IN_FLIGHT,
        "latency_s": LATENCY,
        "most_possible_per_s": IN_FLIGHT / LATENCY,
    }
    for name in WAYS:
        result[f"{name}_per_s"] = median(rates[name])
    for name in ("plain_loop", "inspect"):
        ratios = [ours / theirs for ours, theirs in zip(rates["asof"], rates[name], strict=True)]
        result[f"ratio_to_{name}"] = median(ratios)
        result[f"lowest_ratio_to_{name}"] = min(ratios)
    keep("chat", result)
    for name, value in result.items():
        print(f"{name:28} {value:.4g}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4)
