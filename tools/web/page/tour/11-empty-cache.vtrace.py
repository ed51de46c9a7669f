program(memory=1*GiB, reference="2.6")
a = empty(12*MiB)
b = empty(4*MiB)
c = empty(4*MiB)
del a
del b
empty_cache()
d = empty(2*MiB)
del c
options("expandable_segments:True")
e = empty(50*MiB)
f = empty(19*MiB)
del e
empty_cache()
