// slowdisk: a slow or blocked disk for one program's recordings. Built by the tests with cc, loaded with LD_PRELOAD.
// It delays writes to files whose name contains ".recording."; all other calls are unchanged.
//
//   SLOWDISK_PERCENT   percentage of writes and syncs that are delayed, at random; default 0
//   SLOWDISK_DELAY     milliseconds of each delay; default 500
//   SLOWDISK_SEED      seed of the random numbers; default 1
//   SLOWDISK_STOP      a path: while that file exists, all writes and syncs block
//   SLOWDISK_LOG       a file with a line for each delay: the call, "stopped" or "delayed", and the path
//
// A delay is a sleep in the writing thread. As with a real disk, only that thread waits.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static atomic_uint_fast64_t draws;

static uint64_t number(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void sleep_milliseconds(uint64_t milliseconds) {
    struct timespec time = {.tv_sec = (time_t)(milliseconds / 1000), .tv_nsec = (long)(milliseconds % 1000 * 1000000)};
    while (nanosleep(&time, &time) != 0) {
    }
}

// SplitMix64: the N-th number depends on the seed alone, not on the thread.
static uint64_t draw(void) {
    uint64_t z = number("SLOWDISK_SEED", 1) + (atomic_fetch_add(&draws, 1) + 1) * 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static int is_recording(int descriptor, char path[static 4096]) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(link, path, 4095);
    if (length <= 0) return 0;
    path[length] = 0;
    const char *name = strrchr(path, '/');
    return name && strstr(name, ".recording.");
}

static void tell(const char *call, const char *path, const char *what) {
    const char *log = getenv("SLOWDISK_LOG");
    if (!log) return;
    char line[4400];
    int length = snprintf(line, sizeof line, "%s %s %s\n", call, what, path);
    int file = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return;
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = (ssize_t (*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (real(file, line, (size_t)length) < 0) abort();
    close(file);
}

static void delay(int descriptor, const char *call) {
    char path[4096];
    if (!is_recording(descriptor, path)) return;
    const char *stop = getenv("SLOWDISK_STOP");
    if (stop && access(stop, F_OK) == 0) {
        tell(call, path, "stopped");
        while (access(stop, F_OK) == 0) sleep_milliseconds(20);
    }
    if (draw() % 100 < number("SLOWDISK_PERCENT", 0)) {
        tell(call, path, "delayed");
        sleep_milliseconds(number("SLOWDISK_DELAY", 500));
    }
}

#define REAL(name) \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

ssize_t write(int file, const void *bytes, size_t count) {
    REAL(write);
    delay(file, "write");
    return real(file, bytes, count);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    REAL(pwrite);
    delay(file, "pwrite");
    return real(file, bytes, count, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    REAL(pwrite64);
    delay(file, "pwrite");
    return real(file, bytes, count, offset);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(writev);
    delay(file, "writev");
    return real(file, parts, count);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
    REAL(pwritev);
    delay(file, "pwritev");
    return real(file, parts, count, offset);
}

int fdatasync(int file) {
    REAL(fdatasync);
    delay(file, "fdatasync");
    return real(file);
}

int fsync(int file) {
    REAL(fsync);
    delay(file, "fsync");
    return real(file);
}
