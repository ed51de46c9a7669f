program(memory=256*MiB, reference="2.6", settings="garbage_collection_threshold:0.6")
memory_fraction(0.5)
a = empty(30*MiB)
b = empty(50*MiB)
del a
c = empty(40*MiB)
d = empty(30*MiB)
e = empty(12*MiB)
