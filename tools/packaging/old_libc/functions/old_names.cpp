// Functions that moved into libc.so.6 under a new version in glibc 2.32 and 2.34. Their old
// versions are still there.
#include "tools/packaging/old_libc/old_name.h"

VRAMLAB_OLD_NAME(__pthread_key_create, __pthread_key_create, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(pthread_key_create, pthread_key_create, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(pthread_key_delete, pthread_key_delete, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(pthread_getspecific, pthread_getspecific, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(pthread_setspecific, pthread_setspecific, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(pthread_once, pthread_once, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(pthread_create, pthread_create, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(pthread_join, pthread_join, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(pthread_attr_getstack, pthread_attr_getstack, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(pthread_getattr_np, pthread_getattr_np, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(pthread_detach, pthread_detach, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(pthread_kill, pthread_kill, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(pthread_sigmask, pthread_sigmask, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(pthread_rwlock_rdlock, pthread_rwlock_rdlock, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(pthread_rwlock_wrlock, pthread_rwlock_wrlock, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(pthread_rwlock_unlock, pthread_rwlock_unlock, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(pthread_mutex_trylock, pthread_mutex_trylock, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(pthread_getcpuclockid, pthread_getcpuclockid, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(sem_init, sem_init, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(sem_post, sem_post, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(sem_wait, sem_wait, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(sem_timedwait, sem_timedwait, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(sem_destroy, sem_destroy, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(dladdr, dladdr, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(dladdr1, dladdr1, "GLIBC_2.3.3");
VRAMLAB_OLD_NAME(dlclose, dlclose, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(dlerror, dlerror, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(dlinfo, dlinfo, "GLIBC_2.3.3");
VRAMLAB_OLD_NAME(dlopen, dlopen, "GLIBC_2.2.5");
VRAMLAB_OLD_NAME(dlvsym, dlvsym, "GLIBC_2.2.5");
