// faultydisk: a failing disk for one program's recordings. Built by the tests and `scripts/soak disk-errors` with cc,
// loaded with LD_PRELOAD. Only calls on files whose path contains FAULTYDISK_PATH fail; all other calls are unchanged.
//
//   FAULTYDISK_CALL    the failing calls, separated by commas: write, fsync, fdatasync, open, rename, ftruncate, close
//   FAULTYDISK_ERROR   the errno; "short": half of the bytes are written; "stall": the call takes two seconds
//   FAULTYDISK_COUNT   number of calls that fail, later calls work; default: all
//   FAULTYDISK_WHILE   a path: calls fail only while that file exists; default: always
//   FAULTYDISK_PATH    part of the path; default ".recording."
//   FAULTYDISK_LOG     a file with a line for each failed call: the call and its path
//
// A failing call has no effect, except close, which closes and then reports the error.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum { works = 0, shortened = -1, stalled = -2 };

static atomic_long failures;

// The C library's own function, which the one below replaces.
static long system_call(long number, long a, long b, long c, long d, long e, long f) {
    static long (*real)(long, ...);
    if (!real) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return real(number, a, b, c, d, e, f);
}

#define REAL(name)               \
    static __typeof__(&name) real; \
    if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static int names_call(const char *call) {
    const char *list = getenv("FAULTYDISK_CALL");
    size_t length = strlen(call);
    for (const char *place = list; place && *place;) {
        const char *end = strchrnul(place, ',');
        if ((size_t)(end - place) == length && memcmp(place, call, length) == 0) return 1;
        place = *end ? end + 1 : end;
    }
    return 0;
}

static void tell(const char *call, const char *path) {
    const char *log = getenv("FAULTYDISK_LOG");
    if (!log) return;
    char line[4300];
    int length = snprintf(line, sizeof line, "%s %s\n", call, path);
    // Raw system calls, because the functions are replaced here.
    int file = (int)system_call(
        SYS_openat, AT_FDCWD, (long)log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600, 0, 0);
    if (file < 0) return;
    if (system_call(SYS_write, file, (long)line, length, 0, 0, 0) < 0) abort();
    system_call(SYS_close, file, 0, 0, 0, 0, 0);
}

// Returns the result of a call on a path: an errno, or one of the constants above.
static int fault(const char *call, const char *path) {
    if (!names_call(call)) return works;
    const char *part = getenv("FAULTYDISK_PATH");
    if (!strstr(path, part ? part : ".recording.")) return works;
    const char *flag = getenv("FAULTYDISK_WHILE");
    if (flag && system_call(SYS_faccessat, AT_FDCWD, (long)flag, F_OK, 0, 0, 0) != 0) return works;
    const char *count = getenv("FAULTYDISK_COUNT");
    if (count && atomic_fetch_add(&failures, 1) >= atol(count)) return works;
    tell(call, path);
    const char *error = getenv("FAULTYDISK_ERROR");
    if (!error) return EIO;
    if (strcmp(error, "short") == 0) return shortened;
    if (strcmp(error, "stall") == 0) return stalled;
    return atoi(error);
}

static int fault_of(const char *call, int descriptor) {
    if (!names_call(call)) return works;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    ssize_t length = system_call(SYS_readlinkat, AT_FDCWD, (long)link, (long)path, sizeof path - 1, 0, 0);
    if (length <= 0) return works;
    path[length] = 0;
    int saved = errno;
    int result = fault(call, path);
    errno = saved;
    return result;
}

#define CARRY_OUT(result, call, failure)     \
    do {                                     \
        if ((result) == stalled) sleep(2);   \
        if ((result) > 0) {                  \
            errno = (result);                \
            return (failure);                \
        }                                    \
        return (call);                       \
    } while (0)

#define HALF(result, count) ((result) == shortened && (count) > 1 ? (count) / 2 : (count))

ssize_t write(int file, const void *bytes, size_t count) {
    REAL(write);
    int result = fault_of("write", file);
    CARRY_OUT(result, real(file, bytes, HALF(result, count)), -1);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    REAL(pwrite);
    int result = fault_of("write", file);
    CARRY_OUT(result, real(file, bytes, HALF(result, count), offset), -1);
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    REAL(pwrite64);
    int result = fault_of("write", file);
    CARRY_OUT(result, real(file, bytes, HALF(result, count), offset), -1);
}

ssize_t pwritev(int file, const struct iovec *parts, int count, off_t offset) {
    REAL(pwritev);
    int result = fault_of("write", file);
    CARRY_OUT(result, real(file, parts, HALF(result, count), offset), -1);
}

int fsync(int file) {
    REAL(fsync);
    int result = fault_of("fsync", file);
    CARRY_OUT(result, real(file), -1);
}

int fdatasync(int file) {
    REAL(fdatasync);
    int result = fault_of("fdatasync", file);
    CARRY_OUT(result, real(file), -1);
}

int ftruncate(int file, off_t size) {
    REAL(ftruncate);
    int result = fault_of("ftruncate", file);
    CARRY_OUT(result, real(file, size), -1);
}

int ftruncate64(int file, off64_t size) {
    REAL(ftruncate64);
    int result = fault_of("ftruncate", file);
    CARRY_OUT(result, real(file, size), -1);
}

int close(int file) {
    REAL(close);
    int result = fault_of("close", file);
    if (result == stalled) sleep(2);
    int code = real(file);
    if (result > 0) {
        errno = result;
        return -1;
    }
    return code;
}

// Only opening for creation or writing can fail; reading an existing file works.
static int open_result(const char *path, int flags) {
    return flags & (O_CREAT | O_WRONLY | O_RDWR) ? fault("open", path) : works;
}

#define OPEN(name)                                          \
    int name(const char *path, int flags, ...) {            \
        REAL(name);                                         \
        va_list arguments;                                  \
        va_start(arguments, flags);                         \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0; \
        va_end(arguments);                                  \
        int result = open_result(path, flags);              \
        CARRY_OUT(result, real(path, flags, mode), -1);     \
    }

OPEN(open)
OPEN(open64)

int rename(const char *from, const char *to) {
    REAL(rename);
    int result = fault("rename", from);
    CARRY_OUT(result, real(from, to), -1);
}

// The exclusive rename has no function in older C libraries, so the program calls it by its number.
long syscall(long number, ...) {
    va_list arguments;
    va_start(arguments, number);
    long words[6];
    for (int i = 0; i < 6; i++) words[i] = va_arg(arguments, long);
    va_end(arguments);
    int result = number == SYS_renameat2 ? fault("rename", (const char *)words[1]) : works;
    CARRY_OUT(result, system_call(number, words[0], words[1], words[2], words[3], words[4], words[5]), -1);
}
