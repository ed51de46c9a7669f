program(memory=1*GiB, reference="2.6")
a = empty(4*MiB)
b = empty(4*MiB)
c = empty(4*MiB)
del a
del c
d = empty(14*MiB)
del b
e = empty(16*MiB)
