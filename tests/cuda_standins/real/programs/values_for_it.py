"""The values that the program values_from_file.py reads."""


def values(read):
    if read.function == "route":
        # Its least and its largest value, then the counts.
        return [40, 0, 10, 50] if read.bytes == 4 * 8 else 3
    if read.bytes == 4:
        return 2.5 / (read.times + 1)
    return None
