"""PyTorch and programs ask the device whether values are right and go on only if they are: the
arguments of distributions, repeats, comparisons of tensors, losses."""
import figures
import torch
from torch import distributions


def sampled(size):
    """An encoder's noise, as in variational programs, and an action, as in reinforcement learning."""
    mean = torch.randn(size, 32, device="cuda", requires_grad=True)
    scale = torch.nn.functional.softplus(mean) + 0.1
    noise = distributions.Normal(mean, scale)
    chosen = distributions.Categorical(logits=mean)
    loss = noise.log_prob(noise.sample()).sum() + chosen.log_prob(chosen.sample()).sum()
    loss = loss + distributions.kl_divergence(noise, distributions.Normal(0.0, 1.0)).sum()
    loss.backward()
    return loss


def single_values():
    """One action of one environment, and a rate that is learned."""
    layer = torch.nn.Linear(4, 1).cuda()
    scale = torch.nn.functional.softplus(layer(torch.randn(1, 4, device="cuda")))
    action = distributions.Normal(layer(torch.randn(1, 4, device="cuda")), scale)
    action.log_prob(action.sample())
    distributions.Gamma(scale[0, 0], scale[0, 0]).rsample()
    value = torch.randn(1, device="cuda")
    assert (value > 0).all() and (value > 0).all(0) and torch.all(value < 0, dim=-1, keepdim=True)
    assert torch.all(value.view(1, 1) > 0, dim=(0, 1))
    assert (torch.randn(3, 1, device="cuda") > 0).all(1).tolist() == [True] * 3
    assert not (torch.zeros(1, device="cuda") > 0).all(), "a known value"
    assert not value > 0, "no check"


def opposite_masks():
    """Points are pruned by the opposite of a mask, which lies where other masks were."""
    values, drawn = torch.randn(64, device="cuda"), torch.rand(64, device="cuda") > 0.5
    assert len(values[~drawn]) == len(values[torch.logical_not(drawn)]) == 64
    joined = torch.cat([drawn[:32], drawn[32:]])
    assert len(values[joined]) == 0 and len(values[~joined]) == 64


def main():
    single_values()
    opposite_masks()
    for size in (64, 4096, 100_000):
        loss = sampled(size)
        if not torch.isfinite(loss):
            raise RuntimeError("the loss is not finite")
        assert loss < 1e9 and not torch.isnan(loss).any()
    action = distributions.Categorical(logits=torch.randn(4, device="cuda"))
    action.log_prob(action.sample())
    repeats = torch.full((10,), 3, device="cuda")
    torch.repeat_interleave(torch.arange(10, device="cuda"), repeats)
    weights = torch.ones(100, device="cuda")
    assert torch.equal(weights, weights.clone()) and torch.allclose(weights, weights * 1.0)
    torch.testing.assert_close(weights, weights.clone())
    torch.normal(weights, weights.half().float())
    distributions.MultivariateNormal(weights, torch.eye(100, device="cuda")).rsample()


main()
