program(memory=64*MiB, reference="2.6")
a = empty(20*MiB)
b = empty(20*MiB)
c = empty(12*MiB)
del b
d = empty(30*MiB)
del a
e = empty(6*MiB)
f = empty(18*MiB)
del d
g = empty(18*MiB)
