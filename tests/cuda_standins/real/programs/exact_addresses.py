"""Storage at addresses that the program names, in one large free block: PyTorch requests the bytes
before an address too, and frees them at once. A history of 2.15 says so, and a replay of it names
such requests where it differs."""
import figures
import torch

MIB = 1 << 20


def storage_at(size, address):
    storage = torch.empty(0, dtype=torch.uint8, device="cuda").untyped_storage()
    storage._resize_with_addr_(size, address)
    assert storage.data_ptr() == address
    return storage


def main():
    whole = torch.empty(64 * MIB, dtype=torch.uint8, device="cuda")
    first = whole.data_ptr()
    del whole
    kept = [storage_at(3 * MIB, first + 5 * MIB), storage_at(2 * MIB, first),
            storage_at(4 * MIB, first + 40 * MIB - 512)]
    refused = 0
    for size, address in ((MIB, first + 100), (2 * MIB, first + 5 * MIB), (1000, first + 20 * MIB)):
        try:
            kept.append(storage_at(size, address))
        except RuntimeError:
            refused += 1
    print("REFUSED", refused)


main()
