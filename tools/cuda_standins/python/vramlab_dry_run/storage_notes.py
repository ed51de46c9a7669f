"""Facts about the numbers of tensors, noted by their storages, which are held weakly."""

from vramlab_dry_run import known_values

# Storages at which those that are gone are looked for first.
_FIRST_LOOK_FOR_DEAD = 256


class StorageNotes:
    def __init__(self):
        from torch._C import StorageBase

        self._is_gone, self._let_go = StorageBase._expired, StorageBase._free_weak_ref
        # By the address of the storage's own structure: the fact, the version for which it holds, or None for any,
        # and a weak pointer, which keeps the structure from being used for another storage.
        self._found = {}
        self._next_look = _FIRST_LOOK_FOR_DEAD

    def __bool__(self):
        return bool(self._found)

    def note(self, tensor, fact, is_for_any_version=False):
        key = known_values.key_of(tensor)
        if key is None:
            return
        version = None if is_for_any_version else known_values.version_of(tensor)
        before = self._found.get(key)
        weak = tensor.untyped_storage()._weak_ref() if before is None else before[2]
        self._found[key] = fact, version, weak
        if len(self._found) >= self._next_look:
            self._forget_dead()

    def _forget_dead(self):
        for key, (_, _, weak) in list(self._found.items()):
            if self._is_gone(weak):
                del self._found[key]
                self._let_go(weak)
        self._next_look = max(_FIRST_LOOK_FOR_DEAD, 2 * len(self._found))

    def forget(self, tensor):
        """Whether anything was noted."""
        found = self._found.pop(known_values.key_of(tensor), None) if self._found else None
        if found is None:
            return False
        self._let_go(found[2])
        return True

    def of(self, tensor):
        """None where nothing is."""
        found = self._found.get(known_values.key_of(tensor)) if self._found else None
        if found is None:
            return None
        fact, version, _ = found
        return fact if version is None or version == known_values.version_of(tensor) else None
