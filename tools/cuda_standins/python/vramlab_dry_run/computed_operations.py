"""The operations of PyTorch that are computed for known values (computed.py), by their names in
aten. All overloads of a name count that have kernels of their own: what is made of others is seen
when it calls those. Operations that only make views are not here, as views share what is known.
"""

import math
import operator
import struct

COMPARED = """
    eq ne lt le gt ge logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor
    bitwise_not __and__ __or__ __xor__ __lshift__ __rshift__ bitwise_left_shift bitwise_right_shift
    isnan isposinf isneginf isin equal
""".split()

# Comparisons with a number, or with a tensor that is one.
COMPARED_WITH_NUMBER = {"eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "gt": operator.gt,
                        "le": operator.le, "ge": operator.ge}
# Their answer for a single number that does not equal the other.
OF_OTHERS = {"eq": 0, "ne": 1}

CALCULATED = """
    add sub rsub mul div floor_divide remainder fmod neg abs sign sgn maximum minimum clamp clamp_min
    clamp_max floor ceil round trunc frac where pow sqrt exp log log2 reciprocal gcd sin cos tan asin
    acos atan atan2 hypot linalg_vector_norm _cdist_forward _softmax _log_softmax lerp addcmul addcdiv
    nan_to_num erf erfc lgamma digamma logaddexp xlogy copysign heaviside logit expm1 log1p log10 exp2 rsqrt
    mse_loss
""".split()

PRODUCTS = "mm bmm dot addmm baddbmm addmv".split()

# The place of the one that may be sparse: its elements at the same place become one first, which has to be seen.
SPARSE_FACTORS = {"mm": 0, "bmm": 0, "mv": 0, "addmm": 1, "addmv": 1}

# Beside what they compute, they write over copies of their arguments in ways that nobody tells.
LINEAR_ALGEBRA = """
    linalg_inv_ex _linalg_solve_ex _linalg_det _linalg_slogdet linalg_cholesky_ex linalg_lu_factor_ex
    linalg_lu linalg_lu_solve linalg_qr linalg_solve_triangular _linalg_eigh linalg_eig linalg_eigvals
    _linalg_svd cholesky cholesky_inverse _cholesky_solve_helper triangular_solve linalg_ldl_factor_ex
    linalg_ldl_solve linalg_householder_product geqrf ormqr linalg_lstsq linalg_matrix_exp
""".split()

REDUCED = """
    sum mean var std var_mean std_mean prod max min amax amin aminmax any all argmax argmin cumsum cumprod cummax cummin
    _cummax_helper _cummin_helper count_nonzero logcumsumexp _logcumsumexp median mode kthvalue
""".split()

SORTED_AND_FOUND = """
    sort topk nonzero nonzero_static unique_dim unique_consecutive _unique _unique2 bincount histc
    searchsorted bucketize _convert_indices_from_coo_to_csr _convert_indices_from_csr_to_coo
""".split()

PICKED_AND_PLACED = """
    index index_select gather take masked_select masked_fill masked_scatter index_put _index_put_impl_
    _unsafe_index _unsafe_index_put _unsafe_masked_index put index_fill index_add index_copy
    index_reduce scatter scatter_add scatter_reduce flip roll repeat_interleave tril triu cat stack
    _stack tril_indices triu_indices
""".split()

FILLED = "fill zero arange linspace eye range".split()

# They give a tensor another form in place.
FORMING = "transpose_ t_ squeeze_ unsqueeze_ as_strided_ resize_".split()

# They put single numbers beside others: statistics of a step, of which some are known.
JOINING = frozenset(("cat", "stack", "copy_", "add_.Tensor", "sub_.Tensor"))

# It draws places by their probabilities.
DRAWING = "multinomial"

# They have no tensors.
PLACES_ALONE = ("tril_indices", "triu_indices")


def places_written(base, args):
    """The places, or the mask of those, that get another number; None where that is not said by one tensor."""
    if base == "scatter_":
        return args[2]
    if base in ("index_put_", "_index_put_impl_") and len(args[1]) == 1 and not any(args[3:4]):
        return args[1][0]
    return None


def chosen_classes(name, args):
    """The class of each row and how many there are, where a one is put at the class of each row of zeros
    (`one_hot`); else None."""
    if name != "scatter_.value" or args[3] != 1 or args[2].shape != (*args[0].shape[:-1], 1) or \
            args[1] not in (-1, args[0].dim() - 1) or not args[0].is_contiguous() or args[0].storage_offset():
        return None
    return args[2].contiguous(), args[0].shape[-1]


# Scores as low as this exclude what they belong to.
MOST_EXCLUDED = -1e4


def _number_in(tensor):
    return tensor.item() if not tensor.is_cuda and not tensor.dim() else None


def _put_by_mask(indices, values, accumulate=False, *_):
    return indices[0], None if len(indices) != 1 or accumulate else _number_in(values)


# They put such a score where a mask says yes: the mask and the number, by their arguments after the scores.
EXCLUDING = {
    "masked_fill.Scalar": lambda mask, number: (mask, number),
    "masked_fill_.Scalar": lambda mask, number: (mask, number),
    "masked_fill.Tensor": lambda mask, number: (mask, _number_in(number)),
    "masked_fill_.Tensor": lambda mask, number: (mask, _number_in(number)),
    "index_put_": _put_by_mask,
    "_index_put_impl_": _put_by_mask,
}

# They are made of others, which would begin with a result that nobody knows.
MADE_OF_UNCOMPUTED = ["_euclidean_dist", "abs", "mv"]

# It makes one element of those of a sparse tensor that have the same place.
COALESCING = "_coalesce"

COMPUTED = COMPARED + CALCULATED + PRODUCTS + LINEAR_ALGEBRA + REDUCED + SORTED_AND_FOUND + PICKED_AND_PLACED + \
    FILLED + MADE_OF_UNCOMPUTED

# Their results may have many more elements than their arguments.
SPREADING = frozenset(COMPARED + CALCULATED + PRODUCTS + ["_euclidean_dist"])
# Elements up to which such a result is computed, and the multiplications of a product.
MOST_SPREAD = 1 << 20
MOST_MULTIPLIED = 1 << 22


def is_spread_too_far(base, args):
    """Whether a result is so large that nobody would read it, or takes long."""
    shapes = [arg.shape for arg in args if hasattr(arg, "shape")]
    if len(shapes) < 2 or shapes[-1].numel() * shapes[-2].numel() <= MOST_SPREAD and base not in PRODUCTS:
        return False
    if base in PRODUCTS:
        first, second = shapes[-2:]
        columns = second[-1] if len(second) > 1 else 1
        return first.numel() * columns > MOST_MULTIPLIED
    if base in ("_cdist_forward", "_euclidean_dist"):
        return shapes[0][:-1].numel() * shapes[1][-2] > MOST_SPREAD
    most = max(len(shape) for shape in shapes)
    sizes = ((1,) * (most - len(shape)) + tuple(shape) for shape in shapes)
    return math.prod(map(max, zip(*sizes))) > max(MOST_SPREAD, *(shape.numel() for shape in shapes))


# Their first argument gets other values, whatever it had.
OVERWRITTEN = ("fill_", "zero_", "copy_")

# They change many tensors at once, or draw numbers, and their name ends so: tensors of the inference mode
# have no versions to tell it. Those of batches change tensors that their schema does not name.
_CHANGING_WORDS = ("_foreach_", "_fused_", "_amp_", "random_", "uniform_", "normal_", "bernoulli_", "exponential_",
                   "geometric_", "cauchy_")


def changes(base):
    """Whether the operation with this name, without its overload, is one of these."""
    return "batch_norm" in base or base.endswith("_") and any(word in base for word in _CHANGING_WORDS)


# The one number that they read from the device in mid-operation is how many they found: the size of
# their first result in the dimension that this argument says, or in the first one.
FOUND_COUNTS = {"nonzero": None, "masked_select": None, "_unique": None, "_unique2": None, "unique_consecutive": 3,
                "unique_dim": 1}


def found_count(base, args, first_result):
    """None for operations that find nothing."""
    if base not in FOUND_COUNTS:
        return None
    place = FOUND_COUNTS[base]
    dim = args[place] if place is not None and place < len(args) else None
    return first_result.shape[dim or 0]



def _least_and_most(args, result):
    """Bytes are never negative, so nobody asks for the least of them. Of numbers of 64 bits, any answers do
    that lead to this result."""
    if args[0].dtype.itemsize == 8:
        return [0, result.numel() - 1]
    least, most = args[0].aminmax()
    return [int(most)] if args[0].dtype.itemsize == 1 and not args[0].dtype.is_signed else [int(least), int(most)]


def _count_of_repeated(args, result):
    """Rows of more than one dimension are repeated as their counts say, which are the second argument then."""
    return [result.numel() if result.dim() == 1 else int(args[1].sum()), 1]


def _bits_of_least_and_most(args, _):
    """The limits of a histogram that is given none."""
    if len(args) > 3 and args[2] < args[3]:
        return []
    form = {"torch.float32": "<f", "torch.float64": "<d"}.get(str(args[0].dtype), "<q")
    return [int.from_bytes(struct.pack(form, limit.item()), "little") for limit in args[0].aminmax()]


def _count_of_yes(args, _):
    """How many truths are yes, instead of how many different ones there are; None for numbers."""
    return [int(args[0].sum())] if str(args[0].dtype) == "torch.bool" else None


# The numbers that they read from the device in mid-operation, in this order, by their arguments and
# results on the host; None where it is the one of FOUND_COUNTS. repeat_interleave asks how many it finds, and whether no count is negative: by
# a truth or by the least, for which 1 is an answer, too.
NUMBERS_READ = {
    "bincount": _least_and_most,
    "histc": _bits_of_least_and_most,
    "repeat_interleave": _count_of_repeated,
    "one_hot": lambda args, result: [result.shape[-1] - 1],
    "repeat": lambda args, result: [],
    "equal": lambda args, result: [int(result)],
    "_unique": _count_of_yes,
    "_unique2": _count_of_yes,
}


def _picked(run):
    """One tensor of places or a mask picks as brackets do."""
    def picked(tensor, indices):
        if len(indices) != 1 or indices[0] is None or not indices[0].dim():
            return run(tensor, indices)
        return tensor[indices[0]]

    return picked


# Operations whose functions for Python take the same arguments, and cost less than calling the overload. The first
# ones take numbers for tensors as well.
TAKING_NUMBERS = "add sub mul div floor_divide".split()
_FOR_PYTHON = frozenset("""
    abs sum sum.dim_IntList mean mean.dim cat stack cumsum gather index_select max max.dim min min.dim argmax argmin
    any all where.self minimum maximum logical_and logical_or logical_not bitwise_and.Tensor bitwise_or.Tensor
    eq.Tensor ne.Tensor lt.Tensor le.Tensor gt.Tensor ge.Tensor sort.stable topk masked_select _unique2
    unique_dim unique_consecutive bincount histc multinomial nonzero repeat_interleave.Tensor
    repeat_interleave.self_Tensor
""".split())


# Such a function that tensors alone have.
_OF_TENSORS = "repeat"


def function_for_python(torch, name):
    """The one of the overload with this name; None where the overload itself is to be called."""
    base, _, overload = name.partition(".")
    if base.rstrip("_") in TAKING_NUMBERS and not overload.startswith("Scalar"):
        return getattr(torch._C.TensorBase if base.endswith("_") else torch._C._VariableFunctions, base)
    if name == _OF_TENSORS:
        return getattr(torch._C.TensorBase, base)
    return getattr(torch._C._VariableFunctions, base) if name in _FOR_PYTHON else None


def shortest_way(name, plain):
    """A function that does the same for plain tensors as `plain`, which does it for all."""
    return _picked(plain) if name == "index.Tensor" else plain


# The place of their masks.
MASKS = {"index": 1, "index_put_": 1, "_index_put_impl_": 1, "_unsafe_index": 1}

# They ask the device in their middle by other operations, which have to be seen.
ASKING_OTHERS = """
    index index_put _index_put_impl _unsafe_index _unsafe_index_put masked_select masked_scatter
    repeat_interleave nonzero _unique _unique2 unique_consecutive unique_dim bincount histc equal copy
    nonzero_static
""".split()


# They are made of others, and computed at once where all that they are given is known.
COMPUTED_AT_ONCE = ("repeat_interleave.self_Tensor", "one_hot", "repeat")

# Their second argument is a mask, or begins with one that chooses: whether their count is made up, goes by it alone.
CHOOSING = ("masked_select", "index")

# Their results have as many elements as they ask for.
ASKING_SIZES = frozenset("""
    index _unsafe_index masked_select repeat_interleave nonzero _unique _unique2 unique_consecutive unique_dim
    bincount
""".split())

# Unknown integers that they count are zeros, even where nothing else is known, and unknown truths are those
# that the driver counts. any() is none of them, as programs ask by it whether something is wrong.
COUNTING_INTEGERS = "_unique _unique2 unique_consecutive unique_dim bincount".split()
COUNTING_TRUTHS = "sum count_nonzero".split()


def _order_of_sorted(result, tensor, dim=-1, *_, **more):
    return result[1], tensor, more.get("dim", dim)


def _order_of_chosen(result, tensor, count, dim=-1, *_, **more):
    return result[1], tensor, more.get("dim", dim)


# Results that are places of numbers, the tensor among whose numbers, and the dimension, by results and arguments.
ORDERS = {
    "sort.stable": _order_of_sorted,
    "topk": _order_of_chosen,
    "randperm.generator_out": lambda result, *_, **more: (result, result, 0),
}

# The places of the greatest or least numbers are this result of several, or the only one.
GREATEST_AT = {"max.dim": 1, "min.dim": 1, "argmax": None, "argmin": None}

# Whether all of some values hold: the driver answers yes for unknown ones, but for a single value there is no
# kernel by which it would know the question.
ALL_HOLD = ("all", "all.dim", "all.dims")

# Attention: the numbers that it fills and copies for itself are seen by nobody.
ALONE = """
    _scaled_dot_product_flash_attention _scaled_dot_product_efficient_attention
    _scaled_dot_product_cudnn_attention
""".split()

# Operations between ranks (c10d).
SENDING_NO_VALUES = ("barrier", "monitored_barrier_", "check_for_nan")
