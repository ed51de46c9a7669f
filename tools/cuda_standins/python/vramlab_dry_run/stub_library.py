"""Writes a shared library for x86-64 or 64-bit ARM whose functions note that they were called, and answer
one number: what a run needs of CUDA's libraries that no stand-in exports."""

import collections
import platform
import struct

# The largest page that a kernel for 64-bit ARM may have.
_PAGE = 0x10000
_FUNCTION_BYTES = 48
_NOTE = "vramlab_dry_run_note"
_KIND = b"unknown\0"
# The part of an ELF file whose flags are those of the stack: without it, code on the stack can be run.
_STACK = 0x6474E551


def _hashed(name):
    value = 0
    for letter in name.encode("ascii"):
        value = (value << 4) + letter
        high = value & 0xF0000000
        if high:
            value ^= high >> 24
        value &= ~high
    return value & 0xFFFFFFFF


def _hash_table(names):
    """As the System V ABI has it, with one bucket for each symbol."""
    count = len(names)
    buckets, chains = [0] * count, [0] * count
    for index, name in enumerate(names):
        if name:
            bucket = _hashed(name) % count
            chains[index], buckets[bucket] = buckets[bucket], index
    return struct.pack("<%dI" % (2 + 2 * count), count, count, *(buckets + chains))


def _function_of_x86_64(at, kind_at, subject_at, slot_at, answer):
    """vramlab_dry_run_note(kind, subject); return answer."""
    code = b"\x48\x83\xec\x08"
    for opcode, target in ((b"\x48\x8d\x3d", kind_at), (b"\x48\x8d\x35", subject_at),
                           (b"\xff\x15", slot_at)):
        end = at + len(code) + len(opcode) + 4
        code += opcode + struct.pack("<i", target - end)
    code += b"\xb8" + struct.pack("<i", answer) + b"\x48\x83\xc4\x08\xc3"
    return code.ljust(_FUNCTION_BYTES, b"\xcc")


def _function_of_aarch64(at, kind_at, subject_at, slot_at, answer):
    """The same; places are told as distances from an instruction, below one MiB."""
    def distance(instruction, target):
        value = target - (at + 4 * instruction)
        if not -(1 << 20) <= value < 1 << 20:
            raise ValueError("too many functions for one library")
        return value & ((1 << 21) - 1)

    def address(register, instruction, target):
        value = distance(instruction, target)
        return 0x10000000 | (value & 3) << 29 | value >> 2 << 5 | register

    words = [0xD503245F,  # bti c
             0xA9BF7BFD,  # stp x29, x30, [sp, #-16]!
             address(0, 2, kind_at), address(1, 3, subject_at),
             0x58000000 | distance(4, slot_at) >> 2 << 5 | 16,  # ldr x16, slot
             0xD63F0200,  # blr x16
             0x52800000 | answer << 5,  # mov w0, answer
             0xA8C17BFD,  # ldp x29, x30, [sp], #16
             0xD65F03C0]  # ret
    return struct.pack("<9I", *words).ljust(_FUNCTION_BYTES, b"\0")


#: The number of a processor in ELF, its relocation that fills a slot with an address, its functions.
_Machine = collections.namedtuple("_Machine", "number address_in_slot function")
_MACHINES = {"x86_64": _Machine(62, 6, _function_of_x86_64), "aarch64": _Machine(183, 1025, _function_of_aarch64)}


def is_written_for(machine):
    """Whether there is such a library for a machine, as platform.machine() calls it."""
    return machine in _MACHINES


def _strings(texts):
    joined, places = b"\0", []
    for text in texts:
        places.append(len(joined))
        joined += text.encode("ascii") + b"\0"
    return joined, places


def library_bytes(functions, soname, machine=None):
    """`functions`: pairs of a name and what it answers."""
    of_machine = _MACHINES[machine or platform.machine()]
    names = ["", _NOTE] + [name for name, _ in functions]
    texts, text_places = _strings(names[1:] + [soname])
    subjects, subject_places = _strings([soname + " " + name for name, _ in functions])
    subjects = _KIND + subjects

    # One page for the heads, then what is read, then what is run, then what is written.
    parts, place = {}, 0x200
    for part, size in (("texts", len(texts)), ("symbols", 24 * len(names)),
                       ("hash", 4 * (2 + 2 * len(names))), ("relocations", 24),
                       ("subjects", len(subjects))):
        parts[part] = place
        place += (size + 15) // 16 * 16
    code_at = (place + _PAGE - 1) // _PAGE * _PAGE
    code = b""
    data_at = (code_at + _FUNCTION_BYTES * len(functions) + _PAGE) // _PAGE * _PAGE
    slot_at = data_at
    symbols = struct.pack("<IBBHQQ", 0, 0, 0, 0, 0, 0)
    symbols += struct.pack("<IBBHQQ", text_places[0], 0x12, 0, 0, 0, 0)
    for index, (_, answer) in enumerate(functions):
        at = code_at + _FUNCTION_BYTES * index
        symbols += struct.pack("<IBBHQQ", text_places[1 + index], 0x12, 0, 1, at, _FUNCTION_BYTES)
        subject_at = parts["subjects"] + len(_KIND) + subject_places[index]
        code += of_machine.function(at, parts["subjects"], subject_at, slot_at, answer)
    relocations = struct.pack("<QQq", slot_at, 1 << 32 | of_machine.address_in_slot, 0)
    dynamic = b"".join(struct.pack("<QQ", tag, value) for tag, value in (
        (14, text_places[-1]), (4, parts["hash"]), (5, parts["texts"]), (6, parts["symbols"]),
        (10, len(texts)), (11, 24), (7, parts["relocations"]), (8, 24), (9, 24), (30, 8), (0, 0)))
    dynamic_at = slot_at + 16
    image = bytearray(data_at + 16 + len(dynamic))
    for at, part in ((parts["texts"], texts), (parts["symbols"], symbols),
                     (parts["hash"], _hash_table(names)), (parts["relocations"], relocations),
                     (parts["subjects"], subjects), (code_at, code), (dynamic_at, dynamic)):
        image[at:at + len(part)] = part
    heads = _heads(of_machine.number, code_at, len(code), data_at, len(image), (dynamic_at, len(dynamic)))
    image[:len(heads)] = heads
    return bytes(image)


def _heads(machine_number, code_at, code_bytes, data_at, all_bytes, dynamic):
    readable, runnable, writable = 4, 5, 6
    segments = [(1, readable, 0, code_at), (1, runnable, code_at, code_bytes),
                (1, writable, data_at, all_bytes - data_at), (2, writable) + dynamic,
                (_STACK, writable, 0, 0)]
    head = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    head += struct.pack("<HHIQQQIHHHHHH", 3, machine_number, 1, 0, 64, 0, 0, 64, 56, len(segments), 64, 0, 0)
    for kind, flags, at, size in segments:
        alignment = _PAGE if kind == 1 else 8
        head += struct.pack("<IIQQQQQQ", kind, flags, at, at, at, size, size, alignment)
    return head
