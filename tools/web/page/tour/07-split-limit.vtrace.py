program(memory=100*MiB, reference="2.6", settings="max_split_size_mb:32")
a = empty(64*MiB)
del a
b = empty(10*MiB)
c = empty(50*MiB)
del c
d = empty(42*MiB)
