"""Facts about the numbers of tensors, noted by their storages, which are held weakly."""

from vramlab_dry_run import known_values

# Storages at which those that are gone are looked for first.
_FIRST_LOOK_FOR_DEAD = 256


class StorageNotes:
    def __init__(self):
        from torch.multiprocessing.reductions import StorageWeakRef

        self._weak_reference_of = StorageWeakRef
        # By storage: the fact, the version for which it holds, or None for any, and a weak reference.
        self._found = {}
        self._next_look = _FIRST_LOOK_FOR_DEAD

    def __bool__(self):
        return bool(self._found)

    def note(self, tensor, fact, is_for_any_version=False):
        key = known_values.key_of(tensor)
        if key is None:
            return
        version = None if is_for_any_version else known_values.version_of(tensor)
        self._found[key] = fact, version, self._weak_reference_of(tensor.untyped_storage())
        if len(self._found) >= self._next_look:
            self._found = {key: found for key, found in self._found.items() if not found[2].expired()}
            self._next_look = max(_FIRST_LOOK_FOR_DEAD, 2 * len(self._found))

    def forget(self, tensor):
        """Whether anything was noted."""
        return bool(self._found) and self._found.pop(known_values.key_of(tensor), None) is not None

    def of(self, tensor):
        """None where nothing is."""
        if not self._found:
            return None
        found = self._found.get(known_values.key_of(tensor))
        if found is None or found[2].expired():
            return None
        return found[0] if found[1] in (None, known_values.version_of(tensor)) else None
