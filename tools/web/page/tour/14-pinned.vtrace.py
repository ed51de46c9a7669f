program(memory=1*GiB, reference="2.15", version=2)
host_malloc(a, bytes=100*1000*1000)  # torch.empty(..., pin_memory=True)
work(0, duration_ns=5*ms)            # a copy to the GPU
host_use(a)
host_free(a)                         # waits for the copy
host_malloc(b, bytes=100*1000*1000)
stream_done(0)
host_malloc(c, bytes=70*MiB)
host_free(b)
empty_cache()
host_empty_cache()
