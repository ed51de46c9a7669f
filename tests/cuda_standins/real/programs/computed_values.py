"""Programs whose lengths, loops and checks depend on values that follow from known ones: what they
read is right, and what nobody can know stays made up."""
import copy
import gc
import io
import math
import resource

import figures
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint
from vramlab_dry_run import report

CUDA = torch.device("cuda")


def graphs_in_a_batch():
    """As PyTorch Geometric numbers the graphs of a batch."""
    batch = torch.repeat_interleave(torch.arange(16), 5).to(CUDA)
    x = torch.randn(80, 8, device=CUDA)
    count = int(batch.max()) + 1
    assert count == 16
    mean = torch.zeros(count, 8, device=CUDA).scatter_add_(0, batch[:, None].expand(-1, 8), x)
    assert mean.shape == (16, 8)
    degree = torch.bincount(batch, minlength=16)
    assert degree.tolist() == [5] * 16
    assert torch.repeat_interleave(torch.arange(16, device=CUDA), degree).tolist() == batch.tolist()


def numbers_asked_for():
    """Operations that read more than one number in their middle, of each type."""
    for kind in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
        numbers = torch.tensor([3, 0, 3, 120], dtype=kind).cuda()
        assert torch.bincount(numbers).tolist() == [1, 0, 0, 2] + [0] * 116 + [1]
        assert len(torch.bincount(numbers, torch.randn(4, device=CUDA))) == 121
        assert len(torch.bincount(numbers[:3], minlength=9)) == 9
    for kind in (torch.int32, torch.int64):
        counts = torch.tensor([2, 0, 3], dtype=kind).cuda()
        assert torch.repeat_interleave(counts).tolist() == [0, 0, 2, 2, 2]
        assert torch.repeat_interleave(torch.randn(3, 4, device=CUDA), counts, dim=0).shape == (5, 4)
        assert torch.repeat_interleave(counts[1:2]).tolist() == []
    assert torch.equal(counts, counts.clone()) and not torch.equal(counts, counts + 1)


def orders_as_on_the_host():
    """Orders, different numbers and picked ones are those that PyTorch finds on the host, for each type and form."""
    torch.manual_seed(0)
    kinds = torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float, torch.double
    for kind in kinds:
        for shape in ((1,), (63,), (300,), (3, 70)):
            numbers = (torch.rand(shape) * 9 - 4).round().to(kind)
            if kind.is_floating_point:
                numbers[torch.rand(shape) < 0.2] = float("nan")
            alike(numbers)
            alike(numbers.t() if numbers.dim() == 2 else numbers[::2])
    for truths in (torch.ones(9) > 0, torch.zeros(9) > 0):
        alike(truths)


def alike(numbers):
    known = numbers.cuda()
    mask = torch.rand(numbers.shape) < 0.5
    picked = known[mask.cuda()], known.masked_select(mask.cuda()), known[mask[:, 0].cuda()] if mask.dim() > 1 else known
    expected = numbers[mask], numbers[mask], numbers[mask[:, 0]] if mask.dim() > 1 else numbers
    for is_descending in (False, True):
        for dim in range(numbers.dim()):
            picked += torch.sort(known, dim=dim, descending=is_descending, stable=True)
            expected += torch.sort(numbers, dim=dim, descending=is_descending, stable=True)
    if not numbers.is_floating_point():
        picked += torch.unique(known, return_inverse=True, return_counts=True)
        expected += torch.unique(numbers, return_inverse=True, return_counts=True)
    for one, other in zip(picked, expected):
        torch.testing.assert_close(one.cpu(), other, rtol=0, atol=0, equal_nan=True)


def as_on_the_host(operation, *arguments):
    """Values, sizes and types of all results."""
    of_host = operation(*arguments)
    of_device = operation(*(value.cuda() if isinstance(value, torch.Tensor) else value for value in arguments))
    for one, other in zip(*((result if isinstance(result, tuple) else (result,)) for result in (of_device, of_host))):
        assert one.shape == other.shape and one.is_cuda, (operation, one.shape, other.shape)
        torch.testing.assert_close(one.cpu(), other, rtol=0, atol=0)


def different_rows():
    """Along each dimension, of which as many are asked for as there are."""
    torch.manual_seed(0)
    for kind in (torch.int64, torch.uint8, torch.bool, torch.float):
        for shape, dim in (((2, 50), 1), ((50, 2), 0), ((3, 40, 2), 1), ((3, 4, 20), -1), ((7,), 0), ((5, 1), 0)):
            numbers = torch.randint(-2, 2, shape).to(kind)
            for is_wanted in (False, True):
                as_on_the_host(lambda x: torch.unique(x, False, is_wanted, is_wanted, dim), numbers)
                as_on_the_host(lambda x: torch.unique_consecutive(x, is_wanted, is_wanted, dim), numbers)
    assert len(torch.unique(numbers.t().cuda(), dim=0)) == 1
    # Columns that fit into one number together, and others that do not.
    least, most = torch.iinfo(torch.int64).min, torch.iinfo(torch.int64).max
    for columns in ((5, 9), (least, 9), (0, most), (-(1 << 40), 1 << 40), (most, least)):
        rows = torch.stack([torch.full((70,), number) for number in (*columns, 3)], 1)
        rows[torch.rand(70) < 0.5, 0] = 4
        rows[torch.rand(70) < 0.5, 1] = -1
        as_on_the_host(lambda x: torch.unique(x, True, True, True, 0), rows)


def numbers_repeated():
    """By counts, by a single one, along a dimension, and as tiles."""
    numbers, counts = torch.arange(12).view(4, 3), torch.tensor([2, 0, 1, 3])
    for kind in (torch.int32, torch.int64):
        as_on_the_host(lambda x, c: x.repeat_interleave(c, 0), numbers, counts.to(kind))
        as_on_the_host(lambda x, c: x.t().repeat_interleave(c, dim=1), numbers, counts.to(kind))
        as_on_the_host(lambda x, c: x[:, 0].repeat_interleave(c, output_size=6), numbers, counts.to(kind))
        as_on_the_host(lambda x, c: x.repeat_interleave(c[:1], 1), numbers, counts.to(kind))
        as_on_the_host(lambda x, c: x.repeat_interleave(c[1:2]), numbers, counts.to(kind))
    for kind in (torch.bool, torch.half, torch.double):
        as_on_the_host(lambda x, c: x.repeat_interleave(c, 0), numbers.to(kind), counts)
        as_on_the_host(lambda x, c: x[:, 1].repeat_interleave(c), numbers.to(kind), counts)
    as_on_the_host(lambda x, c: x.repeat_interleave(c), numbers, torch.arange(12))
    as_on_the_host(lambda x: x.repeat_interleave(3, 0), numbers)
    for times in ((2, 1), (2, 2, 3), (1, 0)):
        as_on_the_host(lambda x: x.repeat(times), numbers)
    as_on_the_host(lambda x: x.t().repeat(1, 2).gt(4), numbers)
    numbers = numbers.cuda()
    unknown = torch.randn(4, 3, device=CUDA)
    assert unknown.repeat_interleave(counts.cuda(), 0).shape == (6, 3) and unknown.repeat(2, 1)[4].tolist() == [0] * 3
    assert len(numbers.repeat(9000, 1).unique()) == 1, "nobody knows as many"
    assert unknown.long().repeat(3, 1).unique().tolist() == [0]


def numbers_put_at_places():
    def put(x, places, numbers):
        x = x.clone()
        x[:, places] = 2
        x[places, :] = 3
        x[places] += numbers
        x[..., None, places] = 5
        return x.index_put_((places,), numbers, accumulate=True)

    as_on_the_host(put, torch.arange(12).view(3, 4), torch.tensor([0, 2]), torch.tensor(7))
    as_on_the_host(put, torch.arange(12.0).view(3, 4), torch.tensor([True, False, True, False])[:3].nonzero()[:, 0],
                   torch.tensor(7.0))


def numbers_marked_and_counted():
    classes = torch.tensor([[3, 0], [1, 3]])
    for count in (-1, 4, 9):
        as_on_the_host(lambda x: F.one_hot(x, count), classes)
    assert F.one_hot(torch.arange(300).cuda()).shape == (300, 300), "more than are known"
    assert F.one_hot(classes.cuda(), 4).argmax(-1).tolist() == classes.tolist()
    numbers = torch.tensor([0.5, -3, 2, 2, 7.25])
    for kind in (torch.float, torch.double):
        as_on_the_host(lambda x: torch.histc(x, 4), numbers.to(kind))
        as_on_the_host(lambda x: torch.histc(x, bins=5, min=-1, max=3), numbers.to(kind))
    for kind in (torch.int64, torch.int32, torch.uint8):
        assert torch.histc(torch.tensor([0, 3, 3, 8], dtype=kind).cuda(), 4).tolist() == [1, 2, 0, 1]
        assert torch.histc(torch.tensor([0, 3, 3, 9], dtype=kind).cuda(), 4, 0, 8).tolist() == [1, 2, 0, 0]
    assert torch.histc(torch.tensor([-5, 2, 3, 9]).cuda(), 3, min=-5, max=4).tolist() == [1, 0, 2]
    assert torch.histc(torch.tensor([4, 4]).cuda(), 2).tolist() == [0, 2], "limits beside the only number"
    as_on_the_host(lambda x: x.logcumsumexp(0), torch.arange(5.0))


def answers_of_their_operations():
    """Answers that an operation leaves unread are none to what the program reads next, also where it fails."""
    unknown = torch.randn(3, device=CUDA)
    known = torch.tensor([5, 0, 7]).cuda()
    for operation in (known.nonzero, known.unique, known.bincount, lambda: known[known > 4],
                      lambda: known.repeat_interleave(known)):
        operation()
        assert [number.item() for number in unknown.long()] == [0] * 3
    try:
        known.repeat_interleave(known[:2])
    except RuntimeError:
        assert unknown.long()[0].item() == 0
    else:
        raise AssertionError("there are too few counts")


def forms_in_place():
    """A tensor that gets another form in place keeps its numbers."""
    for form in (lambda t: t.transpose_(0, 1), lambda t: t.t_(), lambda t: t.unsqueeze_(0).squeeze_(0).t_(),
                 lambda t: t.as_strided_((3, 2), (1, 3))):
        lengths = form(torch.tensor([[4, 5, 6], [7, 8, 0]], device=CUDA)).gt(0).sum(0)
        assert lengths.tolist() == [3, 2]
    assert torch.tensor([4, 5, 6, 0], device=CUDA).resize_(3).gt(0).sum().item() == 3


def places_of_triangles():
    assert torch.triu_indices(3, 3, 1, device=CUDA).tolist() == [[0, 0, 1], [1, 2, 2]]
    assert torch.tril_indices(2, 2, device=CUDA).sum().item() == 3


def products():
    """Products of known matrices, and comparisons of as many numbers as detectors have anchors."""
    rows, columns = torch.arange(6.0).view(2, 3), torch.arange(12.0).view(3, 4)
    for product in (torch.mm, torch.matmul, lambda a, b: torch.bmm(a[None], b[None]), lambda a, b: a @ b[:, 1],
                    lambda a, b: a[0].dot(b[:, 1]), lambda a, b: torch.einsum("ij,jk->ik", a, b),
                    lambda a, b: F.linear(a, b.t(), torch.ones(4).to(a.device))):
        assert product(rows.cuda(), columns.cuda()).tolist() == product(rows, columns).tolist()
    boxes = torch.linspace(-1, 1, 16800).view(-1, 4)
    assert len((boxes.cuda().amin(-1) > 0).nonzero()) == len((boxes.amin(-1) > 0).nonzero()) == 2100
    many = torch.arange(60000, device=CUDA)
    host_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for results_too_large in (lambda: many[:, None] == many, lambda: many[:, None] & many):
        results_too_large()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - host_kib < 1 << 20, "they have 3.35 GiB"


def linear_equations():
    """Libraries write their results over copies of what they are given."""
    known = torch.tensor([[2.0, 1], [1, 3]], dtype=torch.double)
    for solve in (torch.linalg.inv, torch.linalg.det, torch.linalg.cholesky, torch.linalg.eigvalsh,
                  lambda m: torch.linalg.solve(m, m[0]), lambda m: torch.linalg.qr(m)[1].abs(),
                  lambda m: torch.linalg.lu_factor(m)[0], lambda m: torch.lerp(m, m.t() + 1, 0.5)):
        torch.testing.assert_close(solve(known.cuda()).cpu(), solve(known))
    unknown = torch.randn(2, 2, device=CUDA)
    unknown.copy_(known)
    unknown.normal_()
    assert torch.linalg.inv(unknown).tolist() == [[0, 0], [0, 0]]


def numbers_of_the_device_in_lists():
    """torch.tensor() reads numbers of the device, which follow from known ones."""
    most = torch.tensor([1, 4, 2], device=CUDA).max() + 0
    assert torch.tensor([most, most]).tolist() == torch.tensor([most, most], device=CUDA).tolist() == [4, 4]
    most += 1
    assert torch.tensor([most]).tolist() == [5] and torch.linspace(0, most, 6).tolist() == [0, 1, 2, 3, 4, 5]
    kept = torch.full((3,), 7.0, device=CUDA)
    kept.normal_()
    assert torch.tensor([kept[1]]).tolist() == [0], "nobody knows what was drawn"


def greatest_of_unknown_numbers():
    """One of unknown numbers is the greatest, also where they lie with gaps and are of other types."""
    x = torch.nn.Linear(4, 8, device=CUDA)(torch.randn(3, 4, device=CUDA))
    assert len((x == x.max()).nonzero()) > 0 and len(x.t()[1:][x.t()[1:] >= x.min()]) > 0
    assert len((x.sum(-1) == x.sum(-1).max()).nonzero()[0]) == 1
    assert len(x.t()[::2, 1:].isfinite().nonzero()) == 8 and len((x[1:].long() > -0.5).nonzero()) == 16
    either = (x.t() > 0) | (x.t() <= 0)
    assert len(x.t()[either]) == len(x[either.t()]) == 24 and len(x[(x > 0) ^ (x <= 0)]) == 24


def choices_that_a_mask_excludes():
    """A choice by unknown scores is none of those that a known mask excludes."""
    scores = torch.nn.Linear(300, 300, device=CUDA)(torch.rand(4, 300, device=CUDA))[:, :8]
    is_taken = torch.zeros(4, 8, dtype=torch.bool, device=CUDA)
    for number in range(8):
        left = scores.clone()
        left[is_taken] = -torch.inf
        chosen = torch.log_softmax(left, -1).exp().max(1)[1]
        drawn = torch.softmax(scores.masked_fill(is_taken, -torch.inf), -1).multinomial(1)
        assert not is_taken.gather(1, chosen[:, None]).any() and not is_taken.gather(1, drawn).any()
        assert chosen.tolist() == [number] * 4
        is_taken = is_taken.scatter(1, chosen[:, None], True)
    assert sorted(torch.tensor([0.0, 1, 0, 1], device=CUDA).multinomial(2).tolist()) == [1, 3]


def directions_of_lbfgs():
    """It keeps as many as it may, since it does not converge at once. It converges in the end."""
    for search, default in ((None, "cpu"), ("strong_wolfe", "cpu"), (None, "cuda")):
        torch.set_default_device(default)
        model = torch.nn.Linear(64, 1, device=CUDA)
        optimizer = torch.optim.LBFGS(model.parameters(), max_iter=5, history_size=8, line_search_fn=search)

        def closure():
            optimizer.zero_grad()
            loss = model(torch.ones(32, 64, device=CUDA)).square().mean()
            loss.backward()
            return loss

        for _ in range(4):
            optimizer.step(closure)
        state = optimizer.state[model.weight]
        assert state["n_iter"] == 20 and len(state["old_dirs"]) == 8
        for _ in range(40):
            optimizer.step(closure)
        assert 110 < state["n_iter"] < 200
    torch.set_default_device(None)


def ends_of_texts():
    """As reinforcement learning cuts generated texts behind their first end."""
    words = torch.tensor([[5, 6, 2, 7, 2], [5, 5, 5, 5, 5], [2, 1, 1, 1, 1]]).cuda()
    is_end = words == 2
    ends = torch.full((3,), 5, dtype=torch.long, device=CUDA)
    ends[is_end.any(dim=1)] = is_end.int().argmax(dim=1)[is_end.any(dim=1)]
    assert ends.tolist() == [2, 5, 0]
    mask = (torch.arange(5, device=CUDA).expand(3, -1) <= ends[:, None]).int()
    kept = [row[chosen].tolist() for row, chosen in zip(words, mask.bool())]
    assert kept == [[5, 6, 2], [5] * 5, [2]], kept
    lengths = mask.sum(1)
    assert lengths.float().mean().item() == 3 and (lengths.max(), lengths.min()) == (5, 1)
    assert (words[0] == 2).nonzero()[0, 0] == 2


def experts():
    """As a mixture of experts sends words on, whose experts are known."""
    words = torch.randn(12, 64, device=CUDA)
    chosen = torch.tensor([0, 1, 2, 0, 0, 1, 0, 0, 2, 0, 1, 0]).cuda()
    counts = [int((chosen == expert).sum()) for expert in range(4)]
    assert counts == [7, 3, 2, 0]
    assert [len(words[chosen == expert]) for expert in range(4)] == counts
    sent, order = torch.sort(chosen, stable=True)
    ends = torch.cumsum(torch.bincount(sent, minlength=4), 0).cpu()
    assert ends.tolist() == [7, 10, 12, 12]
    weights = torch.randn(4, 64, 64, device=CUDA)
    out = torch.zeros_like(words)
    for expert, part in enumerate(torch.tensor_split(words[order], ends[:-1])):
        places = order[sent == expert]
        assert len(part) == len(places) == counts[expert]
        out.index_add_(0, places, part @ weights[expert])
    assert torch.unique(chosen).tolist() == [0, 1, 2]
    assert torch.unique_consecutive(sent, return_counts=True)[1].tolist() == [7, 3, 2]
    assert out.masked_select((chosen == 1)[:, None]).shape == (3 * 64,)
    numbers = torch.arange(12, device=CUDA)
    assert numbers.masked_select(chosen == 1).tolist() == [1, 5, 10]
    assert numbers.view(2, 6).masked_select(numbers[:6] > 3).tolist() == [4, 5, 10, 11]


def results_shorter_than_their_storage():
    """Its end is written later, by tensors of their own."""
    few = torch.unique(torch.tensor([5, 3, 5, 3, 5, 3, 3, 3]).cuda())
    assert few.untyped_storage().nbytes() == 64 and few.tolist() == [3, 5]
    few += 1
    few.as_strided((3,), (1,), 2).fill_(9)
    assert few.as_strided((5,), (1,)).tolist() == [4, 6, 9, 9, 9]
    assert int((few == 6).sum()) == 1


def orders_of_unknown_numbers():
    """No place is in them twice: as PyTorch Geometric pools the nodes of graphs by their scores."""
    graphs = torch.arange(4).repeat_interleave(8).cuda()
    scores = torch.randn(32, device=CUDA)
    orders = [torch.sort(scores, descending=True)[1], scores.sort(stable=True)[1], torch.argsort(scores),
              torch.topk(scores, 32)[1], torch.randperm(32, device=CUDA), scores.view(4, 8).view(-1).argsort()]
    for order in orders:
        assert int(graphs[order].max()) == 3 and len(order.unique()) == 32
        back = torch.empty_like(order).scatter_(0, order, torch.arange(32, device=CUDA))
        assert order[back].tolist() == list(range(32))
    assert torch.randn(3, 5, device=CUDA).sort(0)[1].T.tolist() == [[0, 1, 2]] * 5
    assert torch.randn(3, 5, device=CUDA).T.argsort().tolist() == [[0, 1, 2]] * 5
    drawn = torch.get_rng_state()
    assert torch.randperm(3, dtype=torch.int32, device=CUDA).tolist() == [0, 1, 2]
    assert torch.equal(torch.get_rng_state(), drawn)


def orders_of_many_numbers():
    """Evaluations look for the place of the right answer among all."""
    order = torch.sort(torch.randn(3, 70000, device=CUDA), dim=1, descending=True)[1]
    assert order.cpu().tolist() == [list(range(70000))] * 3
    assert torch.randn(70000, 2, device=CUDA).argsort(0).cpu()[-1].tolist() == [69999] * 2


def tables_of_places():
    """As parsers keep where the best parts of a text begin, behind a known place."""
    table = torch.full((4, 4), -1.0, device=CUDA)
    for begin in range(4):
        table[begin, :] = torch.max(torch.randn(4, 3, device=CUDA), 1)[1] + begin
        table[begin, 0] = torch.randn(3, device=CUDA).argmin() + begin
    assert table.tolist() == [[begin] * 4 for begin in range(4)]


def few_of_unknown_numbers():
    """Each row chooses other places, as trained routers of experts do, and a search over beams no special word."""
    experts = torch.randn(96, 8, device=CUDA).topk(2)[1]
    assert bool((experts[:, 0] != experts[:, 1]).all()) and torch.bincount(experts.view(-1)).tolist() == [24] * 8
    assert torch.randn(4, 3, device=CUDA).topk(1, dim=0)[1].tolist() == [[2, 3, 0]]
    assert torch.randn(2, 5, device=CUDA).topk(3, sorted=False)[1].tolist() == [[3, 4, 0], [1, 2, 3]]
    length = 96
    periods = length // torch.randn(49, device=CUDA).topk(5)[1].cpu().numpy()
    assert len(periods) == 5 and periods.min() > 0
    for beams in (1, 2, 3, 4, 5, 8):
        words = torch.randn(2, beams * 32000, device=CUDA).topk(2 * beams)[1] % 32000
        assert int(words.min()) > 1000, beams
    assert torch.randn(3, 4, device=CUDA).topk(2)[0].tolist() == [[0, 0]] * 3
    chances = torch.softmax(torch.randn(20, 10, device=CUDA), 1)
    top, chosen = chances.topk(4)
    gates = torch.zeros_like(chances).scatter(1, chosen, top / (top.sum(1, keepdim=True) + 1e-6))
    assert len(gates.nonzero()) == 80 and (gates > 0).sum(0).tolist() == [8] * 10
    assert torch.tensor([5.0, 9, 7]).cuda().topk(2)[1].tolist() == [1, 2]


def experts_of_many_words():
    """Places are known of more words than other values are, and so is who gets them."""
    words, experts, each = 16384, 16, 4
    chosen = torch.softmax(torch.randn(words, experts, device=CUDA), -1).topk(each)[1]
    load = words * each // experts
    mask = F.one_hot(chosen, experts).permute(2, 1, 0)
    for expert in torch.greater(mask.sum(dim=(-1, -2)), 0).nonzero():
        place, word = torch.where(mask[expert[0]])
        assert len(word) == load and bool((chosen[word, place] == expert).all())
    assert len(torch.where(mask[3, 1:, 100:200])[0]) == int((chosen[100:200, 1:] == 3).sum()) > 0
    assert torch.bincount(chosen.view(-1)).tolist() == [load] * experts
    assert torch.histc(chosen.view(-1), bins=experts, min=0, max=experts).tolist() == [load] * experts
    counts = chosen.new_zeros((words, experts)).scatter_(1, chosen, 1)
    assert counts.sum(0).tolist() == [load] * experts and int(counts[77, chosen[77]].sum()) == each
    ones = torch.zeros(words, experts, dtype=torch.long, device=CUDA).scatter_(1, chosen[:, :1], 1)
    ones.scatter_(1, chosen[:, 1:2], 1)
    assert len(ones[:, 5].nonzero()) == int((chosen[:, :2] == 5).sum()) > 0
    ones.add_(1)
    assert ones.sum().item() == words * (experts + 2)
    order = chosen.view(-1).argsort(stable=True)
    assert (order[:load] // each).tolist() == torch.where(chosen == 0)[0].tolist()
    ones.random_(5)
    assert ones.sum().item() == 0 and len(ones.nonzero()) == 0
    assert torch.zeros(words, experts, dtype=torch.long, device=CUDA).any().item() is False


def results_that_are_given():
    """Operations without kernels of their own get their result's new version at their end."""
    rows = torch.arange(4).cuda()
    into = torch.zeros(2, 4, dtype=torch.long, device=CUDA)
    assert torch.stack([rows, rows + 1], out=into).tolist() == [[0, 1, 2, 3], [1, 2, 3, 4]] == into.tolist()
    torch.ops.aten.roll.out(rows, [1], out=into[0])
    assert into.tolist() == [[3, 0, 1, 2], [1, 2, 3, 4]]
    assert torch.arange(5, out=torch.empty(0, dtype=torch.long, device=CUDA)).tolist() == [0, 1, 2, 3, 4]
    found = torch.empty(0, dtype=torch.long, device=CUDA)
    values, places = torch.sort(-rows, out=(torch.empty(0, dtype=torch.long, device=CUDA), found))
    assert values.tolist() == [-3, -2, -1, 0] and found.tolist() == [3, 2, 1, 0]
    assert torch.bincount(torch.masked_select(rows, rows > 1, out=found)).tolist() == [0, 0, 1, 1]
    sums = torch.empty(5, dtype=torch.long, device=CUDA)
    sums[:1].zero_()
    torch.cumsum(rows, 0, out=sums[1:])
    assert sums.tolist() == [0, 0, 1, 3, 6]


def texts_with_ends():
    """As Whisper makes a text: words that nobody knows, in front an end that the program puts there."""
    words = torch.tensor([[5, 6, 7]]).cuda()
    work = torch.nn.Linear(64, 4096, device=CUDA).requires_grad_(False)
    for _ in range(12):
        for _ in range(20):
            chances = work(torch.randn(1, 64, device=CUDA)).half().relu() + 1
        following = chances.argmax(dim=-1)
        following[words[:, -1] == 9] = 9
        words = torch.cat([words, following[:, None]], dim=-1)
        if (words[:, -1] == 9).all():
            break
    assert words.shape == (1, 15) and words[0, :3].tolist() == [5, 6, 7]
    assert (F.pad(words, (0, 1), value=9)[0] == 9).nonzero()[0, 0] == 15
    following.fill_(3)
    assert following.item() == 3
    is_kept = (torch.arange(15, device=CUDA)[None] < 4).expand(1, -1)
    assert words[is_kept].tolist() == [5, 6, 7, 0]


def masks_in_backward():
    """A backward pass asks again how many there are, and so does what it computes once more."""
    layer = torch.nn.Linear(8, 8, device=CUDA)
    words = torch.tensor([[2, 0, 2], [1, 2, 0]]).cuda()

    def chosen(x):
        mask = words == 2
        y = layer(x)
        part = y[mask]
        assert part.shape == (3, 8)
        z = torch.zeros_like(y)
        z[mask] = part
        row = y[1][mask[1]]
        assert row.shape == (1, 8)
        return z.sum() + row.sum() + y.masked_select(mask[:, :, None]).sum()

    def routed(x):
        experts = layer(x).topk(2)[1]
        mask = F.one_hot(experts, 8).permute(3, 2, 0, 1)
        out = torch.zeros_like(x)
        for expert in torch.greater(mask.sum(dim=(1, 2, 3)), 0).nonzero():
            _, text, place = torch.where(mask[expert[0]])
            out.index_put_((text, place), layer(x[text, place]), accumulate=True)
        return out.sum()

    x = torch.randn(2, 3, 8, device=CUDA, requires_grad=True)
    for function in (chosen, routed):
        function(x).backward()
        for is_reentrant in (True, False):
            checkpoint(function, x, use_reentrant=is_reentrant).backward()
    chosen(x * 2).backward()


def loops():
    """As VonMises draws until it likes what it has drawn: nobody knows whether it ever does."""
    is_done, draws = torch.zeros(8, dtype=torch.bool, device=CUDA), 0
    while not is_done.all():
        is_good = torch.rand(8, device=CUDA) > 0.5
        if is_good.any():
            is_done = is_done | is_good
        draws += 1
    assert draws > 1000


def numbers_that_pass_a_test():
    """As rejection sampling draws until it has enough: none passes, so one does after a while."""
    kept = torch.empty(0, device=CUDA)
    while len(kept) < 3:
        drawn = torch.rand(8, device=CUDA)
        kept = torch.cat([kept, drawn[drawn > 0.5]])
    assert len(kept) == 3
    places = (torch.rand(8, device=CUDA) > 0.5).nonzero()
    assert len(places) == 0, "another place"


def kernels_made_while_running():
    """PyTorch makes them, and the operations that launch them are known."""
    multiply = torch.cuda.jiterator._create_jit_fn(
        "template <typename T> T multiply(T x, T y) { return x * y; }")
    words = torch.arange(16).cuda()
    x = torch.randn(16, device=CUDA)
    assert multiply(x, x).sum().item() < 1
    assert words.max() == 15


def checks():
    mask = torch.zeros(4, 4, dtype=torch.bool, device=CUDA)
    if mask.any():
        raise ValueError("the mask is empty")
    mask[1, 2] = True
    assert mask.any() and not mask.all() and mask.sum() == 1
    values, places = torch.tensor([3, 9, 4, 8]).cuda().topk(2)
    assert values.tolist() == [9, 8] and places.tolist() == [1, 3]
    assert torch.equal(values, torch.tensor([9, 8], device=CUDA))
    edges = torch.searchsorted(torch.arange(0, 10, 2, device=CUDA), torch.tensor([3, 4]).cuda())
    assert edges.tolist() == [2, 2]
    assert torch.unique(torch.tensor([[1, 2], [1, 2], [0, 1]]).cuda(), dim=0).tolist() == [[0, 1], [1, 2]]
    half = torch.tensor([0.5, 2.0], dtype=torch.bfloat16).cuda()
    assert (half > 1).tolist() == [False, True]
    with torch.inference_mode():
        count = torch.ones(3, dtype=torch.long, device=CUDA)
        count += 2
        assert count.sum().item() == 9
    with torch.device("cuda"):
        assert torch.arange(4).sum().item() == 6
    pages = torch.zeros(1 << 17, dtype=torch.long).cuda()
    assert pages.cpu().sum() == 0 and pages.shape == (1 << 17,)


def unknown():
    """Made up: 0, or less than one, and not what was there before."""
    drawn = torch.full((100,), 7, device=CUDA)
    assert drawn.random_(5).max().item() == 0
    assert torch.bincount(drawn, minlength=4).tolist() == [100, 0, 0, 0]
    with torch.inference_mode():
        for draw in ("random_", "normal_", "uniform_", "exponential_"):
            assert getattr(torch.full((100,), 7.0, device=CUDA), draw)().max().item() < 1, draw
        assert torch.full((100,), 7.0, device=CUDA).bernoulli_(0.5).max().item() < 1
        assert torch.full((100,), 7.0, device=CUDA).geometric_(0.5).max().item() < 1
    draws = [torch.multinomial(torch.rand(2, 50, device=CUDA), 3) for _ in range(20)]
    assert all(len(row.unique()) == 3 and 25 <= min(row) and max(row) < 35 for draw in draws for row in draw)
    assert all(first.tolist() != second.tolist() for first, second in draws)
    assert torch.multinomial(torch.rand(2, 5, device=CUDA), 3, replacement=True).T.unique(dim=0).shape == (1, 2)
    chances = torch.softmax(torch.randn(1, 50, device=CUDA), -1)
    chances[chances < torch.topk(chances, 5)[0][:, -1:]] = 0
    assert torch.multinomial(chances, 1).item() >= 25, "none of the first ones, which are special words"
    weights = torch.ones(4, device=CUDA, requires_grad=True)
    (weights * torch.randn(4, device=CUDA)).sum().backward()
    assert weights.grad.tolist() == [0] * 4
    torch.optim.Adam([weights]).step()
    assert all(0 < abs(weight) < 1 for weight in weights.tolist())
    norm = torch.nn.BatchNorm1d(4, device=CUDA)
    norm(torch.randn(8, 4, device=CUDA))
    assert norm.running_var.tolist() == [0] * 4 and norm.num_batches_tracked == 1
    left = torch.full((64,), 3, device=CUDA)
    assert left.sum() == 192
    del left
    assert torch.empty(64, dtype=torch.long, device=CUDA).max().item() == 0
    seeds = torch.tensor([[1] + [0] * 7, [255] * 8], dtype=torch.uint8).to(CUDA).view(torch.uint64)
    # As torchtitan reads its seed. Kernels in Python can't return numbers above those of int64 in all versions.
    assert seeds[0].item() == 1 and seeds[1].item() in (2**63 - 1, 2**64 - 1), seeds[1].item()
    ones = torch.ones(3, device=CUDA)
    torch.mv(torch.randn(3, 3, device=CUDA), ones, out=ones)
    assert ones.tolist() == [0] * 3


class Block(torch.nn.Module):
    """Computes with large tensors alone, as long as it is not asked for more."""

    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.GELU())
        self.asked, self.told = False, []

    def forward(self, x, chosen=None):
        if chosen is not None:
            return x[:int(chosen.sum())] + self.inner(x)[:int(chosen.sum())]
        if self.asked:
            self.told.append(int(torch.arange(5, device=CUDA).sum()))
        return x + self.inner(x)


def changed_by_unknown_numbers():
    """Results that are given, and sums that are added to, by tensors of any size: those of the inference mode have no
    version to tell it."""
    def known():
        return torch.full((5,), 7.0, device=CUDA)

    for count in (1 << 10, 100_000, 3_000_000):
        with torch.inference_mode():
            numbers, places = torch.randn(count, device=CUDA), torch.zeros(count, dtype=torch.long, device=CUDA)
            assert torch.sum(numbers, 0, out=torch.full((), 7.0, device=CUDA)).item() < 1
            assert torch.index_select(numbers, 0, places[:5], out=known()).max().item() < 1
            assert known().index_add_(0, places, numbers).max().item() < 1
            assert known().scatter_add_(0, places, numbers).max().item() < 1
            assert known().index_put_((places,), numbers, accumulate=True).max().item() < 1
    with torch.inference_mode():
        for source in torch.empty(1 << 21, dtype=torch.long, device=CUDA), torch.zeros(1 << 21):
            many = torch.full((1 << 21,), 7).cuda()
            assert many[-1].item() == 7
            assert many.copy_(source)[-1].item() == 0


def sparse_gradients():
    kept = torch.ones(3, device=CUDA)
    table = torch.nn.Embedding(10, 4, sparse=True).to(CUDA)
    table(torch.tensor([1, 2]).cuda()).sum().backward()
    assert table.weight.grad.is_sparse
    torch.optim.SGD(table.parameters(), lr=1.0).step()
    assert kept.tolist() == [1, 1, 1] and table.weight.detach().max().item() < 1


def batches_counted():
    norm = torch.nn.BatchNorm2d(4).to(CUDA)
    x = torch.randn(8, 4, 5, 5, device=CUDA)
    for count in range(1, 100):
        norm(x)
        assert count % 20 or norm.num_batches_tracked == count
    assert norm.num_batches_tracked.cpu() == 99 and int(norm.num_batches_tracked.float()) == 99
    norm.num_batches_tracked += 5
    norm(x).sum().backward()
    assert norm.num_batches_tracked.item() == 105
    norm.reset_running_stats()
    assert norm.num_batches_tracked == 0 and norm.running_mean.tolist() == [0] * 4
    norm(x)
    other = torch.nn.BatchNorm2d(4).to(CUDA)
    other.load_state_dict(norm.state_dict())
    assert other.num_batches_tracked == 1
    norm.eval()(x)
    assert norm.num_batches_tracked == 1
    norm.train()
    for _ in range(3):
        norm(x)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        graph = torch.cuda.CUDAGraph()
        graph.capture_begin()
        norm(x)
        graph.capture_end()
    # The addition is in the graph, and was not made.
    assert norm.num_batches_tracked != 5


def truths_that_nobody_knows():
    """They are the ones by which masks are counted, with known values and in sums, too."""
    scores = torch.randn(3, 40, device=CUDA) @ torch.randn(40, 40, device=CUDA)
    places = torch.arange(40, device=CUDA)
    for mask in (torch.isfinite(scores), scores >= 0, ~torch.isnan(scores), scores == scores,
                 torch.isfinite(scores.half()), scores.bfloat16() != 1):
        assert mask.sum() == 120 and mask.sum(1).tolist() == [40] * 3 and torch.count_nonzero(mask) == 120
        assert scores[mask].shape == (120,) and places[mask[0]].tolist() == list(range(40))
        assert (~mask).sum() == 0 and places[~mask[0]].shape == (0,)
    assert not torch.isnan(scores).any() and not (scores == 0).any()
    for kind in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        assert torch.isfinite(scores.sum().to(kind)), kind
    enough, time, end = scores[:, 0] > 0.5, torch.zeros(3, dtype=torch.long, device=CUDA), places[3:6]
    steps = 0
    while (time < end).any() and steps < 100:
        steps += 1
        is_forced = torch.full_like(enough, steps % 3 == 0)
        time = torch.where(enough | is_forced, time + 1, time)
    assert steps == 15


def classes_that_nobody_knows():
    """The one that is there has all members."""
    classes = (torch.randn(500, 8, device=CUDA) @ torch.randn(8, 4, device=CUDA)).argmax(1)
    for one in classes.unique():
        assert (classes == one).sum() == 500 and classes[classes == one].shape == (500,)
    ends = torch.cat([torch.zeros(1, dtype=torch.long, device=CUDA), torch.bincount(classes, minlength=4).cumsum(0)])
    assert ends[-1] == 500


def lengths_of_at_least_one():
    scores = torch.nn.Linear(16, 1).to(CUDA)(torch.randn(2, 4, 16, device=CUDA)).squeeze(-1)
    assert torch.ceil(scores.exp()).sum(1).clamp_min(1).long().tolist() == [1, 1]
    repeats = scores.exp().round().clamp(min=1).long()
    assert torch.arange(4, device=CUDA).repeat_interleave(repeats[0]).tolist() == [0, 1, 2, 3]
    chosen = torch.arange(8, device=CUDA) < (torch.rand(2, 1, device=CUDA) * 16).clamp(min=1.0)
    assert chosen.sum(1).tolist() == [1, 1]
    assert scores.clamp(min=-1).tolist() == [[0] * 4] * 2
    assert scores.long().clamp(2, 3).tolist() == [[2] * 4] * 2


def requested_by(run):
    before = torch.cuda.memory_stats()["allocated_bytes.all.allocated"]
    run()
    return torch.cuda.memory_stats()["allocated_bytes.all.allocated"] - before


def places_of_sparse_tensors():
    places = torch.tensor([[0, 1, 1, 0], [2, 0, 0, 2]], device=CUDA)
    once = torch.sparse_coo_tensor(places, torch.ones(4, device=CUDA), (2, 3)).coalesce()
    assert once.indices().tolist() == [[0, 1], [2, 0]] and once.values().shape == (2,)
    edges = torch.stack((torch.arange(3000) % 500, torch.arange(3000) // 6))
    graph = torch.sparse_coo_tensor(edges, torch.ones(3000), (500, 500)).to(CUDA)
    states = torch.randn(500, 8, device=CUDA)
    for multiply in (lambda a: torch.spmm(a, states), lambda a: torch.addmm(states, a, states),
                     lambda a: torch.mv(a, states[:, 0]), lambda a: a @ states):
        assert requested_by(lambda: multiply(graph)) == requested_by(lambda: multiply(graph.coalesce()))
    with torch.inference_mode():
        assert torch.full((500, 8), 7.0, device=CUDA).addmm_(graph, states).max().item() < 1
    rows = torch.tensor([[0, 1.0, 0], [2, 0, 3]]).cuda().to_sparse_csr()
    assert rows.crow_indices().tolist() == [0, 1, 3]
    bag = torch.nn.EmbeddingBag(100, 8, mode="mean", sparse=True).to(CUDA)
    optimizer = torch.optim.SparseAdam(bag.parameters())
    words = torch.tensor([1, 2, 4, 5, 4, 3, 2, 9], device=CUDA)
    bag(words, torch.tensor([0, 3, 5], device=CUDA)).sum().backward()
    assert bag.weight.grad.coalesce().indices().tolist() == [[1, 2, 3, 4, 5, 9]]
    before = torch.cuda.memory_stats()["allocation.all.allocated"]
    optimizer.step()
    assert torch.cuda.memory_stats()["allocation.all.allocated"] > before


def backward_of_own_function():
    """Operations of the program itself are computed there, too."""
    times = torch.tensor([0.0, 1.0], device=CUDA)
    seen = []

    class Solved(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            seen.append(bool((times[1:] > times[:-1]).all()))
            seen.append(times.flip(0).tolist())
            with torch.enable_grad():
                x = torch.ones(3, device=CUDA, requires_grad=True)
                torch.autograd.grad((x * x).sum(), x)
            seen.append(int((times > 0.5).sum()))
            return gradient * 2

    x = torch.randn(3, device=CUDA, requires_grad=True)
    mask = torch.tensor([True, False, True], device=CUDA)
    Solved.apply(x[mask]).sum().backward()
    assert seen == [True, [1.0, 0.0], 1] and x.grad.shape == (3,)


def blocks_left_out():
    """Calls in which nothing is known are left out from the third one on, and others are not."""
    block = Block().to(CUDA)
    x = torch.randn(256, 64, device=CUDA)
    known = torch.arange(9, device=CUDA)
    for _ in range(5):
        block(x).sum().backward()
        assert known.sum() == 36
    # An argument with known values is one of another kind.
    assert block(x, torch.tensor([True, False, True]).cuda()).shape == (2, 64)
    # It asks for something after five calls without: once it is not known, and then it is again.
    block.asked = True
    for _ in range(3):
        block(x)
    assert block.told[1:] == [10, 10], block.told
    # A counter that a call changes stays right.
    counting = Counting().to(CUDA)
    for _ in range(5):
        counting(x)
    assert counting.count == 5
    counting.count.fill_(3)
    counting(x)
    assert counting.count == 4
    # Other modules at the same places in memory are others.
    for size in (3, 5, 7, 9):
        assert Small(size)(x).shape == (size, 64)


class Counting(Block):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros((), dtype=torch.long))

    def forward(self, x):
        self.count += 1
        return super().forward(x)


class Small(torch.nn.Module):
    def __init__(self, size):
        super().__init__()
        self.part = torch.nn.Identity()
        self.size = size

    def forward(self, x):
        return self.part(x)[torch.arange(256, device=CUDA) < self.size]


def probabilities_on_the_host():
    """As a program takes its next word from them: an error where they are zeros, or do not sum to one."""
    def is_one(number):
        return abs(float(number) - 1) < 1e-2

    scores = torch.randn(2, 50, device=CUDA)
    chances = F.softmax(scores, -1)
    assert is_one(chances[1].cpu().sum()) and is_one(sum(chances[0].tolist()))
    assert len(torch.multinomial(chances[0].cpu(), 3)) == 3
    assert len(torch.multinomial((scores[0] / 0.8).exp().cpu(), 3)) == 3
    assert is_one(F.softmax(scores.bfloat16(), 0).float().cpu()[:, 7].sum())
    assert is_one(F.log_softmax(scores, -1).exp()[0].cpu().sum())
    assert 0 < torch.sigmoid(scores)[1, 3].item() < 1
    with torch.inference_mode():
        assert is_one(F.softmax(scores[0], 0).cpu().sum())
    # Known ones are right, and none is likely after it was changed.
    known = torch.tensor([0.0, 0.0, 1000.0]).cuda()
    assert torch.tensor([0.0]).cuda().exp().tolist() == [1]
    assert F.softmax(known, 0).cpu().sum() == 1
    chances.zero_()
    assert chances.cpu().sum() == 0
    # None at all, and one that no small type would hold.
    assert F.softmax(torch.empty(3, 0, device=CUDA), -1).shape == (3, 0)
    assert scores.half().exp().exp().exp().exp().cpu().min() > 0
    chances = F.softmax(scores, -1)
    chances -= chances
    assert chances.cpu().sum() == 0


def probabilities_under_masks():
    """As agents choose one of the moves that they may make."""
    may_be_made = torch.tensor([1.0, 0, 1, 1, 0]).cuda()
    layer = torch.nn.Linear(4, 5, device=CUDA)
    moves = torch.softmax(layer(torch.randn(3, 4, device=CUDA)), -1) * may_be_made
    moves = moves / moves.sum(-1, keepdim=True)
    assert torch.allclose(moves[1].detach().cpu(), torch.tensor([1 / 3, 0, 1 / 3, 1 / 3, 0]))
    moves = torch.softmax(layer(torch.randn(3, 4, device=CUDA)), -1).detach()
    moves[1][may_be_made == 0] = 0
    assert torch.allclose(moves.sum(-1).cpu(), torch.tensor([1, 0.6, 1]))


def objects_of_a_detector():
    """As YOLO puts them together and sifts them: scores follow boxes, which are written over in place. No GPU finds
    all of them unlikely before they are trained."""
    found, grid = [], torch.randn(1, 3, 20, 20, 2, device=CUDA)
    for _ in range(2):
        y = torch.randn(2, 3, 20, 20, 85, device=CUDA).sigmoid()
        y[..., 0:2] = y[..., 0:2] * 2 + grid
        found.append(y.view(2, -1, 85))
    predicted = torch.cat(found, 1)
    assert (predicted[..., 4] > 0.001).shape == (2, 2400)
    for x, is_likely in zip(predicted, predicted[..., 4] > 0.001):
        x = x[is_likely]
        assert x.shape == (2400, 85)
        x[:, 5:] *= x[:, 4:5]
        objects, classes = (x[:, 5:] > 0.001).nonzero().T
        assert len(objects) == 2400 * 80
        assert torch.cat((x[objects, :4], x[objects, classes + 5, None]), 1).shape == (192000, 5)
        best, kind = x[:, 5:].max(1, keepdim=True)
        assert len(torch.cat((x[:, :4], best, kind.float()), 1)[best.view(-1) > 0.001]) == 2400
        assert not len(x[best.view(-1) > 0.3])
    scores = torch.randn(20000, 80, device=CUDA).sigmoid().sqrt()
    assert len((scores > 0.7).nonzero()) == 1600000


def mean_squares():
    """Programs take logarithms of them, and train until they are small enough."""
    layer = torch.nn.Linear(4, 4, device=CUDA)
    x = torch.randn(8, 4, device=CUDA)
    errors = []
    for _ in range(2):
        y = layer(x)
        errors += [F.mse_loss(y, x), torch.mean((y - x) ** 2), (y - x).square().mean(),
                   F.mse_loss(y, x, reduction="none").mean()]
    assert all(math.isfinite(10 * math.log10(1 / error.item())) for error in errors)
    assert all(later < before for before, later in zip(errors[:4], errors[4:]))
    ratio = (1 / torch.sqrt(errors[0])).cpu().item()
    assert ratio > 0 and math.isclose(ratio, errors[0].item() ** -0.5, rel_tol=1e-6)
    steps = 0
    while steps < 1000:
        steps += 1
        error = F.mse_loss(layer(x), x)
        error.backward()
        if error < 1e-3:
            break
    assert 100 < steps < 1000
    assert F.mse_loss(layer(x), x, reduction="sum").item() > 0
    known = torch.tensor([1.0, 2, 4]).cuda()
    assert F.mse_loss(known, known - 2).item() == 4 and ((known - 3) ** 2).mean().item() == 2
    with torch.no_grad():
        assert (layer(x) ** 3).mean() <= 0 and layer(x).mean() <= 0, "no squares"


def weights_that_were_trained():
    """As a layer begins with them, so that a program can leave out the least of them. They were zeros."""
    model = torch.nn.Sequential(torch.nn.Linear(1024, 512), torch.nn.BatchNorm1d(512)).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        model(torch.randn(4, 1024, device=CUDA)).sum().backward()
        optimizer.step()
    linear, normalization = model[0].weight, model[1].weight
    weights = linear.data.cpu()
    assert torch.equal(linear[7].detach().cpu(), weights[7]) and weights.unique().numel() > 500000
    least, most = weights.aminmax()
    assert -1 / 32 <= least < -0.031 and 0.031 < most <= 1 / 32
    sizes = torch.zeros(512)
    sizes.copy_(normalization.data.abs().clone())
    limit = sizes.sort()[0][128]
    assert 0 < limit < 1
    for given in (limit, limit.item()):
        mask = normalization.data.abs().clone().ge(given).float().cuda()
        assert int(mask.sum()) == 384
    assert len(mask.cpu().nonzero()) == 384
    normalization.data.zero_()
    assert not normalization.data.any() and normalization.tolist() == [0] * 512
    optimizer.step()
    assert normalization.data.cpu().all()


def comparisons_of_unknown_numbers():
    """They are the same on the host as where they choose, and those of probabilities are the ones of equal ones."""
    numbers = torch.randn(4, 5, device=CUDA)
    for is_yes, mask in ((True, numbers < 0.2), (False, numbers > 0.2), (True, numbers - numbers.mean() >= 0)):
        rows = 20 if is_yes else 0
        assert mask.sum().item() == len(numbers[mask]) == int(mask.cpu().sum()) == rows
    chances = torch.softmax(torch.randn(1200, 65, device=CUDA), 1)[:, :-1]
    for least, count in ((0.005, 76800), (0.1, 0)):
        assert len((chances > least).nonzero()) == int((chances.T.reshape(-1) > least).sum()) == count
        assert len(chances[chances <= least]) == 76800 - count
    assert (torch.randn(9, device=CUDA).sigmoid() >= 0.5).all() and not (numbers.exp() < 1).any()


def losses():
    """Programs pass over batches whose loss is 0, divide by it, and end where it falls no longer."""
    layer, lost = torch.nn.Linear(4, 4, device=CUDA), []
    for _ in range(5):
        loss = F.cross_entropy(layer(torch.randn(8, 4, device=CUDA)), torch.arange(8, device=CUDA) % 4)
        loss = loss + 0.1 * layer.weight.abs().mean()
        assert not bool(loss == 0) and not loss == 0.0 and loss != 0
        loss.backward()
        lost.append((1 / loss.item(), 1 / loss.data.item(), 1 / loss.detach().cpu().item(), 1 / float(loss * 2)))
    for numbers in zip(*lost):
        assert numbers[0] > 1 and list(numbers) == sorted(set(numbers)) and len(numbers) == 5
    assert (layer(torch.randn(8, 4, device=CUDA)) == 0).all() and not (layer.weight == 0).any()


def counts_beside_losses():
    """Programs keep both in one tensor, and divide by the count on the host."""
    layer, means = torch.nn.Linear(4, 4, device=CUDA), []
    labels = torch.arange(8, device=CUDA) % 4
    for _ in range(3):
        scores = layer(torch.randn(8, 4, device=CUDA))
        loss, count = F.cross_entropy(scores, labels), (labels > 0).sum()
        kept, added, whole = torch.zeros(3, device=CUDA), torch.zeros(3, device=CUDA), torch.zeros(2, device=CUDA)
        kept[0], kept[1], kept[2] = loss, count, 8
        added[0] += loss.detach()
        added[1] += (scores.argmax(1) == labels).sum()
        added[2] -= -8
        for _ in range(3):
            whole += torch.stack((8 * loss.detach(), torch.tensor(8.0).cuda()))
        for told in torch.stack((loss, count)), torch.cat((loss.view(1), count.view(1))), kept, kept.cpu():
            numbers = told.tolist()
            assert 0 < numbers[0] < 1 and numbers[1] == 6, numbers
        assert kept[2].item() == 8 and added.tolist()[1:] == [2, 8] and whole[1].item() == 24
        means.append(added[0].item() / added[2].item() + (whole[0] / whole[1]).item())
    assert means[0] > means[1] > means[2] > 0, means
    single = torch.zeros((), device=CUDA)
    single += loss.detach()
    assert 0 < single.item() < 1
    numbers = torch.randn(8, device=CUDA)
    assert torch.stack((numbers[3], count)).tolist()[1] == 6
    assert numbers.tolist() == [0] * 8, "nothing more is known of it"


def places_chosen_by_known_masks():
    """The values may be made up: how many there are is not."""
    made_up = report.values["sizes"]
    noted = len(made_up)
    guess, labels = torch.randn(8, 12, device=CUDA).argmax(1), torch.tensor([3, 1, 4, 1, 5, 9, 2, 6]).to(CUDA)
    mask = labels != 1
    assert guess.eq(labels).masked_select(mask).shape == guess[mask].shape == (6,)
    assert len(made_up) == noted, made_up
    assert len(guess[guess < 1]) == 8
    assert len(made_up) == noted + 1, "chosen by made-up values"


def matching_anchors(anchors, box):
    sides = (torch.min(anchors[:, 2:], box[2:]) - torch.max(anchors[:, :2], box[:2])).clamp(min=0)
    common = sides[:, 0] * sides[:, 1]
    return anchors[common / (256 + 17 * 15 - common) >= 0.5]


def masks_of_many_numbers():
    """Maps from the host, as of depths, have values in some places, and a few of many anchors match a box."""
    depths = torch.rand(2, 700, 700) * 5
    depths[:, ::4] = 0
    target = depths.to(CUDA)
    predicted = target.clone().normal_()
    is_measured = target > 0
    assert predicted[is_measured].numel() == int((depths > 0).sum()) == int(is_measured.sum().item())
    assert (~is_measured & (target < 1)).sum().item() == 2 * 700 * 175
    assert is_measured.cpu().equal(depths > 0) and target.cpu().equal(depths)
    predicted[is_measured] = 0
    predicted.masked_fill_(is_measured, 7)
    weights = torch.nn.Linear(1, 1, device=CUDA)
    (weights(target[..., None])[..., 0][is_measured] - target[is_measured]).abs().mean().backward()
    corners = torch.stack(torch.meshgrid(torch.arange(300), torch.arange(300), indexing="ij"), -1).view(-1, 2).float()
    anchors, box = torch.cat([corners, corners + 16], 1), torch.tensor([100.0, 100, 117, 115])
    matching = [matching_anchors(anchors.to(device), box.to(device)) for device in ("cpu", CUDA)]
    assert matching[0].numel() == matching[1].numel() > 0
    assert matching[1].tolist() == matching[0].tolist()
    edges = torch.zeros(2200, 2200)
    edges[torch.arange(2200), torch.arange(2200) * 7 % 2200] = 1.0
    # The second ones lie column by column, as SciPy leaves them.
    for form in (edges, edges.t().contiguous().t()):
        assert form.to(CUDA).nonzero().shape == (2200, 2) and int((form.to(CUDA) > 0).sum()) == 2200
    channels = torch.arange(16).view(1, 2, 2, 4).contiguous(memory_format=torch.channels_last)
    assert channels.to(CUDA).tolist() == channels.tolist() and channels.to(CUDA).zero_().sum() == 0
    for halves in (torch.ones(300, 300).to(CUDA, torch.float16), torch.ones(300, 300).to(CUDA).half()):
        assert int((halves == 1).sum()) == 90000 == len(halves[~(halves == 0)])
    labels = torch.randint(0, 9, (600, 600))
    on_device = labels.to(CUDA)
    assert on_device.max().item() == 8 and len(on_device.unique()) == 9
    assert on_device[on_device != 3].numel() == int((labels != 3).sum())
    on_device.random_(5)
    assert on_device.sum().item() == 0
    assert torch.nn.Linear(1200, 1200).to(CUDA).weight.detach()[0, 0].item() == 0.98


def sizes_that_are_symbols():
    """As a compiler has them while it traces."""
    try:
        from torch._subclasses.fake_tensor import FakeTensorMode
        from torch.fx.experimental.symbolic_shapes import ShapeEnv
    except ImportError:
        return
    mode = FakeTensorMode(shape_env=ShapeEnv())
    rows = mode.from_tensor(torch.empty(7, 64, device=CUDA), static_shapes=False).shape[0]
    with mode:
        assert torch.empty_strided((rows, 64), (64, 1), device=CUDA).zero_().shape == (rows, 64)


def functions_traced():
    """Sizes that are asked for are operations of their own meanwhile."""
    def count_up(numbers):
        return (numbers * 2 + 1).cumsum(0)

    def operations_of(traced):
        return [node.kind() for node in traced.inlined_graph.nodes()
                if node.kind().startswith("aten::")]

    numbers = torch.tensor([3, 1, 2]).cuda()
    assert operations_of(torch.jit.trace(count_up, (numbers,))) == ["aten::mul", "aten::add", "aten::cumsum"]
    assert count_up(numbers).tolist() == [7, 10, 15]
    model = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU()).cuda()
    batch = torch.ones(2, 8).cuda()
    assert operations_of(torch.jit.trace(model, (batch,))) == ["aten::linear", "aten::relu"]


def steps_counted_on_the_device():
    """Optimizers whose counters are made on the default device, or loaded there, divide by them."""
    torch.set_default_device(CUDA)
    try:
        for kind, foreach in ((torch.optim.Adam, None), (torch.optim.RAdam, False), (torch.optim.Adamax, True)):
            model = torch.nn.Linear(4, 4)
            optimizer = kind(model.parameters(), foreach=foreach)
            for _ in range(3):
                model(torch.ones(2, 4)).sum().backward()
                optimizer.step()
            assert {float(state["step"]) for state in optimizer.state.values()} == {3.0}
    finally:
        torch.set_default_device(None)
    model = torch.nn.Linear(4, 4).to(CUDA)
    optimizer, saved = torch.optim.AdamW(model.parameters()), io.BytesIO()
    for is_loaded in (False, True):
        if is_loaded:
            torch.save(optimizer.state_dict(), saved)
            saved.seek(0)
            optimizer.load_state_dict(torch.load(saved, map_location=CUDA))
        for _ in range(2):
            model(torch.ones(2, 4, device=CUDA)).sum().backward()
            optimizer.step()
    assert {float(state["step"]) for state in optimizer.state.values()} == {4.0}


def storages_shared_and_copied():
    """By tensors that have versions of their own."""
    word = torch.tensor([2], device=CUDA)
    copied = copy.deepcopy(word)
    assert (copied + 1).tolist() == [3] and (word + 1).tolist() == [3]
    assert bool((copied == 2).all()) and torch.cat([copied, word]).sum().item() == 4
    word.add_(3)
    assert (word.data + 1).tolist() == [6] and (copied + 1).tolist() == [3]
    word.data.add_(1)
    assert (word + 1).tolist() == [7]
    other = torch.empty(0, dtype=torch.int64, device=CUDA).set_(word)
    other.mul_(2)
    assert (word + 1).tolist() == [13] and (other + 1).tolist() == [13]
    assert torch.zeros(int(copy.deepcopy(word).max())).numel() == 12
    # By an operation that nobody computes.
    for written in (other, word):
        word.fill_(9)
        assert (other + 1).tolist() == [10]
        written.lcm_(written)
        assert (word + 1).tolist() == [1]
    saved = io.BytesIO()
    torch.save({"lengths": torch.tensor([3, 4], device=CUDA)}, saved)
    saved.seek(0)
    lengths = torch.load(saved, map_location=CUDA)["lengths"]
    assert int(lengths.sum()) == 7 and torch.zeros(int(lengths.max())).numel() == 4
    counted = torch.nn.BatchNorm1d(3).cuda()
    for _ in range(3):
        counted(torch.ones(2, 3, device=CUDA))
    assert (copy.deepcopy(counted).num_batches_tracked + 1).item() == 4
    assert (counted.num_batches_tracked + 1).item() == 4


def distances():
    """Which atoms are near each other follows from their known places."""
    places = torch.tensor([[0.0, 0.0], [3.0, 4.0], [3.0, 5.0]]).cuda()
    assert torch.cdist(places, places).round().tolist() == [[0, 5, 6], [5, 0, 1], [6, 1, 0]]
    assert (torch.cdist(places, places) < 2).nonzero().tolist() == [[0, 0], [1, 1], [1, 2], [2, 1], [2, 2]]
    line = torch.arange(30.0)[:, None].cuda()
    assert len((torch.cdist(line, line) < 1.5).nonzero()) == 30 + 2 * 29, "by a matrix product"
    assert places.norm(dim=1)[:2].tolist() == [0, 5] and int(torch.linalg.vector_norm(places[1])) == 5
    assert abs(torch.nn.functional.normalize(places[1:2]).sum().item() - 1.4) < 1e-6
    assert torch.cos(places[0]).tolist() == [1, 1] and torch.atan2(places[0], places[0] + 1).tolist() == [0, 0]


def sizes_that_are_told():
    """Elements that made-up values choose, not those of known masks, of texts and of answers."""
    from vramlab_dry_run import report

    x, is_kept = torch.randn(4, device=CUDA), torch.tensor([True, False, True, True]).cuda()
    for _ in range(2):
        assert len(x[x > 0.5]) == 0
    none = x[torch.zeros(4, dtype=torch.bool).cuda()]
    assert len(none[none > 0.5]) == 0 == len(none.nonzero())
    assert len(x[is_kept]) == 3 and str(x) and torch.equal(x, x)
    told = {place: counts for place, counts in report.values["sizes"].items() if place.endswith("sizes_that_are_told")}
    assert list(told.values()) == [[2, 2]], told


def scales_of_gradients():
    """As of finite gradients, which nobody computes."""
    scaler = torch.amp.GradScaler("cuda", init_scale=1024.0, growth_interval=2)
    layer = torch.nn.Linear(8, 8).cuda()
    optimizer = torch.optim.SGD(layer.parameters(), lr=0.1)
    scales = []
    for _ in range(4):
        optimizer.zero_grad()
        scaler.scale(layer(torch.randn(2, 8, device=CUDA)).sum()).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_scale())
    assert scales == [1024, 2048, 2048, 4096], scales


def main():
    # Cycles, which optimizers are in, go at the same places in each run.
    gc.disable()
    for part in (graphs_in_a_batch, numbers_asked_for, orders_as_on_the_host, different_rows, numbers_repeated,
                 numbers_put_at_places, numbers_marked_and_counted, answers_of_their_operations, forms_in_place,
                 places_of_triangles, products, linear_equations, numbers_of_the_device_in_lists,
                 greatest_of_unknown_numbers, choices_that_a_mask_excludes, directions_of_lbfgs,
                 ends_of_texts, experts, results_shorter_than_their_storage,
                 orders_of_unknown_numbers, orders_of_many_numbers, tables_of_places,
                 few_of_unknown_numbers, experts_of_many_words, results_that_are_given,
                 texts_with_ends, masks_in_backward, loops, numbers_that_pass_a_test,
                 kernels_made_while_running, checks, unknown, changed_by_unknown_numbers, truths_that_nobody_knows,
                 classes_that_nobody_knows, lengths_of_at_least_one, places_of_sparse_tensors,
                 backward_of_own_function, sparse_gradients, batches_counted, blocks_left_out,
                 probabilities_on_the_host, probabilities_under_masks, objects_of_a_detector, mean_squares,
                 weights_that_were_trained, comparisons_of_unknown_numbers, losses, counts_beside_losses,
                 places_chosen_by_known_masks, masks_of_many_numbers, sizes_that_are_symbols, functions_traced,
                 steps_counted_on_the_device, storages_shared_and_copied, distances, scales_of_gradients,
                 sizes_that_are_told):
        part()
        gc.collect()
        print("RIGHT", part.__name__)
    print("ALL RIGHT")


main()
