"""A PyTorch network trained with spml's losses.

    python pytorch.py [--data FOLDER] [--epochs N]

The losses give their own gradients, so `torch.autograd.Function` needs no graph of them. `check()`
holds them against the same formulas written in PyTorch and differentiated by autograd.
"""

import argparse
from typing import Any, Callable, Dict, Optional, Tuple

import numpy as np
import torch
import torch.nn.functional as F

import spml


class SpmlLoss(torch.autograd.Function):
    """A loss of spml for logits and, where it has them, the logits of label estimates."""

    @staticmethod
    def forward(ctx, loss, logits, observed, estimates=None):  # type: ignore[no-untyped-def]
        result = loss(
            logits.detach().numpy(),
            observed.numpy(),
            estimates=None if estimates is None else estimates.detach().numpy(),
        )
        ctx.dlogits = torch.from_numpy(result.dlogits)
        ctx.destimates = None if result.destimates is None else torch.from_numpy(result.destimates)
        return logits.new_tensor(result.value)

    @staticmethod
    def backward(ctx, upstream):  # type: ignore[no-untyped-def]
        destimates = None if ctx.destimates is None else upstream * ctx.destimates
        return None, upstream * ctx.dlogits, None, destimates


def loss_of(
    loss: spml.Loss,
    logits: torch.Tensor,
    observed: torch.Tensor,
    estimates: Optional[torch.Tensor] = None,
) -> torch.Tensor:
    result: torch.Tensor = SpmlLoss.apply(loss, logits, observed, estimates)
    return result


# ---- the same formulas, for autograd


def epr(p: torch.Tensor, observed: torch.Tensor, k: float, scale: float) -> torch.Tensor:
    positives = torch.where(observed > 0, -scale * torch.log(p), torch.zeros_like(p))
    khat = p.sum() / p.shape[0]
    return positives.mean() + ((khat - k) / p.shape[1]) ** 2


def role(
    z: torch.Tensor, observed: torch.Tensor, u: torch.Tensor, k: float, scale: float
) -> torch.Tensor:
    f, e = torch.sigmoid(z), torch.sigmoid(u)

    def side(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return F.binary_cross_entropy(a, b.detach()) + epr(a, observed, k, scale)

    return (side(f, e) + side(e, f)) / 2


def em(z: torch.Tensor, observed: torch.Tensor, alpha: float) -> torch.Tensor:
    f = torch.sigmoid(z)
    unknown = alpha * (f * torch.log(f) + (1 - f) * torch.log(1 - f))
    return torch.where(observed > 0, -torch.log(f), unknown).mean()


def check(seed: int = 0) -> Dict[str, float]:
    """The largest difference of a gradient from autograd's, in double precision, for each loss."""
    torch.manual_seed(seed)
    observed = F.one_hot(torch.randint(0, 7, (5,)), 7)
    k = 1.7
    formulas: Dict[str, Tuple[spml.Loss, Callable[..., torch.Tensor]]] = {
        "an": (
            spml.loss("an"),
            lambda z, u: F.binary_cross_entropy_with_logits(z, observed.double()),
        ),
        "em": (spml.loss("em", alpha=0.2), lambda z, u: em(z, observed, 0.2)),
        "epr": (
            spml.loss("epr", k=k, positive_scale=1),
            lambda z, u: epr(torch.sigmoid(z), observed, k, 1),
        ),
        "role": (
            spml.loss("role", k=k, positive_scale=2),
            lambda z, u: role(z, observed, u, k, 2),
        ),
    }
    differences = {}
    for name, (loss, formula) in formulas.items():
        z, u = (torch.randn(5, 7, dtype=torch.float64, requires_grad=True) for _ in range(2))
        has_estimates = loss.description["uses_estimates"]
        inputs = (z, u) if has_estimates else (z,)
        ours = loss_of(loss, z, observed, u if has_estimates else None)
        theirs = formula(z, u)
        pairs = zip(torch.autograd.grad(ours, inputs), torch.autograd.grad(theirs, inputs))
        worst = max(float((a - b).abs().max()) for a, b in pairs)
        differences[name] = max(worst, abs(float(ours) - float(theirs)))
    return differences


# ---- a network with a hidden layer, and ROLE's estimates of the labels of every row


def fit(x: torch.Tensor, observed: torch.Tensor, k: float, epochs: int) -> torch.nn.Module:
    torch.manual_seed(0)
    rows, labels = observed.shape
    network = torch.nn.Sequential(
        torch.nn.Linear(x.shape[1], 256), torch.nn.ReLU(), torch.nn.Linear(256, labels)
    )
    # Observed labels start near 1, the others at 1/2.
    estimates = torch.nn.Parameter(torch.where(observed > 0, 5.3, 0.0))
    loss = spml.loss("role", k=k)
    adam = torch.optim.Adam(
        [{"params": network.parameters(), "lr": 1e-3}, {"params": [estimates], "lr": 1e-2}]
    )
    for epoch in range(epochs):
        total = 0.0
        for batch in torch.randperm(rows).split(64):
            adam.zero_grad()
            value = loss_of(loss, network(x[batch]), observed[batch], estimates[batch])
            value.backward()
            adam.step()
            total += float(value.detach()) * len(batch)
        print(f"epoch {epoch + 1}: loss {total / rows:.4f}")
    return network


def main(arguments: Any = None) -> float:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", help="a data folder with truth; without it, random data")
    parser.add_argument("--epochs", type=int, default=5)
    options = parser.parse_args(arguments)
    for name, difference in check().items():
        print(f"{name}: value and gradients differ from autograd's by at most {difference:.1e}")
    if options.data:
        data = spml.Dataset(options.data, need_features=True)
        x, truth = np.sqrt(data.train.features.astype(np.float32)), data.train.truth
        x_test, y_test = np.sqrt(data.test.features.astype(np.float32)), data.test.truth
    else:
        random = np.random.RandomState(0)
        x = random.normal(size=(1200, 20)).astype(np.float32)
        truth = (x @ random.normal(size=(20, 6)) > 3).astype(np.int8)
        truth[np.arange(1200), (x @ random.normal(size=(20, 6))).argmax(1)] = 1
        x, x_test, truth, y_test = x[:800], x[800:], truth[:800], truth[800:]
    observed = torch.from_numpy(spml.draw_observed(truth))
    network = fit(torch.from_numpy(x), observed, float(truth.sum() / len(truth)), options.epochs)
    with torch.no_grad():
        scores = network(torch.from_numpy(x_test)).numpy()
    result = spml.metrics.mean_average_precision(scores, y_test)["map_nonempty"]
    print(f"test MAP {result:.2f}")
    return float(result)


if __name__ == "__main__":
    main()
