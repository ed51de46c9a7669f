program(memory=1*GiB, reference="2.6")
a = empty(100_000)  # small: a segment of 2 MiB
b = empty(900_000)
c = empty(3*MiB)    # large: a segment of 20 MiB
d = empty(9*MiB)
e = empty(9*MiB)
f = empty(11_533_336)
g = empty(1_100_000)
