program(memory=1*GiB, reference="2.6")
a = empty(4*MiB)
b = empty(2*MiB)
c = empty(6*MiB)
d = empty(2*MiB)
del a  # a hole of 4 MiB
del c  # a hole of 6 MiB
e = empty(3*MiB)
f = empty(4*MiB)
g = empty(2*MiB)
