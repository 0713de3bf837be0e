"""Teaching a network epoch by epoch."""

import pytest
import torch

from asof.training.finite_loss import LossError
from asof.training.teaching import teach


def test_a_loss_that_is_not_a_number_ends_the_teaching_of_a_reader() -> None:
    model = torch.nn.Linear(1, 1)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.5)
    sentences: list[str] = []

    def loss_of(batch: list[float]) -> torch.Tensor:
        return model(torch.tensor([batch])).sum() * (float("nan") if sentences else 1.0)

    with pytest.raises(LossError, match=r"The loss is nan in epoch 2, .* rate 0.5 .*Nothing was saved.*--start MODEL"):
        teach(model, lambda: [[1.0]], loss_of, optimiser, epochs=3, on_message=sentences.append)
    assert len(sentences) == 1
