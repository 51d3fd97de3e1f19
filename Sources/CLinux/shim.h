// Linux calls that Swift's Glibc module leaves out.
#ifndef RECORDER_CLINUX_SHIM_H
#define RECORDER_CLINUX_SHIM_H
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static inline int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
// The kernel's name of the calling thread, at most 15 bytes (prctl(2), PR_SET_NAME).
static inline void clinux_set_thread_name(const char *name) { prctl(PR_SET_NAME, (unsigned long)name, 0, 0, 0); }

// ppoll(2), which is behind _GNU_SOURCE: the timeout in nanoseconds.
extern int ppoll(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
static inline int clinux_poll_readable(int fd, long long nanoseconds) {
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    struct timespec timeout = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    return ppoll(&wait, 1, &timeout, 0);
}

#endif
