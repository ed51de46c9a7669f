"""--values computed, ones and random: operations on small tensors whose values are known are computed on the host,
beside the stand-in, and what the program reads of them is right. Integers that nobody knows and that
meet known values are zeros from then on, and what follows from them is computed too, but noted as
made up.

A dispatch key of PyTorch's that PyTorch itself does not use is switched on in the program's thread,
with kernels of ours for a list of operations. Each calls the operation itself, so the device's memory
sees what it always sees, and the same operation on the known values. All other operations pass by
without a detour. It is off in backward passes, and in the steps of PyTorch's own optimizers.
"""

import contextlib
import ctypes
import functools
import itertools
import math
import os
import sys
import threading

from vramlab_dry_run import (computed_modules, computed_operations, detection, host_numbers,
                             import_watch, known_values, likely_values, quiet_modules, report, trained_weights,
                             typed_answers)

_KEY_NAME = "DeferredInit"

# Elements of a tensor up to which it is computed.
MOST_ELEMENTS = known_values.MOST_ELEMENTS
# Places up to which a router's are made up, for each of its words several.
_MOST_CHOSEN = 1 << 19
# Elements up to which a tensor is none of the large ones.
_MOST_SMALL = 1 << 15
# Floating-point numbers up to which modules look for known ones, and scores are made up.
MOST_FLOATS = 1 << 12

_NUMBERS = frozenset((int, float, bool, complex))
# By their bytes.
_INTEGERS = {1: ctypes.c_int8, 2: ctypes.c_int16, 4: ctypes.c_int32, 8: ctypes.c_int64}
_UNCHANGED_ON_HOST = _NUMBERS | {type(None)}

# Answers. What an operation found is known, too.
UNKNOWN, MADE_UP, FOUND, KNOWN = range(4)

# Draws after which the next one is like the first: more would reach the special words of a small vocabulary.
_TURNS = 7

# Statistics of a step that a program keeps in one tensor.
_MOST_STATISTICS = 64

# Numbers that are kept as tensors of the host.
_MOST_NUMBERS = 256
_MOST_OF_INT64 = 2**63 - 1
# How many an operation found, or the numbers that it reads, and whether that is made up.
_FOUND_NOTHING = (None, False)
# The same of operations that read no numbers.
_READS_NOTHING = ([], False)
_NO_ARGUMENTS = {}

_mode = None


class _Unknown(Exception):
    """A value that would be needed."""


def is_asked_for():
    return os.environ.get("VRAMLAB_DRY_RUN_VALUES") in ("computed", "ones", "random")


@report.guarded
def prepare(torch):
    """Called in the middle of `import torch`, in the thread whose operations are computed: a key that
    is switched on inside of PyTorch's inference mode would be off after it."""
    global _mode
    if is_asked_for():
        _mode = _Mode(torch)
        _mode.switch(True)


@report.guarded
def begin():
    """Called when CUDA has come up."""
    if _mode is not None:
        _mode.begin()


def answer(to, count, source):
    """How far the bytes of a copy to the host are known. They are written, unless they are unknown."""
    mode = _mode
    if mode is None or threading.get_ident() != mode.thread:
        return UNKNOWN
    if mode.quiet is not None:
        mode.quiet.has_read()
    if mode.reads is not None:
        entry = mode.known.read(mode.reads, source, to, count)
    elif mode.found is None and mode.known is not None:
        # Some of PyTorch's own functions read with all keys switched off: torch.tensor([x]).
        entry = mode.known.read_unseen(source, to, count)
    else:
        entry = None
    if entry is not None:
        return MADE_UP if entry.is_made_up else KNOWN
    if not mode.write_found(to, count):
        return UNKNOWN
    return MADE_UP if mode.found_is_made_up else FOUND


def note_given():
    """The user or a rule gave the bytes that are read now."""
    if _mode is not None and threading.get_ident() == _mode.thread:
        _mode.is_given = True


def is_asking():
    """Whether an operation asks how much of unknown values it chooses."""
    mode = _mode
    return mode is not None and mode.is_asking and threading.get_ident() == mode.thread


def is_of_size():
    """Whether an operation reads in its middle how many elements its result will have, and that is made up."""
    mode = _mode
    return mode is not None and (mode.is_asking or mode.found_is_made_up) and mode.asks_size and \
        threading.get_ident() == mode.thread


class _Mode:
    def __init__(self, torch):
        self.torch = torch
        self.known = None
        # The modules that are left out, where calls of modules are seen.
        self.quiet = None
        self.key = torch._C._dispatch_key_parse(_KEY_NAME)
        # Whether operations are seen in this thread.
        self.switch = functools.partial(torch._C._dispatch_tls_set_dispatch_key_included, self.key)
        self.keys_after = torch._C._dispatch_keyset_full_after(self.key)
        self.has_dispatch_modes = torch._C._len_torch_dispatch_stack
        self.has_function_modes = torch._C._is_torch_function_mode_enabled
        self.has_transforms = torch._C._functorch.peek_interpreter_stack
        self._is_stream_capturing = torch._C._cuda_isCurrentStreamCapturing
        self.find_in_one_thread = self.in_one_thread(_Computation.find)
        # Operations without a kernel of ours pass by.
        others = torch._C._dispatch_library("IMPL", "_", _KEY_NAME)
        others.fallback_fallthrough(_KEY_NAME)
        self._libraries = [others]
        self._pass_by_in_python()
        optimizers = sys.modules.get("torch.optim.optimizer")
        if optimizers is None:
            import_watch.call_after_import("torch.optim.optimizer", self._leave_out_steps)
        else:
            self._leave_out_steps(optimizers)
        # The one in which operations are computed.
        self.thread = threading.get_ident()
        # Whether operations are seen in the middle of a backward pass.
        self.is_in_backward = False
        # The innermost of our kernels under way: the values that it reads, and how many elements it
        # finds, or a list of numbers that it reads in this order.
        self.reads = None
        self.found = None
        self.found_is_made_up = False
        # Whether somebody gave the values of the copy to the host that is under way.
        self.is_given = False
        # Whether an operation is under way that asks how much of unknown values it chooses, and whether its
        # result has as many elements.
        self.is_asking = False
        self.asks_size = False

    def begin(self):
        torch = self.torch
        self.known = known_values.KnownValues(torch)
        self.likely = likely_values.LikelyValues()
        self.weights = trained_weights.TrainedWeights(torch)
        self.typed_answers = typed_answers.TypedAnswers(torch)
        self.host_numbers = host_numbers.HostNumbers(torch, self.in_one_thread)
        self.answers, self._captures_begun = self.known.driver.answers(), self.known.driver.captures_begun
        self.plain_types = frozenset((torch.Tensor, torch.nn.Parameter))
        # By number and type.
        self.numbers = {}
        self.integers = {torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8}
        # Types of tensors whose numbers are places, and no masks.
        self.places = {torch.int64, torch.int32}
        # Makers of most kernels.
        self.alone = _runs_alone(self)
        self.kernel_of_any = _kernels_of_any(self)
        self.kernel_that_forgets = _kernels_that_forget(self)
        aten = self.new_library("aten")
        all_names = torch._C._dispatch_get_all_op_names()
        for name in self._names(all_names):
            aten.impl(name, self.key, _whole_kernel_of(self, _Operation(self, "aten", name)), True)
        self._watch_ranks(all_names)
        detection.watch(self, functools.partial(_Operation, self), import_watch.call_after_import)
        self._leave_out_backward()
        self._leave_out_tracing()
        self._leave_out_modules()
        checkpoint = sys.modules.get("torch.utils.checkpoint")
        if checkpoint is None:
            import_watch.call_after_import("torch.utils.checkpoint", self._see_recomputing)
        else:
            self._see_recomputing(checkpoint)

    def new_library(self, space):
        """Kernels of ours for operations of this space."""
        library = self.torch._C._dispatch_library("IMPL", space, _KEY_NAME)
        self._libraries.append(library)
        return library

    def _watch_ranks(self, all_names):
        """Known values go to other ranks, and come from them."""
        ranks = self.new_library("c10d")
        for whole_name in all_names:
            space, _, name = whole_name.partition("::")
            if space == "c10d" and name not in computed_operations.SENDING_NO_VALUES:
                operation = _Operation(self, space, name)
                ranks.impl(name, self.key, _kernel_between_ranks(self, operation), True)

    def _pass_by_in_python(self):
        """Operations that take functions are dispatched in Python, which has a list of keys that pass
        by."""
        ops = sys.modules.get("torch._ops")
        if ops is None:
            import_watch.call_after_import("torch._ops", lambda module: self._pass_by_in_python())
            return
        ops._HIGHER_ORDER_OP_DEFAULT_FALLTHROUGH_DISPATCH_KEYS.append(self.key)
        for op in ops._higher_order_ops.values():
            op.fallthrough(self.key)

    def run_reading(self, run, reads, found):
        """`run`: without arguments. `found`: how many, and whether that is made up."""
        before = self.reads, self.found, self.found_is_made_up
        self.reads, (self.found, self.found_is_made_up) = reads, found
        try:
            return run()
        finally:
            self.reads, self.found, self.found_is_made_up = before

    def write_found(self, to, count):
        """Whether there is a number that answers a read of so many bytes, which is written then."""
        number = self.found
        if type(number) is list:
            number = number.pop(0) if number and count in _INTEGERS else None
        elif count not in (4, 8):
            number = None
        if number is None:
            return False
        _INTEGERS[count].from_address(to).value = number
        return True

    def answer_before(self):
        """The driver, which then asks for no numbers that were found: each call from it costs as much as an
        operation that is passed by."""
        found = self.found
        if threading.get_ident() != self.thread:
            return
        if type(found) is int:
            self.answers.tell(4, found, found, found, found)
        elif len(found) <= known_values.MOST_ANSWERS:
            self.answers.tell(1, *found)
            self.found = []

    def tell_likely(self, to, source):
        """`to` has got a copy of numbers that nobody knows."""
        if self.is_given:
            return
        if not to.dtype.is_floating_point:
            dim = self.likely.dim_of_order(source)
            if dim is not None and to.shape == source.shape:
                with self.aside():
                    to.copy_(self.known.places_along(to, dim))
            return
        number, weights = self.likely.of(source), self.weights.of(source)
        if number is not None:
            with self.aside():
                to.detach().fill_(number)
        elif weights is not None and to.shape == source.shape:
            with self.aside():
                to.detach().copy_(weights)
        elif self.typed_answers.are_given:
            with self.aside():
                self.typed_answers.fill(to)
        elif to.numel() == 1:
            with self.aside():
                to.detach().fill_(self.likely.next_loss())

    def unknown_number(self, tensor):
        """The one that a tensor of a single floating-point number, which nobody knows, is taken for."""
        likely = self.likely.of(tensor)
        if likely is not None:
            return likely
        if self.typed_answers.are_given:
            return self.typed_answers.number()
        weights = self.weights.of(tensor)
        return self.likely.next_loss() if weights is None else weights.item()

    def learn_likely(self, tensor, number):
        """This for all numbers of a tensor that nobody knows."""
        self.known.forget_written()
        with self.aside():
            self.known.learn(tensor, self.known.empty_for(tensor).fill_(number), is_made_up=True)

    @contextlib.contextmanager
    def off(self):
        """For what the program does without being seen, in a thread whose operations are."""
        self.switch(False)
        try:
            yield
        finally:
            self.switch(True)

    def aside(self):
        return _Aside(self)

    def guards(self):
        """Entered ones, against modes of PyTorch."""
        built_in = self.torch._C
        guards = [built_in._DisableTorchDispatch()] if self.has_dispatch_modes() else []
        if self.has_function_modes():
            guards.append(built_in.DisableTorchFunction())
        for guard in guards:
            guard.__enter__()
        return guards

    def in_one_thread(self, run):
        """A function that calls `run` in a single thread. Several would wait for each other on a busy machine, longer
        than one takes."""
        threads_now, set_threads = self.torch._C.get_num_threads, self.torch._C.set_num_threads

        def run_alone(*args, **kwargs):
            threads = threads_now()
            set_threads(1)
            try:
                return run(*args, **kwargs)
            finally:
                set_threads(threads)

        return run_alone

    def can_learn(self):
        """Graphs of the device and transforms of functions may run an operation again, on others."""
        return self.has_transforms() is None and not self.is_capturing()

    def is_capturing(self):
        """To ask takes three times as long as to know that no capture was begun at all."""
        return self._captures_begun[0] > 0 and self._is_stream_capturing()

    def _names(self, all_names):
        """Operations that have kernels of their own, by their names without `aten::`. Others are made of
        these, and count only where they change a tensor in place or are given their result, which has
        its new version at the end, or take numbers, which their parts would get in a form that Python
        does not have."""
        computed = {*computed_operations.COMPUTED, computed_operations.DRAWING}
        changing = {*(name + "_" for name in computed), *computed_operations.FORMING, "copy_",
                    "_local_scalar_dense", "lift_fresh", "set_"}
        alone = computed_operations.ALONE
        has_kernel = self.torch._C._dispatch_has_kernel_for_dispatch_key
        for whole_name in all_names:
            space, _, name = whole_name.partition("::")
            if space != "aten":
                continue
            base = name.partition(".")[0]
            is_changing = base in changing or computed_operations.changes(base)
            is_seen = is_changing or base in computed or base in alone or name in likely_values.MAKERS or \
                name in computed_operations.ORDERS
            if name == computed_operations.COALESCING or name in computed_operations.COMPUTED_AT_ONCE:
                yield name
                continue
            if not is_seen or has_kernel(whole_name, "CompositeImplicitAutograd"):
                continue
            if is_changing or has_kernel(whole_name, "CUDA") or base in computed_operations.MADE_OF_UNCOMPUTED or \
                    self._takes_numbers(name) or self._is_given_results(name):
                yield name

    def _arguments(self, name):
        base, _, overload = name.partition(".")
        return self.torch._C._get_schema("aten::" + base, overload).arguments

    def _is_given_results(self, name):
        return any(argument.is_out for argument in self._arguments(name))

    def _takes_numbers(self, name):
        kinds = {str(argument.type) for argument in self._arguments(name) if not argument.is_out}
        return {"Tensor", "number"} <= kinds

    def _leave_out_backward(self):
        """Else gradients would have objects of Python, and PyTorch would copy them instead of taking
        them. The threads of a backward pass have the keys of the thread that began it."""
        variable = self.torch.autograd.Variable
        engine = variable._execution_engine
        mode = self

        class EngineWithoutUs:
            def __getattr__(self, name):
                return getattr(engine, name)

            def run_backward(self, *args, **kwargs):
                if not mode.is_on():
                    return engine.run_backward(*args, **kwargs)
                with mode.off():
                    try:
                        mode.known.tell_masks()
                        return engine.run_backward(*args, **kwargs)
                    finally:
                        # Another backward pass may be under way around it.
                        if not mode.is_in_backward:
                            mode.known.take_back_masks()

        variable._execution_engine = EngineWithoutUs()
        # Functions of the program itself are seen there: their gradients have objects of Python anyway.
        of_program = self.torch.autograd.function.BackwardCFunction
        of_program.apply = self._seen(of_program.apply)

    def _leave_out_tracing(self):
        """While PyTorch traces a function (torch.jit.trace), even a size that is asked for is an
        operation, and those that kernels in Python call are not recorded."""
        built_in = self.torch._C
        for owner, name in ((built_in, "_create_function_from_trace"), (built_in, "_create_graph_by_tracing"),
                            (built_in.ScriptModule, "_create_method_from_trace")):
            trace = getattr(owner, name, None)
            if trace is not None:
                setattr(owner, name, self._unseen(trace))

    def _unseen(self, function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            if not self.is_on():
                return function(*args, **kwargs)
            with self.off():
                return function(*args, **kwargs)

        return call

    def _leave_out_modules(self):
        kinds = sys.modules.get("vramlab_dry_run.kinds.calls")
        if kinds is None:
            return
        kinds.beginnings.update(computed_modules.beginnings(self, self.torch.nn))
        floats = {kind for kind in vars(self.torch).values()
                  if isinstance(kind, self.torch.dtype) and kind.is_floating_point}
        self.quiet = quiet_modules.QuietModules(
            self, lambda kind: MOST_FLOATS if kind in floats else MOST_ELEMENTS, kinds.forget_along)
        kinds.beginnings[None] = self.quiet.beginning()
        for begin in set(kinds.beginnings.values()):
            kinds.not_compiled(self.torch, begin)

    def _leave_out_steps(self, optimizers):
        """They read thousands of numbers of the host, and no value of the device that is known, unless they
        count their steps there or have sparse gradients. Those that get a closure run the model in it."""
        hooked = optimizers.Optimizer.profile_hook_step

        def profile_hook_step(step):
            if not step.__module__.startswith("torch.optim."):
                return hooked(step)

            @functools.wraps(step)
            def step_without_us(optimizer, *args, **kwargs):
                # A compiled step tells versions of what it changes.
                if self.torch.compiler.is_dynamo_compiling() or args or kwargs or not self.is_on() or \
                        self._counts_on_device(optimizer) or self._has_sparse_gradients(optimizer):
                    return step(optimizer, *args, **kwargs)
                try:
                    with self.off():
                        return step(optimizer)
                finally:
                    if self.known is not None:
                        self._forget_changed_by(optimizer)

            return hooked(step_without_us)

        optimizers.Optimizer.profile_hook_step = staticmethod(profile_hook_step)
        optimizers.register_optimizer_step_post_hook(self._note_weights)

    def _note_weights(self, optimizer, args, kwargs):
        # A compiler that traces a step goes through here, too, and looks at each function that is called.
        if self.torch.compiler.is_dynamo_compiling() or not self.is_on():
            return
        look_with = self.torch._C._dynamo.eval_frame.set_eval_frame
        compiler = look_with(None)
        try:
            self._note_changed_by(optimizer)
        finally:
            look_with(compiler)

    @report.guarded
    def _note_changed_by(self, optimizer):
        weights = [tensor for group in optimizer.param_groups for tensor in group["params"]
                   if type(tensor) in self.plain_types]
        with self.off():
            self.weights.note(optimizer, weights)

    def _counts_on_device(self, optimizer):
        """Its counters of steps lie there, or will: on the default device, or as they were loaded."""
        try:
            if self.torch.get_default_device().type == "cuda":
                return True
        except AttributeError:  # PyTorch 2.6, once a program has taken its default device back.
            pass
        state = next(iter(optimizer.state.values()), None)
        step = state.get("step") if isinstance(state, dict) else None
        return isinstance(step, self.torch.Tensor) and step.is_cuda

    def _has_sparse_gradients(self, optimizer):
        gradients = (tensor.grad for group in optimizer.param_groups for tensor in group["params"])
        return any(gradient is not None and gradient.is_sparse for gradient in gradients)

    @report.guarded
    def _forget_changed_by(self, optimizer):
        """Its steps change many floating-point numbers at once, and tell no version of them."""
        if not self.known.has_floats():
            return
        tensors = [tensor for group in optimizer.param_groups for tensor in group["params"]]
        tensors += [tensor.grad for tensor in tensors]
        for value in optimizer.state.values():
            tensors += value.values()
        if not self.plain_types.issuperset(map(type, tensors)):
            tensors = [tensor for tensor in tensors if type(tensor) in self.plain_types]
        address_of = self.torch.Tensor.data_ptr
        try:
            addresses = list(map(address_of, tensors))
        except RuntimeError:  # Sparse gradients have none.
            addresses = [address_of(tensor) for tensor in tensors if tensor.layout is self.torch.strided]
        self.known.forget_floats_at(addresses)

    def _see_recomputing(self, checkpoint):
        """Tensors that a backward pass computes once more have to have their first sizes."""
        without_reentrance = "_checkpoint_without_reentrant_generator"
        # Newer versions of PyTorch have it in two parts.
        name = next(name for name in (without_reentrance + "_impl", without_reentrance)
                    if hasattr(checkpoint, name))
        generate, forward = getattr(checkpoint, name), checkpoint.CheckpointFunction.forward

        @functools.wraps(generate)
        def generate_seen(function, *args, **kwargs):
            return generate(self._seen(function), *args, **kwargs)

        def forward_seen(ctx, function, *args):
            return forward(ctx, self._seen(function), *args)

        setattr(checkpoint, name, generate_seen)
        checkpoint.CheckpointFunction.forward = staticmethod(forward_seen)

    def _seen(self, function):
        """It is called in a backward pass, for whose end the program's thread waits meanwhile."""
        def call(*args, **kwargs):
            if self.is_on() or self.is_in_backward:
                return function(*args, **kwargs)
            thread, self.thread = self.thread, threading.get_ident()
            answers, self.answers = self.answers, self.known.driver.answers()
            deeds = self.known.deeds
            self.is_in_backward = True
            self.switch(True)
            try:
                return function(*args, **kwargs)
            finally:
                self.switch(False)
                self.is_in_backward = False
                self.thread, self.answers = thread, answers
                if self.known.deeds != deeds:
                    self.known.tell_masks()

        return call

    def is_on(self):
        return self.torch._C._dispatch_tls_is_dispatch_key_included(self.key)


class _Aside:
    """For own operations, on tensors that need no gradients: without our kernels, unseen by modes of
    PyTorch."""

    __slots__ = ("_mode", "_guards")

    def __init__(self, mode):
        self._mode = mode

    def __enter__(self):
        mode = self._mode
        self._guards = mode.guards() if mode.has_dispatch_modes() or mode.has_function_modes() else ()
        mode.switch(False)

    def __exit__(self, *error):
        self._mode.switch(True)
        for guard in reversed(self._guards):
            guard.__exit__(*error)


class _Operation:
    """An overload, with what its schema says. `torch.ops` would make several objects more for each, and there are
    hundreds: Python's collector looks at all of them in each of its large passes."""

    __slots__ = ("mode", "name", "base", "plain", "shortest", "function", "is_own", "run", "redispatch", "changed",
                 "results", "overwrites", "has_values_before", "is_computed", "is_copy", "joins", "is_read", "stem",
                 "spreads", "compares", "asks_others", "asks_size", "is_at_once", "number_places", "most",
                 "sparse_factor")

    def __init__(self, mode, space, name):
        self.mode, self.name = mode, name
        self.base, _, overload = name.partition(".")
        built_in, whole_base = mode.torch._C, f"{space}::{self.base}"
        self.plain = computed_operations.function_for_python(mode.torch, name) or \
            built_in._get_operation_overload(whole_base, overload)[0]
        # The same where all tensors are plain ones.
        self.shortest = computed_operations.shortest_way(name, self.plain)
        own = mode.host_numbers.faster(name, self.shortest)
        # Others are PyTorch's, which has threads for them.
        self.is_own, self.function = own is not None, own or self.shortest
        self.run = mode.alone(self.plain)
        schema = built_in._get_schema(whole_base, overload)
        arguments = schema.arguments
        # The names of arguments that it changes, by their places.
        self.changed = _changed_by(arguments) if schema.is_mutable else _NO_ARGUMENTS
        self.results = tuple(name for place, name in self.changed.items() if arguments[place].is_out)
        self.overwrites = self.base in computed_operations.OVERWRITTEN
        # A result that it is given has none either.
        self.has_values_before = not (self.overwrites or self.results)
        self.is_computed = not computed_operations.changes(self.base)
        self.is_copy = self.base == "copy_"
        self.joins = name in computed_operations.JOINING
        self.is_read = self.base == "_local_scalar_dense"
        # The name without the mark of those that work in place.
        self.stem = plain = self.base.rstrip("_")
        self.spreads = not computed_operations.SPREADING.isdisjoint((self.base, plain))
        # The result has no floating-point numbers.
        self.compares = plain in computed_operations.COMPARED or plain == "nonzero"
        self.is_at_once = name in computed_operations.COMPUTED_AT_ONCE
        self.asks_others = self.is_at_once or plain in computed_operations.ASKING_OTHERS
        self.asks_size = plain in computed_operations.ASKING_SIZES
        # Places of tensors in which there may be a number.
        self.number_places = () if plain in computed_operations.TAKING_NUMBERS else tuple(
            place for place, argument in enumerate(arguments)
            if str(argument.type) in ("Tensor", "Optional[Tensor]"))
        # Tensors with more elements are neither computed nor known.
        self.most = known_values.MOST_BYTES if self.changed else MOST_ELEMENTS
        # The place of a factor that may be sparse.
        self.sparse_factor = computed_operations.SPARSE_FACTORS.get(plain)
        if self.asks_others or self.is_copy or self.is_read or self.sparse_factor is not None:
            self.redispatch = built_in._dispatch_find_schema_or_throw(whole_base, overload).redispatch_boxed

    def find(self, computation, args, kwargs):
        """Answers as `computation.find` does, in one thread where PyTorch's own functions are called."""
        if self.is_own and args[0].numel() <= _MOST_SMALL:
            return computation.find(args, kwargs)
        return self.mode.find_in_one_thread(computation, args, kwargs)

    def run_in_parts(self, keyset, *args, **kwargs):
        """The operation itself; those that it calls are seen, by which it asks the device."""
        return self.redispatch(keyset & self.mode.keys_after, *args, **kwargs)

    def with_tensors(self, args):
        """Numbers as tensors of a type that leads to the same type of the result."""
        numbers = [place for place in self.number_places
                   if place < len(args) and type(args[place]) in _NUMBERS]
        if not numbers:
            return args
        with self.mode.aside():
            return self._converted(list(args), numbers)

    def _converted(self, args, numbers):
        torch = self.mode.torch
        others = [args[place] for place in self.number_places
                  if place < len(args) and place not in numbers and args[place] is not None
                  and not (place == 0 and self.base == "where")]
        for place in numbers:
            kind = torch.result_type(others[0], args[place]) if others else _alone_as(torch, args[place])
            args[place] = self._number_as_tensor(args[place], kind)
        return args

    def _number_as_tensor(self, number, kind):
        """Kept, as nobody writes to it."""
        mode = self.mode
        if mode.torch.is_inference_mode_enabled():
            return mode.torch.tensor(number, dtype=kind, device="cpu")
        key = repr(number), kind
        found = mode.numbers.get(key)
        if found is None:
            if len(mode.numbers) >= _MOST_NUMBERS:
                mode.numbers.clear()
            found = mode.numbers[key] = mode.torch.tensor(number, dtype=kind, device="cpu")
        return found

    def forget_changed(self, args, kwargs):
        """After it ran on numbers that nobody knows: no version tells it of tensors of the inference mode."""
        known, plain_types = self.mode.known, self.mode.plain_types
        for value in self.changed_of(args, kwargs):
            if type(value) in plain_types and known_values.key_of(value) in known.entries:
                known.forget(value)

    def changed_of(self, args, kwargs):
        """The tensors that it changes."""
        if not self.is_computed and not self.changed:
            return args
        found = []
        for place, name in self.changed.items():
            found += _each_of(args[place] if place < len(args) else kwargs.get(name))
        return [value for value in found if value is not None]


def _changed_by(arguments):
    return {place: argument.name for place, argument in enumerate(arguments)
            if argument.alias_info is not None and argument.alias_info.is_write}


def _alone_as(torch, number):
    """The type in which PyTorch keeps a number that no tensor stands beside; None for its usual choice."""
    return torch.float64 if type(number) is float else None


def _runs_alone(mode):
    """The function that makes kernels of operations: each calls the operation itself, whose own parts are not
    seen. All of them share what is not an operation's own."""
    built_in, key = mode.torch._C, mode.key
    switch, has_mode = built_in._dispatch_tls_set_dispatch_key_included, built_in._is_torch_function_mode_enabled

    def alone(function):
        # Called with stars, it would have frames of its own on the stack of C, through which each request for memory in
        # the middle looks.
        def run(args, kwargs=_NO_ARGUMENTS):
            switch(key, False)
            try:
                if has_mode():
                    with built_in.DisableTorchFunction():
                        return function(*args, **kwargs)
                return function(*args, **kwargs)
            finally:
                switch(key, True)

        return run

    return alone


def _kernel_alone(operation):
    run = operation.run

    def kernel(keyset, *args, **kwargs):
        return run(args, kwargs)

    return kernel


def _count_yes(mask):
    mask = mask.contiguous()
    return ctypes.string_at(mask.data_ptr(), mask.numel()).count(1)


def _each_of(value):
    """The items of a list or tuple; else the value alone."""
    return value if isinstance(value, (list, tuple)) else [value]


def _whole_kernel_of(mode, operation):
    kernel = _kernel_of(mode, operation)
    if operation.name in likely_values.KEEPING:
        return _kernel_that_keeps(mode, kernel)
    return _kernel_of_product(mode, kernel) if operation.name in likely_values.MULTIPLYING else kernel


def _kernel_that_keeps(mode, kernel):
    """The number that each element of its tensors likely is."""
    likely, notes = mode.likely, mode.likely.notes

    def keep(keyset, given, *args, **kwargs):
        number = likely.of_any(given if type(given) in (list, tuple) else (given,)) if notes else None
        result = kernel(keyset, given, *args, **kwargs)
        if number is not None:
            _note_likely(mode, _each_of(result)[0], number)
        return result

    return keep


def _kernel_of_product(mode, kernel):
    likely, notes, plain_types = mode.likely, mode.likely.notes, mode.plain_types

    def multiply(keyset, tensor, other):
        number = other_number = None
        if notes and type(tensor) in plain_types and type(other) in plain_types:
            number = likely.of(tensor)
            other_number = None if number is None else likely.of(other)
        result = kernel(keyset, tensor, other)
        if other_number is not None:
            _note_likely(mode, result, number * other_number)
        return result

    return multiply


def _note_likely(mode, result, number):
    if type(result) in mode.plain_types and result.is_cuda and result.dtype.is_floating_point and \
            known_values.key_of(result) not in mode.known.entries:
        mode.likely.note(result, number)


def _kernel_of(mode, operation):
    """Mostly there is nothing to compute, which has to be found out quickly: a tensor that is too large
    or not known, or none of the device."""
    if operation.base in computed_operations.ALONE:
        return _kernel_alone(operation)
    if operation.name in likely_values.MAKERS:
        return _kernel_of_likely(mode, operation)
    if operation.base in computed_operations.COMPARED_WITH_NUMBER and not operation.results:
        return _kernel_of_comparison(mode, operation)
    if operation.name in likely_values.SQUARING:
        return _kernel_of_squares(mode, operation)
    if operation.name == likely_values.MEAN_OF_SQUARES:
        return _kernel_of_mean(mode, operation)
    if operation.base == trained_weights.ABSOLUTE:
        return _kernel_of_absolute(mode, operation)
    if operation.name in computed_operations.ORDERS:
        return _kernel_of_order(mode, operation)
    if operation.name in computed_operations.GREATEST_AT:
        return _kernel_of_greatest(mode, operation)
    if operation.name in computed_operations.ALL_HOLD:
        return _kernel_of_all(mode, operation)
    if not operation.is_computed:
        forgets = mode.kernel_that_forgets(operation)
        kernel_of = {"_foreach_add_.Scalar": _kernel_of_counters, "_amp_update_scale_": _kernel_of_scale,
                     "_amp_foreach_non_finite_check_and_unscale_": _kernel_of_unscaling}.get(operation.name)
        return kernel_of(mode, operation, forgets) if kernel_of else forgets
    if operation.base == "lift_fresh":
        return _kernel_of_new_tensor(mode, operation)
    if operation.base == "_local_scalar_dense":
        return _kernel_of_number(mode, operation)
    if operation.base == "zero_":
        return _kernel_of_zeros(mode, operation)
    if operation.base == "add_":
        return _kernel_of_counter(mode, operation, mode.kernel_of_any(operation))
    if operation.is_copy:
        return _kernel_of_copy(mode, operation)
    if operation.base == "set_":
        return _kernel_of_set(mode, operation)
    if operation.base == computed_operations.COALESCING:
        return _kernel_of_coalescing(mode, operation)
    if operation.base in computed_operations.FORMING:
        return _kernel_of_form(mode, operation)
    if operation.base == computed_operations.DRAWING:
        return _kernel_alone(operation) if operation.results else _kernel_of_draw(mode, operation)
    if operation.base in computed_operations.PLACES_ALONE:
        return _kernel_of_places(mode, operation)
    if operation.is_at_once:
        kernel = _kernel_at_once(mode, operation)
        return _kernel_of_tiles(mode, operation, kernel) if operation.base == "repeat" else kernel
    kernel = _kernel_of_values(mode, operation)
    if operation.name in computed_operations.EXCLUDING:
        return _kernel_of_exclusion(mode, operation, kernel)
    return kernel


def _kernel_of_values(mode, operation):
    if operation.asks_others:
        return _kernel_that_asks(mode, operation)
    if operation.base in computed_operations.COUNTING_TRUTHS and not operation.results:
        return _kernel_of_truths(mode, operation)
    return mode.kernel_of_any(operation)


def _kernel_of_likely(mode, operation):
    """A few of them are computed where their numbers are known; of others their likely value is noted."""
    of_known = _kernel_of_known(mode, operation)
    make, likely = likely_values.MAKERS[operation.name], mode.likely
    limits, plain_types = operation.name in likely_values.LIMITING, mode.plain_types

    def kernel(keyset, tensor, *args):
        result = of_known(keyset, tensor, *args)
        if type(result) in plain_types and result.is_cuda and result.numel():
            number = make(likely.of(tensor) or 0.0, tensor, *args)
            if limits and number >= 1 and _can_be_made_up(mode, result):
                mode.learn_likely(result, number)
            elif number and result.dtype.is_floating_point:
                likely.note(result, number)
        return result

    return kernel


def _kernel_of_comparison(mode, operation):
    """Likely numbers and weights are compared as such. A single floating-point number that nobody knows, such as a
    loss, does not equal 0: what programs do then is meant for nothing to learn."""
    of_known, known, likely_of = mode.kernel_of_any(operation), mode.known, mode.likely.of
    name, weights, plain_types = operation.base, mode.weights, mode.plain_types
    compare, of_others = computed_operations.COMPARED_WITH_NUMBER[name], computed_operations.OF_OTHERS.get(name)

    def is_number(value):
        """Or a tensor of the host that is one."""
        return type(value) in _NUMBERS or not (value.dim() or value.is_cuda)

    def answer(result, tensor, number, likely):
        if likely is not None:
            known.make_up(result, int(compare(likely, number)), known_values.MOST_COMPARED)
        elif of_others is not None and number == 0 and result.numel() == 1:
            known.make_up(result, of_others)
        else:
            drawn = weights.of(tensor)
            if drawn is not None:
                known.learn(result, compare(drawn, number), is_made_up=True)

    def kernel(keyset, tensor, number):
        result = of_known(keyset, tensor, number)
        if type(tensor) not in plain_types or not tensor.is_cuda or not tensor.dtype.is_floating_point:
            return result
        likely = likely_of(tensor)
        if likely is None and name == "ge" and detection.asks_for_size(sys._getframe(1)):
            likely = math.inf
        if likely is None and tensor.numel() > 1 and not weights.are_noted(tensor):
            return result
        if is_number(number) and _can_be_made_up(mode, result, known_values.MOST_COMPARED):
            known.forget_written()
            with mode.aside():
                answer(result, tensor, number, likely)
        return result

    return kernel


def _kernel_of_squares(mode, operation):
    """Squares that nobody knows are noted, of any number of elements, or their mean."""
    of_known, likely, plain_types = mode.kernel_of_any(operation), mode.likely, mode.plain_types
    entries, key_of = mode.known.entries, known_values.key_of
    is_mean = operation.base == "mse_loss"

    def kernel(keyset, *args):
        result = of_known(keyset, *args)
        if not is_mean and args[1] != 2 or type(result) not in plain_types or not result.is_cuda or \
                not result.dtype.is_floating_point or key_of(result) in entries:
            return result
        if not is_mean or result.dim():
            likely.note_squares(result)
        elif mode.can_learn():
            mode.learn_likely(result, likely.next_loss())
        return result

    return kernel


def _kernel_of_mean(mode, operation):
    """The mean of all of a tensor's squares."""
    of_known, likely = mode.kernel_of_any(operation), mode.likely

    def kernel(keyset, tensor, *args, **kwargs):
        result = of_known(keyset, tensor, *args, **kwargs)
        if not result.dim() and likely.of(tensor) is not None and _can_be_made_up(mode, result):
            mode.learn_likely(result, likely.next_loss())
        return result

    return kernel


def _kernel_of_absolute(mode, operation):
    """Weights, of any number of elements, stay such."""
    of_known, note, plain_types = mode.kernel_of_any(operation), mode.weights.note_result, mode.plain_types

    def kernel(keyset, tensor, **kwargs):
        result = of_known(keyset, tensor, **kwargs)
        if type(result) in plain_types and result.is_cuda:
            note(result, tensor, are_absolute=True)
        return result

    return kernel


def _kernel_of_known(mode, operation):
    return mode.kernel_of_any(operation) if operation.base in computed_operations.COMPUTED else \
        _kernel_alone(operation)


def _kernel_of_order(mode, operation):
    """The order of numbers that nobody knows is the one of equal numbers, as they lie: no place is in it
    twice, and programs number things by it. A few chosen ones are spread over all."""
    run, of_known = operation.run, _kernel_of_known(mode, operation)
    order_of, is_computed = computed_operations.ORDERS[operation.name], operation.base in computed_operations.COMPUTED
    known, key_of = mode.known, known_values.key_of
    entries, likely_of, plain_types = known.entries, mode.likely.of, mode.plain_types
    chooses = operation.base == "topk"
    most = _MOST_CHOSEN if chooses else MOST_ELEMENTS

    def kernel(keyset, *args, **kwargs):
        is_known = is_computed and key_of(args[0]) in entries
        if is_known and args[0].numel() <= MOST_ELEMENTS:
            # With as few calls as can be: each request for memory in the middle tells them all.
            result = _call(operation, keyset, args, kwargs)
            if key_of(result[1]) in entries:
                return result
        else:
            result = of_known(keyset, *args, **kwargs) if is_known else run(args, kwargs)
        order, numbers, dim = order_of(result, *args, **kwargs)
        if type(order) not in plain_types or not order.is_cuda:
            return result
        if order.numel() > MOST_ELEMENTS and not chooses:
            mode.likely.note_order(order, dim)
        elif _can_be_made_up(mode, order, most):
            with mode.aside():
                known.learn_order(order, numbers, dim)
            number = likely_of(args[0]) if chooses else None
            if number is not None and _can_be_made_up(mode, result[0]):
                mode.learn_likely(result[0], number)
        return result

    return kernel


def _kernel_of_greatest(mode, operation):
    """The first of numbers that nobody knows is taken for the greatest, and its place is known: programs go on
    from there."""
    of_known, known = _kernel_of_known(mode, operation), mode.known
    number = computed_operations.GREATEST_AT[operation.name]

    def kernel(keyset, *args, **kwargs):
        result = of_known(keyset, *args, **kwargs)
        places = result if number is None else result[number]
        if _can_be_made_up(mode, places):
            known.forget_written()
            with mode.aside():
                known.make_up(places)
        return result

    return kernel


def _is_small(mode, tensor, most=MOST_ELEMENTS):
    """Whether it is a tensor of the device, with few enough elements."""
    return type(tensor) in mode.plain_types and tensor.is_cuda and 0 < tensor.numel() <= most


def _can_be_made_up(mode, result, most=MOST_ELEMENTS):
    """Whether nothing is known of a small tensor."""
    return _is_small(mode, result, most) and known_values.key_of(result) not in mode.known.entries and mode.can_learn()


def _kernel_of_all(mode, operation):
    """A check of a single value that nobody knows holds, as those of many do."""
    of_known, known = _kernel_of_known(mode, operation), mode.known

    def kernel(keyset, tensor, *args, **kwargs):
        result = of_known(keyset, tensor, *args, **kwargs)
        if _can_be_made_up(mode, result) and result.numel() == tensor.numel():
            known.forget_written()
            with mode.aside():
                known.make_up(result, 1)
        return result

    return kernel


def _kernel_of_truths(mode, operation):
    """Truths that nobody knows are counted like those that a mask chooses."""
    otherwise, truths = mode.kernel_of_any(operation), mode.torch.bool

    def kernel(keyset, tensor, *args, **kwargs):
        if tensor.dtype is truths and _is_small(mode, tensor):
            return _call(operation, keyset, (tensor, *args), kwargs)
        return otherwise(keyset, tensor, *args, **kwargs)

    return kernel


def _is_joined(operation, args, number):
    """Whether it is a single number, which is put beside others."""
    if number.numel() != 1:
        return False
    if not operation.changed:
        return len(args[0]) <= _MOST_STATISTICS
    changed = args[0]
    if changed.numel() != 1 or known_values.key_of(changed) not in operation.mode.known.entries:
        return False
    return 1 < changed.untyped_storage().nbytes() // changed.element_size() <= _MOST_STATISTICS


def _kernels_of_any(mode):
    """The function that makes them, which share what is not an operation's own."""
    plain_types, entries, key_of = mode.plain_types, mode.known.entries, known_values.key_of
    made_up, likely_of, is_large = mode.integers | {mode.torch.bool}, mode.likely.of, mode.known.is_large
    sparse = mode.torch.sparse_coo

    def can_be_computed(operation, args, kwargs):
        has_values_before = operation.has_values_before
        if has_values_before and not entries:
            return False
        most, compares = operation.most, operation.compares
        if args and type(args[0]) in plain_types:
            count = args[0].numel()
            if count > MOST_ELEMENTS and \
                    (key_of(args[0]) not in entries or count > most and not is_large(args[0], compares)):
                return False
        is_on_device = is_known = False
        for value in (*args, *kwargs.values()) if kwargs else args:
            for item in value if type(value) is list else (value,):
                if type(item) not in plain_types:
                    continue
                count = item.numel()
                if count > most and not is_large(item, compares):
                    return False
                if item.is_cuda:
                    is_on_device = True
                    if not has_values_before or not count or key_of(item) in entries:
                        is_known = True
                    elif item.dtype not in made_up and likely_of(item) is None and \
                            not (operation.joins and _is_joined(operation, args, item)):
                        return False
        return is_on_device and is_known

    def kernel_of(operation):
        run, sparse_factor = operation.run, operation.sparse_factor

        def kernel(keyset, *args, **kwargs):
            is_sparse = sparse_factor is not None and args[sparse_factor].layout is sparse
            for place in operation.number_places:
                if place < len(args) and type(args[place]) in _NUMBERS:
                    args = operation.with_tensors(args)
                    break
            if not is_sparse and can_be_computed(operation, args, kwargs):
                return _call(operation, keyset, args, kwargs)
            result = operation.run_in_parts(keyset, *args, **kwargs) if is_sparse else run(args, kwargs)
            if entries and operation.changed:
                operation.forget_changed(args, kwargs)
            return result

        return kernel

    return kernel_of


def _kernel_of_copy(mode, operation):
    run, entries, key_of = operation.run, mode.known.entries, known_values.key_of
    most, plain_types, truths = operation.most, mode.plain_types, mode.torch.bool
    is_from_host, notes = mode.known.is_copy_of_host, mode.likely.notes

    def kernel(keyset, to, source, does_not_wait=False):
        is_too_large = to.numel() > most
        if is_too_large and to.is_cuda and source.is_cuda and not notes and key_of(source) not in entries and \
                key_of(to) not in entries:
            return run((to, source, does_not_wait))
        if type(source) in _NUMBERS:
            source = operation.with_tensors((to, source))[1]
        if not to.is_cuda:
            if not source.is_cuda:
                return run((to, source, does_not_wait))
            mode.known.forget_written()
            entry = mode.known.entry_of(source)
            if entry is None and source.dtype is truths and type(source) in plain_types and mode.can_learn():
                # As they are counted.
                with mode.aside():
                    entry = mode.known.make_up_truths(source)
            mode.is_given = False
            result = mode.run_reading(
                lambda: operation.run_in_parts(keyset, to, source, does_not_wait), entry, _FOUND_NOTHING)
            if entry is None and not does_not_wait:
                mode.tell_likely(to, source)
            return result
        if source.is_cuda and source.numel() and key_of(source) not in entries:
            if entries and _is_joined(operation, (to,), source):
                return _call(operation, keyset, (to, source, does_not_wait), {})
            before = mode.likely.of(to) if notes and to.dtype.is_floating_point else None
            result = run((to, source, does_not_wait))
            if entries:
                mode.known.forget(to)
            number = mode.likely.of(source)
            is_whole = (before is not None or number is not None) and mode.known.is_whole(to, math.inf)
            if before is not None and not is_whole:
                mode.likely.note(to, before)
            elif is_whole and number is not None:
                if to.dtype.is_floating_point:
                    mode.likely.note(to, number)
                elif to.dtype in mode.integers and _can_be_made_up(mode, to):
                    mode.learn_likely(to, int(number))
            elif mode.weights.are_noted(source) and mode.known.is_whole(to, math.inf):
                mode.weights.note_result(to, source)
            return result
        if source.is_cpu and type(to) in plain_types and type(source) in plain_types and \
                is_from_host(to, source) and mode.can_learn():
            result = run((to, source, does_not_wait))
            mode.known.learn_from_host(to, source)
            return result
        if is_too_large and not mode.known.is_large(source):
            result = run((to, source, does_not_wait))
            mode.known.forget(to)
            return result
        return _call(operation, keyset, (to, source, does_not_wait), {})

    return kernel


def _kernel_of_zeros(mode, operation):
    """Zeros for all of a storage, as attention makes for its seeds, need no computing."""
    run, entries, key_of = operation.run, mode.known.entries, known_values.key_of
    plain_types, weights = mode.plain_types, mode.weights

    def kernel(keyset, tensor):
        # Sizes of other tensors may be symbols, while a compiler traces.
        is_plain = type(tensor) in plain_types
        if is_plain:
            weights.forget(tensor)
        if is_plain and tensor.is_cuda and mode.known.can_get_places(tensor) and mode.can_learn():
            run((tensor,))
            with mode.aside():
                mode.known.learn_zeros_for_places(tensor)
            return tensor
        if not tensor.is_cuda or is_plain and tensor.nbytes > known_values.MOST_BYTES and key_of(tensor) not in entries:
            return run((tensor,))
        if is_plain and mode.known.is_whole(tensor) and mode.can_learn():
            run((tensor,))
            mode.known.learn_zeros(tensor)
            return tensor
        return _call(operation, keyset, (tensor,), {})

    return kernel


def _kernel_of_counter(mode, operation, otherwise):
    """A single number that goes up, as batch normalization counts its batches."""
    run, entries, key_of = operation.run, mode.known.entries, known_values.key_of
    counted = mode.torch.int64

    def kernel(keyset, *args, **kwargs):
        if len(args) == 2 and not kwargs and type(args[1]) is int and args[0].dtype is counted and \
                not args[0].dim() and args[0].is_cuda and key_of(args[0]) in entries and mode.can_learn():
            tensor, number = args
            mode.known.forget_written()
            entry = mode.known.entry_of(tensor)
            if entry is not None:
                run((tensor, number))
                mode.known.add_to(entry, tensor, number)
                return tensor
        return otherwise(keyset, *args, **kwargs)

    return kernel


def _kernel_of_set(mode, operation):
    """The tensor shares a storage from then on, as those do by which PyTorch copies a storage."""
    run, known, plain_types = operation.run, mode.known, mode.plain_types

    def kernel(keyset, tensor, *args, **kwargs):
        result = run((tensor, *args), kwargs)
        if known.entries and type(tensor) in plain_types and tensor.is_cuda and mode.can_learn():
            with mode.aside():
                known.share(tensor)
        return result

    return kernel


def _kernel_of_form(mode, operation):
    """The tensor has another form and a newer version from then on, and the numbers stay as they are."""
    run, known, plain_types = operation.run, mode.known, mode.plain_types

    def kernel(keyset, tensor, *args, **kwargs):
        is_seen = known.entries and type(tensor) in plain_types and tensor.is_cuda and mode.can_learn()
        if is_seen:
            known.forget_written()
        entry = known.entry_of(tensor, known_values.Needs.BEGINNING) if is_seen else None
        result = run((tensor, *args), kwargs)
        if entry is not None:
            with mode.aside():
                known.keep(tensor, entry)
        return result

    return kernel


def _kernel_of_places(mode, operation):
    """Places of a triangle follow from its size alone."""
    run = operation.run

    def kernel(keyset, rows, columns, *args, **kwargs):
        is_small = type(rows) is type(columns) is int and rows * columns <= MOST_ELEMENTS // 2
        if not is_small or getattr(kwargs.get("device"), "type", None) != "cuda":
            return run((rows, columns, *args), kwargs)
        return _call(operation, keyset, (rows, columns, *args), kwargs)

    return kernel


def _kernel_of_exclusion(mode, operation, otherwise):
    """Scores that nobody knows are zeros where a known mask excludes the others, as a place that is chosen by
    them must be none of those."""
    known, key_of, plain_types = mode.known, known_values.key_of, mode.plain_types
    number_of, is_in_place = computed_operations.EXCLUDING[operation.name], bool(operation.changed)

    def is_excluding(scores, args):
        if not known.entries or type(scores) not in plain_types or not scores.is_cuda or \
                not scores.dtype.is_floating_point or not 0 < scores.numel() <= MOST_FLOATS or \
                key_of(scores) in known.entries or not mode.can_learn():
            return False
        mask, number = number_of(*args)
        return number is not None and number <= computed_operations.MOST_EXCLUDED and \
            type(mask) in plain_types and mask.dtype is mode.torch.bool and key_of(mask) in known.entries

    def kernel(keyset, scores, *args, **kwargs):
        if not is_excluding(scores, args):
            return otherwise(keyset, scores, *args, **kwargs)
        known.forget_written()
        with mode.aside():
            known.make_up(scores)
        result = otherwise(keyset, scores, *args, **kwargs)
        if not is_in_place:
            known.forget(scores)
        return result

    return kernel


def _kernel_of_draw(mode, operation):
    """A GPU's own numbers are unknown, so places are drawn that are possible where the probabilities are
    known, and else ones in the middle: the first words of a vocabulary are its special ones. Rows and draws
    follow each other, as texts and candidates that are all alike would be taken for one."""
    run, known, plain_types, switch = operation.run, mode.known, mode.plain_types, mode.switch
    turns = itertools.cycle(range(_TURNS))

    def can_be_drawn(probabilities, count, with_replacement=False, **_):
        """Sizes of tensors that a compiler traces may be symbols."""
        if type(probabilities) not in plain_types or type(count) is not int or not probabilities.is_cuda:
            return False
        among = probabilities.size(-1) if probabilities.dim() in (1, 2) else 0
        return 0 < among and 0 < count and (with_replacement or count <= among) and \
            probabilities.numel() // among * count <= MOST_ELEMENTS and mode.can_learn()

    def draw(probabilities, count, *args, **kwargs):
        known.forget_written()
        known.drop_last_dead()
        entry = known.entry_of(probabilities) if probabilities.numel() <= MOST_ELEMENTS else None
        is_known = entry is not None and not entry.is_made_up
        first = next(turns) if is_known else next(turns) + probabilities.size(-1) // 2
        return mode.host_numbers.drawn(probabilities.shape, first, entry and known.view(entry, probabilities), count,
                                       *args, **kwargs)

    def learn(result, drawn):
        if type(result) in plain_types:
            known.forget_written()
            known.learn(result, drawn, is_made_up=True)
        return result

    def draw_seen_by_modes(args, kwargs):
        with mode.aside():
            drawn = draw(*args, **kwargs)
        result = run(args, kwargs)
        with mode.aside():
            return learn(result, drawn)

    def kernel(keyset, *args, **kwargs):
        if not can_be_drawn(*args, **kwargs):
            return run(args, kwargs)
        if mode.has_dispatch_modes() or mode.has_function_modes():
            return draw_seen_by_modes(args, kwargs)
        switch(False)
        try:
            # Before the operation runs, as its numbers are in the processor's caches.
            drawn = draw(*args, **kwargs)
            return learn(operation.plain(*args, **kwargs), drawn)
        finally:
            switch(True)

    return kernel


def _kernel_of_coalescing(mode, operation):
    """Its tensors are sparse. Their places may be known, and so how many of them there are."""
    known, run, plain_types = mode.known, operation.run, mode.plain_types

    def kernel(keyset, tensor):
        if not known.entries or type(tensor) not in plain_types or not tensor.is_cuda or not mode.can_learn():
            return run((tensor,))
        known.forget_written()
        with mode.aside():
            places = tensor._indices()
            entry = known.entry_of(places) if 0 < places.numel() <= MOST_ELEMENTS else None
            merged = None if entry is None else mode.torch.unique(known.view(entry, places), dim=1)
        if entry is None:
            return run((tensor,))
        found = merged.shape[1], entry.is_made_up
        result = mode.run_reading(lambda: run((tensor,)), None, found)
        known.forget_written()
        with mode.aside():
            places = result._indices()
            if places.shape == merged.shape:
                known.learn(places, merged, None, entry.is_made_up)
        return result

    return kernel


def _kernel_of_counters(mode, operation, otherwise):
    """Single numbers that go up together, as optimizers count their steps."""
    run, known, key_of = operation.run, mode.known, known_values.key_of

    def kernel(keyset, tensors, number):
        are_single = all(tensor.numel() == 1 and key_of(tensor) in known.entries for tensor in tensors)
        if not are_single or not mode.can_learn():
            return otherwise(keyset, tensors, number)
        known.forget_written()
        entries = [known.entry_of(tensor) for tensor in tensors]
        if None in entries:
            return otherwise(keyset, tensors, number)
        run((tensors, number))
        known.forget_written()
        with mode.aside():
            for tensor, entry in zip(tensors, entries):
                known.learn(tensor, known.view(entry, tensor) + number, entry, entry.is_made_up)

    return kernel


def _kernel_of_unscaling(mode, operation, otherwise):
    """Gradients that nobody knows are taken for finite, so what says that one is not stays as it was."""
    known = mode.known

    def kernel(keyset, gradients, found, inverse):
        known.forget_written()
        entry = known.entry_of(found) if type(found) in mode.plain_types and mode.can_learn() else None
        with mode.aside():
            value = None if entry is None else known.view(entry, found).clone()
        otherwise(keyset, gradients, found, inverse)
        if entry is not None:
            known.forget_written()
            with mode.aside():
                known.learn(found, value, entry, True)

    return kernel


def _kernel_of_scale(mode, operation, otherwise):
    """The scale of gradients goes up as long as they are finite, of which nobody knows the contrary."""
    known, plain_types = mode.known, mode.plain_types

    def kernel(keyset, scale, tracker, found, *numbers):
        known.forget_written()
        changed = scale, tracker
        are_plain = all(type(tensor) in plain_types and tensor.is_cuda for tensor in (*changed, found))
        entries = [known.entry_of(tensor) for tensor in (*changed, found)] if are_plain and mode.can_learn() else []
        if not entries or None in entries[:2]:
            return otherwise(keyset, scale, tracker, found, *numbers)
        with mode.aside():
            values = [known.view(entry, tensor).clone() for entry, tensor in zip(entries, changed)]
            is_found = known.empty_for(found).zero_() if entries[2] is None else known.view(entries[2], found)
            operation.plain(*values, is_found, *numbers)
        otherwise(keyset, scale, tracker, found, *numbers)
        known.forget_written()
        with mode.aside():
            for tensor, value, entry in zip(changed, values, entries):
                known.learn(tensor, value, entry, True)
        return scale

    return kernel


def _kernel_of_number(mode, operation):
    """A number that the program reads. Optimizers read thousands of tensors of the host. A tensor that
    PyTorch made of a number comes as that number."""
    run, entries, key_of = operation.run, mode.known.entries, known_values.key_of
    pass_by, keys_after = operation.redispatch, mode.keys_after

    def kernel(keyset, tensor):
        if type(tensor) in _NUMBERS:
            return tensor
        if not tensor.is_cuda:
            return pass_by(keyset & keys_after, tensor)
        if key_of(tensor) in entries:
            return _call(operation, keyset, (tensor,), {})
        mode.is_given = False
        number = run((tensor,))
        if type(number) is not float or mode.is_given:
            return number
        return mode.unknown_number(tensor)

    return kernel


def _kernel_of_new_tensor(mode, operation):
    """torch.tensor() copies its numbers to the device with all keys switched off, and then says that
    the tensor is new."""

    def kernel(keyset, *args, **kwargs):
        result = operation.run(args, kwargs)
        if type(result) is mode.torch.Tensor and result.is_cuda:
            with mode.aside():
                mode.known.learn_copied(result)
        return result

    return kernel


def _kernel_that_asks(mode, operation):
    """Any of its tensors may lead to a question that can be answered. Of places in unknown numbers, only
    masks do."""
    run, entries, key_of = operation.run, mode.known.entries, known_values.key_of
    plain_types, integers, truths = mode.plain_types, mode.integers, mode.torch.bool
    has_mask = operation.base in computed_operations.MASKS
    counts = operation.base in computed_operations.COUNTING_INTEGERS

    def ask(keyset, args, kwargs):
        mode.is_asking, mode.asks_size = True, operation.asks_size
        try:
            return run(args, kwargs)
        finally:
            mode.is_asking = False

    def kernel(keyset, *args, **kwargs):
        if args and type(args[0]) in _NUMBERS:
            args = operation.with_tensors(args)
        if counts and args[0].dtype in integers and _is_small(mode, args[0]):
            return _call(operation, keyset, args, kwargs)
        if not entries:
            return ask(keyset, args, kwargs)
        only_masks = has_mask and args[0].dtype not in integers and key_of(args[0]) not in entries
        for value in args:
            for item in value if type(value) in (list, tuple) else (value,):
                if type(item) in plain_types and item.is_cuda and \
                        (not only_masks or item.dtype is truths) and (key_of(item) in entries or not item.numel()):
                    return _call(operation, keyset, args, kwargs)
        return ask(keyset, args, kwargs)

    return kernel


def _kernel_at_once(mode, operation):
    """The operations of which it is made are seen where something is unknown, or made up."""
    entries, key_of, plain_types = mode.known.entries, known_values.key_of, mode.plain_types
    pass_by, keys_after = operation.redispatch, mode.keys_after

    def is_known(value):
        if type(value) not in plain_types:
            return not isinstance(value, mode.torch.Tensor)
        entry = entries.get(key_of(value)) if value.is_cuda else None
        return entry is not None and not entry.is_made_up and 0 < value.numel() <= MOST_ELEMENTS

    def kernel(keyset, *args, **kwargs):
        if entries and is_known(args[0]) and all(map(is_known, args[1:])):
            return _call(operation, keyset, args, kwargs)
        return pass_by(keyset & keys_after, *args, **kwargs)

    return kernel


def _kernel_of_tiles(mode, operation, otherwise):
    """Copies of unknown numbers are unknown, and not even likely."""
    run, entries, key_of, plain_types = operation.run, mode.known.entries, known_values.key_of, mode.plain_types
    likely, weights = mode.likely, mode.weights

    def kernel(keyset, tensor, repeats):
        if type(tensor) in plain_types and (tensor.dtype.is_floating_point or tensor.numel() > MOST_ELEMENTS) and \
                key_of(tensor) not in entries and likely.of(tensor) is None and not weights.are_noted(tensor):
            return run((tensor, repeats))
        return otherwise(keyset, tensor, repeats)

    return kernel


def _kernel_between_ranks(mode, operation):
    """The first argument gets values, the second one, if it has tensors, has those that are sent."""

    def kernel(keyset, *args, **kwargs):
        known, built_in = mode.known, mode.torch._C
        received, sent = ([tensor for tensor in _tensors_in(value) if type(tensor) in mode.plain_types
                           and tensor.is_cuda] for value in args[:2])
        if operation.base == "send":
            received, sent = [], received
        known.forget_written()
        with mode.aside():
            if not mode.is_capturing():
                for tensor in received + sent:
                    known.tell(tensor)
            for tensor in received:
                known.expect(tensor)
        result = operation.run(args, kwargs)
        known.forget_written()
        return result

    return kernel


def _tensors_in(value):
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in _tensors_in(item)]
    return [value]


def _kernels_that_forget(mode):
    """The function that makes them, which share what is not an operation's own."""
    entries = mode.known.entries

    def kernel_of(operation):
        run = operation.run

        def kernel(keyset, *args, **kwargs):
            result = run(args, kwargs)
            if entries:
                operation.forget_changed(args, kwargs)
            return result

        return kernel

    return kernel_of


def _call(operation, keyset, args, kwargs):
    mode = operation.mode
    if mode.has_transforms() is not None:
        return operation.run(args, kwargs)
    mode.known.deeds += 1
    mode.known.forget_written()
    mode.known.drop_last_dead()
    if operation.is_read or mode.has_dispatch_modes() or mode.has_function_modes():
        return _call_seen_by_modes(operation, keyset, args, kwargs)
    computation = _Computation(operation)
    around = mode.reads, mode.found, mode.found_is_made_up
    mode.switch(False)
    try:
        is_known, found = operation.find(computation, args, kwargs)
        if found is _FOUND_NOTHING and operation.asks_others:
            result = _run_in_sight(operation, keyset, args, kwargs)
        else:
            mode.reads, (mode.found, mode.found_is_made_up) = None, found
            mode.asks_size = operation.asks_size
            if found is not _FOUND_NOTHING and found is not _READS_NOTHING and not found[1]:
                mode.answer_before()
            # From here, as each request for memory looks through all frames above it.
            result = (operation.shortest if is_known else operation.plain)(*args, **kwargs)
        computation.end(args, kwargs, result, is_known)
    finally:
        mode.answers.take_back()
        mode.reads, mode.found, mode.found_is_made_up = around
        mode.switch(True)
    return result


def _call_seen_by_modes(operation, keyset, args, kwargs):
    """Modes of PyTorch see the operation itself, and nothing of ours."""
    mode, computation = operation.mode, _Computation(operation)
    with mode.aside():
        is_known, found = operation.find(computation, args, kwargs)
    result = _run(operation, keyset, args, kwargs, found, is_known)
    with mode.aside():
        computation.end(args, kwargs, result, is_known)
    return result


def _run(operation, keyset, args, kwargs, found, is_known):
    """The operation itself, which may read from the device in its middle."""
    if operation.is_read:
        return _run_read(operation, keyset, args, is_known)
    mode = operation.mode
    if found is _FOUND_NOTHING and operation.asks_others:
        return mode.run_reading(lambda: operation.run_in_parts(keyset, *args, **kwargs), None, found)
    return mode.run_reading(lambda: operation.run(args, kwargs), None, found)


def _run_in_sight(operation, keyset, args, kwargs):
    """The operation while our kernels are switched off: those that it calls are seen again."""
    mode = operation.mode
    mode.switch(True)
    try:
        return _run(operation, keyset, args, kwargs, _FOUND_NOTHING, False)
    finally:
        mode.switch(False)


def _run_read(operation, keyset, args, is_known):
    """A number that is read. An operation may read by it how much it found."""
    mode, run, [tensor] = operation.mode, operation.run, args
    reads = mode.known.entry_of(tensor) if is_known else None
    found = mode.found, mode.found_is_made_up
    try:
        return mode.run_reading(lambda: run((tensor,)), reads, found)
    except RuntimeError:
        if tensor.dtype is not mode.torch.uint64:
            raise
        with mode.aside():
            as_signed = tensor.view(mode.torch.int64)
        # In some versions no kernel in Python can return a number above those of int64: the highest bit is lost.
        return run((as_signed,)) & _MOST_OF_INT64


class _Computation:
    """An operation on known values."""

    __slots__ = ("_operation", "_mode", "_changed", "_is_made_up", "_is_large", "_was_made_up", "_elements", "_args",
                 "_kwargs", "_result")

    def __init__(self, operation):
        self._operation = operation
        self._mode = operation.mode
        # Tensors that it changes: of the device, of the host, and the entry.
        self._changed = []
        self._is_made_up = False
        # Whether it has as many elements as only some tensors may have.
        self._is_large = False
        # Whether numbers that it may write over were made up.
        self._was_made_up = False
        # Product of the numbers of elements of its tensors.
        self._elements = 1
        self._result = None

    def find(self, args, kwargs):
        """Whether its results are known, and how many it finds."""
        operation = self._operation
        if self._prepare(args, kwargs) and not (operation.spreads and self._is_spread_too_far()) and self._compute():
            return True, self._found(args) if operation.asks_others else _FOUND_NOTHING
        return False, self._found_of_mask(args)

    def end(self, args, kwargs, result, is_known):
        """Once the operation itself has run."""
        mode = self._mode
        mode.known.forget_written()
        if is_known and not mode.is_capturing():
            self._learn(result)
            return
        if self._operation.is_at_once and not is_known:
            # The operations of which it is made were seen.
            return
        for value in (*self._operation.changed_of(args, kwargs), *_each_of(result)):
            if type(value) in mode.plain_types:
                mode.known.forget(value)

    def _prepare(self, args, kwargs):
        """Whether all values are known that it needs."""
        operation, changed = self._operation, self._operation.changed
        try:
            self._args = [self._of_host(value, changed.get(place)) for place, value in enumerate(args)] if changed \
                else [value if type(value) in _UNCHANGED_ON_HOST else self._of_host(value) for value in args]
            self._kwargs = {name: value if type(value) in _UNCHANGED_ON_HOST else
                            self._of_host(value, name if name in operation.results else None)
                            for name, value in kwargs.items()} if kwargs else kwargs
        except _Unknown:
            return False
        return True

    def _of_host(self, value, changed_name=None):
        """`changed_name`: of the argument, if the operation changes it; else None."""
        kind, mode = type(value), self._mode
        if kind in mode.plain_types:
            if not value.is_cuda:
                return self._tensor_of_host(value, None, changed_name)
            entry = mode.known.entry_of(value)
            view = None if entry is None or changed_name is not None else mode.known.last_view(entry, value)
            count = 0 if view is None or entry.is_large else value.numel()
            if not 0 < count <= MOST_ELEMENTS:
                return self._tensor_of_host(value, entry, changed_name)
            self._elements *= count
            self._is_made_up |= entry.is_made_up
            return view
        if kind in _UNCHANGED_ON_HOST:
            return value
        if isinstance(value, mode.torch.Tensor):
            raise _Unknown
        if kind in (list, tuple):
            return [self._of_host(item, changed_name) for item in value]
        if kind is mode.torch.device:
            return mode.torch.device("cpu")
        return value

    def _tensor_of_host(self, tensor, entry, changed_name):
        """`entry`: its known values, or None."""
        known, operation = self._mode.known, self._operation
        is_changed = changed_name is not None
        self._check_form(tensor)
        self._elements *= max(tensor.numel(), 1)
        if not tensor.is_cuda:
            if is_changed or not tensor.is_cpu:
                raise _Unknown
            return tensor.detach() if tensor.requires_grad else tensor
        has_no_values_before = tensor.numel() == 0 or changed_name in operation.results or \
            is_changed and operation.overwrites
        if entry is None and not has_no_values_before:
            entry = self._made_up(tensor)
            if entry is None and operation.joins and not is_changed:
                return self._unknown_number(tensor)
            if entry is None:
                raise _Unknown
        if entry is not None and entry.is_made_up and not has_no_values_before:
            self._was_made_up |= is_changed
            self._is_made_up |= not is_changed
        value = known.view(entry, tensor) if entry else known.empty_for(tensor)
        if is_changed:
            value = value.clone() if entry and not entry.is_large else value
            self._changed.append((tensor, value, entry or known.entry_before(tensor)))
        return value

    def _made_up(self, tensor):
        """None where nothing is made up for it."""
        kind = tensor.dtype
        if kind is self._mode.torch.bool:
            return self._mode.known.make_up_truths(tensor)
        if kind.is_floating_point:
            number = self._mode.likely.of(tensor)
            return None if number is None else self._mode.known.make_up_numbers(tensor, number)
        entry = self._mode.known.make_up(tensor) if kind in self._mode.integers else None
        if entry is not None and self._mode.typed_answers.are_ones:
            self._mode.known.view(entry, tensor).fill_(1)
        return entry

    def _unknown_number(self, tensor):
        """One that is put beside known ones, as a loss is."""
        if tensor.numel() != 1 or not tensor.dtype.is_floating_point:
            raise _Unknown
        self._is_made_up = True
        return self._mode.known.empty_for(tensor).fill_(self._mode.unknown_number(tensor))

    def _check_form(self, tensor):
        """Tensors that are copied may have as many elements as can be known."""
        kind = tensor.dtype
        if kind.is_complex or tensor.is_quantized or tensor.layout is not self._mode.torch.strided:
            raise _Unknown
        if tensor.numel() <= _MOST_SMALL:
            return
        if self._mode.known.is_large(tensor, self._operation.compares):
            self._is_large = True
        elif tensor.numel() > MOST_ELEMENTS:
            if not self._operation.is_copy:
                raise _Unknown
            # In another type than it has on the host.
            self._is_large |= tensor.is_cpu and not tensor.requires_grad

    def _is_spread_too_far(self):
        """Only a result of several large tensors may be."""
        return self._elements > computed_operations.MOST_SPREAD and \
            computed_operations.is_spread_too_far(self._operation.stem, self._args)

    def _compute(self):
        """Whether it could be computed. What raises an error on the host stays unknown."""
        try:
            self._result = self._operation.function(*self._args, **self._kwargs)
        except Exception:
            return False
        if self._was_made_up and not self._writes_over_all():
            self._is_made_up = True
        return True

    def _writes_over_all(self):
        """Whether each number of a row gets another one: a permutation is turned round so."""
        places = computed_operations.places_written(self._operation.base, self._args)
        count = self._args[0].numel()
        return places is not None and self._args[0].dim() == places.dim() == 1 and \
            (int(places.sum()) if places.dtype is self._mode.torch.bool else places.unique().numel()) == count

    def _found(self, args):
        """How many it found, for operations that ask the device in their middle."""
        operation = self._operation
        numbers_of = computed_operations.NUMBERS_READ.get(operation.base)
        numbers = numbers_of(self._args, self._result) if numbers_of and self._args[0].numel() else None
        if numbers is not None:
            return numbers, self._is_made_up
        found = _each_of(self._result)[0]
        count = computed_operations.found_count(operation.base, self._args, found)
        if count is None and self._is_picked_by_mask():
            count = found.shape[0]
        return self._found_of_mask(self._args) if count is None else (count, self._is_count_made_up(args))

    def _is_count_made_up(self, args):
        """The chosen values may be made up where their number is known."""
        mask = _each_of(args[1])[0] if self._operation.base in computed_operations.CHOOSING else None
        entry = self._mode.known.entry_of(mask) if mask is not None and mask.is_cuda else None
        return self._is_made_up if entry is None else entry.is_made_up

    def _is_picked_by_mask(self):
        """Whether a single mask says what is picked, by which the result begins then."""
        if self._operation.base != "index" or len(self._args[1]) != 1:
            return False
        [mask] = self._args[1]
        return mask is not None and mask.dtype is self._mode.torch.bool and mask.dim() > 0

    def _found_of_mask(self, args):
        """An operation with one mask, which is known, asks how many of it are chosen. One with places asks nothing."""
        place = computed_operations.MASKS.get(self._operation.base)
        if place is None or len(args) <= place:
            return _FOUND_NOTHING
        indices = [item for item in _each_of(args[place]) if item is not None]
        if self._mode.places.issuperset(index.dtype for index in indices):
            return _READS_NOTHING
        if len(indices) != 1 or indices[0].dtype is not self._mode.torch.bool:
            return _FOUND_NOTHING
        [mask] = indices
        if not mask.is_cuda:
            return _count_yes(mask), self._is_made_up
        entry = self._mode.known.entry_of(mask)
        if entry is None:
            return _FOUND_NOTHING
        return _count_yes(self._mode.known.view(entry, mask)), entry.is_made_up

    def _learn(self, result):
        known, is_made_up = self._mode.known, self._is_made_up
        for tensor, value, entry in self._changed:
            if tensor.shape == value.shape and tensor.dtype == value.dtype:
                is_zeros = entry is not None and entry.is_zeros
                known.learn(tensor, value, entry, is_made_up, self._is_large)
                if is_zeros:
                    entry.chosen = computed_operations.chosen_classes(self._operation.name, self._args)
            else:
                known.forget(tensor)
        if self._operation.changed:
            return
        plain_types, nothing = self._mode.plain_types, self._mode.host_numbers.nothing
        for tensor, value in zip(_each_of(result), _each_of(self._result)):
            if value is not nothing and type(tensor) in plain_types and tensor.is_cuda and \
                    tensor.shape == value.shape and tensor.dtype is value.dtype:
                known.learn(tensor, value, None, is_made_up, self._is_large)
