program(memory=1*GiB, reference="2.6")
with stream(3):
    a = empty(4*MiB)
    del a
with capture(3):
    with pool((1, 0), scope="capturing_streams"):
        b = empty(4*MiB)
        b.record_stream(5)
        del b
        c = empty(4*MiB)
with stream(3):
    d = empty(4*MiB)
del c
empty_cache()
pool_release((1, 0))  # the graph is gone
empty_cache()
