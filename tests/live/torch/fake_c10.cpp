// A library that is loaded where PyTorch's is; nothing of it is called.
extern "C" int fake_c10() { return 0; }
