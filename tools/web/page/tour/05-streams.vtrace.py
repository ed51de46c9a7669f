program(memory=1*GiB, reference="2.6")
a = empty(6*MiB)
work(7, duration_ns=500*us)
a.record_stream(7)
del a  # waits for stream 7
b = empty(6*MiB)
stream_done(7)
c = empty(6*MiB)
with stream(7):
    d = empty(6*MiB)
