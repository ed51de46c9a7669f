program(memory=1*GiB, reference="2.6")
with pool((0, 1)):
    a = empty(4*MiB)
    b = empty(6*MiB)
    del a
    checkpoint("first graph", pool=(0, 1))
    del b
    c = empty(16*MiB)
    del c
    restore("first graph", id=j)
    d = empty(4*MiB)
