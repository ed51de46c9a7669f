program(memory=1*GiB, reference="2.6")
a = empty(600*KiB)
b = empty(700*KiB)
c = empty(4*MiB)
marker("the other process opens the segment that b lies in")
del a
del c
marker("del b: the tensor is gone, its memory is kept for the other process")
empty_cache()
marker("the other process is done with b")
del b
empty_cache()
