"""Modules in whose calls nothing was known: computed values (computed.py) are off in further ones.

An operation that passes by our kernels costs 20 to 50 us in a deep model, most of it for the longer
stacks of its requests. Blocks of such a model get large tensors and compute with these alone. After
two calls with arguments of the same kinds, in which no value was known, learned or forgotten, the
third one and those after it run without our kernels. A module with known or small arguments is never
left out, and neither is one that has read a value while it was.
"""

from vramlab_dry_run import known_values

# Calls in which nothing was known before a module is left out, and calls in which something was
# before it is looked at no more.
_QUIET_CALLS = 2
_MOST_LOUD_CALLS = 4
_PLAIN = (int, float, bool, str, type(None))


class QuietModules:
    """`most_of`: how many elements of a type can be known. Modules with parts are known by their place
    in memory, until `forget_along` says that some are gone: objects of Python for each of them would
    move the passes of the garbage collector."""

    def __init__(self, mode, most_of, forget_along):
        self._mode = mode
        self._most_of = most_of
        # Eight times a number for the kinds of arguments, and how many calls were quiet.
        self._quiet = {}
        # How many calls were not.
        self._loud = {}
        # The module that is left out now; 0 for none.
        self._left_out = 0
        # Deeds before each watched call under way, its kinds of arguments, and the module.
        self._watched = []
        # Made once: an object for each call would move the passes of the garbage collector.
        self._ends_left_out, self._ends_watched = self._end_left_out, self._end_watched
        forget_along(self._quiet)
        forget_along(self._loud)

    def beginning(self):
        """The function that is called before the call of a module. May return what ends it."""
        torch = self._mode.torch
        is_on, key = torch._C._dispatch_tls_is_dispatch_key_included, self._mode.key
        loud = self._loud

        def begin(module, args, kwargs):
            if not is_on(key) or not module._modules or loud.get(id(module), 0) >= _MOST_LOUD_CALLS:
                return None
            kinds = self._kinds_of(module, args, kwargs)
            # Hooks are the program's own.
            if not kinds or module._forward_hooks or module._forward_pre_hooks:
                return None
            if self._quiet.get(id(module)) == 8 * kinds + _QUIET_CALLS:
                self._left_out = id(module)
                self._mode.switch(False)
                return self._ends_left_out
            self._watched.extend((self._mode.known.deeds, kinds, id(module)))
            return self._ends_watched

        return begin

    def has_read(self):
        """A program reads a value that might be known: a module that is left out is not any more."""
        if self._left_out:
            self._loud[self._left_out] = _MOST_LOUD_CALLS

    def _kinds_of(self, module, args, kwargs):
        """0 if something may be known, or is not understood. Tensors of the inference mode have no
        versions, by which changes would be noticed."""
        mode = self._mode
        entries, plain_types = mode.known.entries, mode.plain_types
        if mode.torch.is_inference_mode_enabled():
            return 0
        kinds = [module.training]
        for value in (*args, *kwargs.values()):
            if type(value) in plain_types:
                if not value.is_cuda or value.numel() <= self._most_of(value.dtype) or \
                        known_values.key_of(value) in entries:
                    return 0
                kinds.append(value.dtype)
            elif isinstance(value, _PLAIN):
                kinds.append(value)
            else:
                return 0
        return hash(tuple(kinds)) or 1

    def _end_watched(self):
        here, kinds, deeds = self._watched.pop(), self._watched.pop(), self._watched.pop()
        if self._mode.known.deeds != deeds:
            self._loud[here] = self._loud.get(here, 0) + 1
            self._quiet.pop(here, None)
        else:
            before = self._quiet.get(here, 0)
            self._quiet[here] = 8 * kinds + (before % 8 + 1 if before // 8 == kinds else 1)

    def _end_left_out(self):
        self._mode.switch(True)
        self._left_out = 0
