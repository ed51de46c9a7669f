_hooks = {}


class _Handle:
    def __init__(self, number):
        self._number = number

    def remove(self):
        _hooks.pop(self._number, None)


def register_optimizer_step_post_hook(hook):
    _hooks[len(_hooks)] = hook
    return _Handle(len(_hooks) - 1)


class Optimizer:
    def step(self):
        for hook in list(_hooks.values()):
            hook(self, (), {})
