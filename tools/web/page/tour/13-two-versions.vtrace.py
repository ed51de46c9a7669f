program(memory=1*GiB, reference="2.6")
a = empty(12*MiB)
b = empty(12*MiB)
del a
empty_cache()
c = empty(12*MiB)
del b
del c
d = empty(12*MiB)
