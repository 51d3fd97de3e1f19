// Linux calls that Swift's Glibc module leaves out.
#ifndef RECORDER_CLINUX_SHIM_H
#define RECORDER_CLINUX_SHIM_H
#include <fcntl.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static inline int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
// The kernel's name of the calling thread, at most 15 bytes (prctl(2), PR_SET_NAME).
static inline void clinux_set_thread_name(const char *name) { prctl(PR_SET_NAME, (unsigned long)name, 0, 0, 0); }

// rename(2) that fails with EEXIST instead of replacing (renameat2(2), RENAME_NOREPLACE).
static inline int clinux_rename_exclusive(const char *from, const char *to) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1U);
}

// The processors that this process may use, not those of the machine (sched_getaffinity(2)).
static inline int clinux_available_processors(void) {
    unsigned char mask[1024];
    long size = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
    int count = 0;
    for (long index = 0; index < size; index++) count += __builtin_popcount(mask[index]);
    return count > 0 ? count : 1;
}

#endif
