// A clock that runs faster for one program: preloaded, it lets ten hours pass for it in minutes. What sleeps, polls or
// waits with a time-out does so for as much shorter.
//
// The rate is in the file that QUICKCLOCK names, four int64 that the benchmark changes while the program runs:
//
//   0  odd while it is being changed
//   1  nanoseconds of CLOCK_MONOTONIC at which the rate began
//   2  nanoseconds by which the program's clocks were ahead then
//   3  the rate; 1 is the system's own
//
// Every clock of the program is ahead by the same; those that count processor time are left alone.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000LL
#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

static volatile int64_t *shared;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("QUICKCLOCK");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *bytes = mmap(NULL, 32, PROT_READ, MAP_SHARED, file, 0);
    close(file);
    if (bytes != MAP_FAILED) shared = bytes;
}

static int64_t nanoseconds(struct timespec time) { return time.tv_sec * SECOND + time.tv_nsec; }

static struct timespec timespec_of(int64_t time) {
    if (time < 0) time = 0;
    return (struct timespec){.tv_sec = time / SECOND, .tv_nsec = time % SECOND};
}

// By the vDSO: the wrapper of the C library is the one that is replaced here.
static int64_t real_time(clockid_t clock) {
    REAL(int, "clock_gettime", clockid_t, struct timespec *);
    struct timespec now;
    real(clock, &now);
    return nanoseconds(now);
}

static int64_t rate_and_lead(int64_t *lead) {
    *lead = 0;
    if (!shared) return 1;
    for (;;) {
        int64_t before = __atomic_load_n(&shared[0], __ATOMIC_ACQUIRE);
        int64_t since = shared[1], ahead = shared[2], rate = shared[3];
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (before % 2 || before != shared[0]) continue;
        *lead = ahead + (real_time(CLOCK_MONOTONIC) - since) * (rate - 1);
        return rate;
    }
}

static int64_t program_time(clockid_t clock) {
    int64_t lead;
    rate_and_lead(&lead);
    return real_time(clock) + lead;
}

static int counts_time_of_day(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME || clock == CLOCK_MONOTONIC_RAW
        || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_REALTIME_COARSE;
}

static int64_t shortened(int64_t duration) {
    int64_t lead, rate = rate_and_lead(&lead);
    return duration <= 0 ? duration : duration / rate + 1;
}

// When a deadline of the program's clock is, on the system's.
static struct timespec real_deadline(clockid_t clock, const struct timespec *deadline) {
    int64_t left = nanoseconds(*deadline) - program_time(clock);
    return timespec_of(real_time(clock) + (left > 0 ? shortened(left) : 0));
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    REAL(int, "clock_gettime", clockid_t, struct timespec *);
    if (!shared || !counts_time_of_day(clock)) return real(clock, time);
    *time = timespec_of(program_time(clock));
    return 0;
}

int gettimeofday(struct timeval *restrict time, void *restrict zone) {
    (void)zone;
    int64_t now = program_time(CLOCK_REALTIME);
    *time = (struct timeval){.tv_sec = now / SECOND, .tv_usec = now % SECOND / 1000};
    return 0;
}

time_t time(time_t *result) {
    time_t now = program_time(CLOCK_REALTIME) / SECOND;
    if (result) *result = now;
    return now;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time, struct timespec *left) {
    REAL(int, "clock_nanosleep", clockid_t, int, const struct timespec *, struct timespec *);
    struct timespec changed = flags & TIMER_ABSTIME ? real_deadline(clock, time) : timespec_of(shortened(nanoseconds(*time)));
    return real(clock, flags, &changed, left);
}

int nanosleep(const struct timespec *time, struct timespec *left) {
    int code = clock_nanosleep(CLOCK_MONOTONIC, 0, time, left);
    if (code) errno = code;
    return code ? -1 : 0;
}

int usleep(useconds_t duration) {
    struct timespec time = timespec_of(duration * 1000LL);
    return nanosleep(&time, NULL);
}

int ppoll(struct pollfd *files, nfds_t count, const struct timespec *patience, const sigset_t *mask) {
    REAL(int, "ppoll", struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);
    if (!patience) return real(files, count, NULL, mask);
    struct timespec changed = timespec_of(shortened(nanoseconds(*patience)));
    return real(files, count, &changed, mask);
}

int poll(struct pollfd *files, nfds_t count, int milliseconds) {
    struct timespec patience = timespec_of(milliseconds * 1000000LL);
    return ppoll(files, count, milliseconds < 0 ? NULL : &patience, NULL);
}

int select(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other, struct timeval *restrict patience) {
    REAL(int, "pselect", int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *);
    if (!patience) return real(count, in, out, other, NULL, NULL);
    struct timespec changed = timespec_of(shortened(patience->tv_sec * SECOND + patience->tv_usec * 1000));
    return real(count, in, out, other, &changed, NULL);
}

int epoll_wait(int file, struct epoll_event *events, int most, int milliseconds) {
    REAL(int, "epoll_pwait2", int, struct epoll_event *, int, const struct timespec *, const sigset_t *);
    struct timespec patience = timespec_of(shortened(milliseconds * 1000000LL));
    return real(file, events, most, milliseconds < 0 ? NULL : &patience, NULL);
}

int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *time) {
    REAL(int, "pthread_cond_clockwait", pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *);
    struct timespec changed = real_deadline(clock, time);
    return real(condition, mutex, clock, &changed);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *time) {
    // The condition knows its clock and does not say; a machine that has been up for thirty years does not exist.
    return pthread_cond_clockwait(condition, mutex, time->tv_sec < 1000000000 ? CLOCK_MONOTONIC : CLOCK_REALTIME, time);
}

// Which clock a timer of this number counts by.
static clockid_t timers[1024];

int timerfd_create(clockid_t clock, int flags) {
    REAL(int, "timerfd_create", clockid_t, int);
    int file = real(clock, flags);
    if (file >= 0 && file < 1024) timers[file] = clock;
    return file;
}

int timerfd_settime(int file, int flags, const struct itimerspec *wanted, struct itimerspec *before) {
    REAL(int, "timerfd_settime", int, int, const struct itimerspec *, struct itimerspec *);
    struct itimerspec changed = *wanted;
    clockid_t clock = file >= 0 && file < 1024 ? timers[file] : CLOCK_MONOTONIC;
    if (nanoseconds(wanted->it_value) > 0)
        changed.it_value = flags & TFD_TIMER_ABSTIME ? real_deadline(clock, &wanted->it_value)
                                                     : timespec_of(shortened(nanoseconds(wanted->it_value)));
    changed.it_interval = timespec_of(shortened(nanoseconds(wanted->it_interval)));
    return real(file, flags, &changed, before);
}
