// Linux calls that Swift's Glibc module leaves out.
#ifndef RECORDER_CLINUX_SHIM_H
#define RECORDER_CLINUX_SHIM_H
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

static inline int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
// The kernel's name of the calling thread, at most 15 bytes (prctl(2), PR_SET_NAME).
static inline void clinux_set_thread_name(const char *name) { prctl(PR_SET_NAME, (unsigned long)name, 0, 0, 0); }

#endif
