program(memory=512*MiB, reference="2.6", settings="expandable_segments:True")
a = empty(8*MiB)
b = empty(30*MiB)
del a
c = empty(40*MiB)
del b
d = empty(36*MiB)
del c
del d
empty_cache()
