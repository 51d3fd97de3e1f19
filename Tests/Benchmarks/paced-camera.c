// A camera that is no hardware: gives the frames of a clip, over and over, at the clip's rate.
//
//   paced-camera DIRECTORY NAME CLIP [--numbered]
//
// Makes DIRECTORY/NAME, which programs with paced-camera-shim.so in LD_PRELOAD and PACED_CAMERAS=DIRECTORY open as a V4L2
// camera, and runs until it is ended. This process stands for the hardware: its processor time is not counted, it runs
// before everybody else where it may, and a frame's time is that of its tick. A frame for which no buffer is queued is lost,
// and its number with it, as with a real driver. --numbered paints each frame's number into YUYV frames: 32 squares
// of 16 pixels from the left of the first 16 rows, white for 1, the highest bit first.
//
// At the end of each stream one line on standard output: time of the first frame (monotonic ns), frames given, frames lost.

#define _GNU_SOURCE
#include "paced-camera.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { most_programs = 8 };

// One program that has the camera open.
struct program {
    int socket, memory, event, timer;
    struct shared *shared;
    size_t size;
    int64_t begin; // of the tick before the first frame, while it streams
    int64_t ticks, given;
};

static const struct clip *clip;
static const uint32_t *sizes;
static const uint8_t **frames;
static int is_numbered;
static struct program programs[most_programs];

static void fail(const char *what) {
    fprintf(stderr, "paced-camera: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void load(const char *path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) < 0) fail(path);
    // The page cache's memory: several cameras of one clip share it.
    const uint8_t *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
    if (bytes == MAP_FAILED) fail(path);
    close(file);
    clip = (const struct clip *)bytes;
    if (memcmp(clip->magic, "CLIP", 4) != 0 || clip->count == 0) errno = EINVAL, fail(path);
    sizes = (const uint32_t *)(clip + 1);
    frames = calloc(clip->count, sizeof *frames);
    const uint8_t *next = (const uint8_t *)(sizes + clip->count);
    for (uint32_t each = 0; each < clip->count; next += sizes[each++]) frames[each] = next;
}

static int64_t time_of(const struct program *program, int64_t tick) {
    return program->begin + tick * 1000000000LL * clip->seconds / clip->frames;
}

static void paint(uint8_t *frame, uint32_t number) {
    for (int row = 0; row < 16; row++, frame += clip->width * 2)
        for (int pixel = 0; pixel < 512; pixel++) {
            frame[pixel * 2] = number >> (31 - pixel / 16) & 1 ? 235 : 16;
            frame[pixel * 2 + 1] = 128;
        }
}

// One tick: fills the next queued buffer, or loses the frame.
static void give(struct program *program) {
    struct shared *shared = program->shared;
    const int64_t number = program->ticks++;
    const uint32_t tail = atomic_load_explicit(&shared->queued_tail, memory_order_relaxed);
    if (atomic_load_explicit(&shared->queued_head, memory_order_acquire) == tail) return;
    const uint32_t index = shared->queued[tail % ring] % most_buffers;
    atomic_store_explicit(&shared->queued_tail, tail + 1, memory_order_release);
    const uint32_t frame = (uint32_t)(number % clip->count);
    uint8_t *buffer = (uint8_t *)shared + buffers_offset + (size_t)index * shared->stride;
    memcpy(buffer, frames[frame], sizes[frame]);
    if (is_numbered && clip->code == V4L2_PIX_FMT_YUYV) paint(buffer, (uint32_t)number);
    const uint32_t head = atomic_load_explicit(&shared->filled_head, memory_order_relaxed);
    shared->filled[head % ring] = (struct filled){
        .index = index, .bytes = sizes[frame], .sequence = (uint32_t)number, .stamp = time_of(program, number + 1)};
    atomic_store_explicit(&shared->filled_head, head + 1, memory_order_release);
    program->given++;
    if (eventfd_write(program->event, 1) < 0) fail("eventfd");
}

static void start(struct program *program) {
    program->begin = now();
    program->ticks = program->given = 0;
    const int64_t first = time_of(program, 1), interval = first - program->begin;
    const struct itimerspec times = {.it_value = {first / 1000000000, first % 1000000000},
                                     .it_interval = {interval / 1000000000, interval % 1000000000}};
    if (timerfd_settime(program->timer, TFD_TIMER_ABSTIME, &times, NULL) < 0) fail("timer");
}

static void stop(struct program *program) {
    if (program->begin == 0) return;
    const struct itimerspec never = {0};
    timerfd_settime(program->timer, 0, &never, NULL);
    printf("%lld %lld %lld\n", (long long)time_of(program, 1), (long long)program->given,
           (long long)(program->ticks - program->given));
    fflush(stdout);
    struct shared *shared = program->shared;
    shared->queued_tail = shared->queued_head = shared->filled_tail = shared->filled_head = 0;
    // A count that is left would be a frame of the next stream.
    struct pollfd wait = {program->event, POLLIN, 0};
    eventfd_t count;
    while (poll(&wait, 1, 0) > 0 && eventfd_read(program->event, &count) == 0) {}
    program->begin = 0;
}

static void pass(int socket, const int *files, unsigned count) {
    char byte = 0, control[CMSG_SPACE(2 * sizeof(int))] = {0};
    struct iovec bytes = {&byte, 1};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(count * sizeof(int));
    memcpy(CMSG_DATA(header), files, count * sizeof(int));
    if (sendmsg(socket, &message, MSG_NOSIGNAL) < 0) perror("paced-camera: sendmsg");
}

static void welcome(int listener) {
    const int socket = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
    struct program *program = programs;
    while (program < programs + most_programs && program->shared != NULL) program++;
    if (socket < 0 || program == programs + most_programs) {
        close(socket);
        return;
    }
    // Each buffer is mapped at an offset of full pages.
    const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE), stride = (clip->largest + page - 1) / page * page;
    *program = (struct program){.socket = socket, .size = buffers_offset + (size_t)most_buffers * stride};
    program->memory = memfd_create("paced-camera", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    // In a program's poll(2) it is readable as long as a filled buffer waits.
    program->event = eventfd(0, EFD_SEMAPHORE | EFD_CLOEXEC);
    program->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (ftruncate(program->memory, (off_t)program->size) < 0) fail("memory");
    // The recorder maps no file that can shrink.
    if (fcntl(program->memory, F_ADD_SEALS, F_SEAL_SHRINK) < 0) fail("seal");
    program->shared = mmap(NULL, program->size, PROT_READ | PROT_WRITE, MAP_SHARED, program->memory, 0);
    if (program->shared == MAP_FAILED) fail("memory");
    program->shared->clip = *clip;
    program->shared->stride = stride;
    pass(socket, (const int[]){program->memory, program->event}, 2);
}

static void leave(struct program *program) {
    stop(program);
    munmap(program->shared, program->size);
    close(program->socket);
    close(program->memory);
    close(program->event);
    close(program->timer);
    *program = (struct program){0};
}

// What a program wants: to stream, not to, or nothing any more.
static void hear(struct program *program) {
    char byte;
    if (recv(program->socket, &byte, 1, 0) <= 0) return leave(program);
    if (byte == stream_on) start(program); else stop(program);
    if (send(program->socket, &byte, 1, MSG_NOSIGNAL) < 0) leave(program);
}

int main(int count, char **words) {
    if (count < 4) return fprintf(stderr, "paced-camera DIRECTORY NAME CLIP [--numbered]\n"), 64;
    is_numbered = count > 4 && strcmp(words[4], "--numbered") == 0;
    load(words[3]);
    prctl(PR_SET_PDEATHSIG, 15);
    // Hardware does not wait for programs.
    const struct sched_param priority = {.sched_priority = 10};
    if (sched_setscheduler(0, SCHED_FIFO, &priority) < 0) setpriority(PRIO_PROCESS, 0, -20);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    char path[sizeof address.sun_path - 8];
    snprintf(path, sizeof path, "%s/%s", words[1], words[2]);
    snprintf(address.sun_path, sizeof address.sun_path, "%s.socket", path);
    unlink(address.sun_path);
    unlink(path);
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) < 0 || listen(listener, 8) < 0) fail(address.sun_path);
    // Programs ask whether it is a device before they open it.
    if (symlink("/dev/null", path) < 0) fail(path);
    for (;;) {
        struct pollfd waits[1 + 2 * most_programs];
        waits[0] = (struct pollfd){listener, POLLIN, 0};
        for (int each = 0; each < most_programs; each++) {
            const int is_open = programs[each].shared != NULL;
            waits[1 + each * 2] = (struct pollfd){is_open ? programs[each].timer : -1, POLLIN, 0};
            waits[2 + each * 2] = (struct pollfd){is_open ? programs[each].socket : -1, POLLIN, 0};
        }
        if (poll(waits, 1 + 2 * most_programs, -1) < 0 && errno != EINTR) fail("poll");
        for (int each = 0; each < most_programs; each++) {
            uint64_t ticks = 0;
            if (waits[1 + each * 2].revents && read(programs[each].timer, &ticks, sizeof ticks) == sizeof ticks)
                while (ticks-- > 0) give(&programs[each]);
            if (waits[2 + each * 2].revents) hear(&programs[each]);
        }
        if (waits[0].revents) welcome(listener);
    }
}
