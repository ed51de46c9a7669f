// dlsym under its old version, for what does not define a dlsym of its own.
#include "tools/packaging/old_libc/old_name.h"

VRAMLAB_OLD_NAME(dlsym, dlsym, "GLIBC_2.2.5");
