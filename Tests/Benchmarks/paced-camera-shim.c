// The driver's side of paced-camera.c, in the program that records: LD_PRELOAD=paced-camera-shim.so PACED_CAMERAS=DIRECTORY
//
// What is opened below DIRECTORY is a V4L2 camera: its descriptor is an eventfd that is readable as long as a filled buffer
// waits, its buffers are memory that the camera's process fills. The calls of FFmpeg, GStreamer and libv4l2 (which makes its
// system calls by syscall(2)) come here; what is not about a camera is passed on to libc.
//
// Source: the Linux media API (V4L2), struct by struct; videodev2.h.

#define _GNU_SOURCE
#include "paced-camera.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

struct camera {
    int socket, memory;
    struct shared *shared;
    uint32_t count; // buffers that were asked for
    uint32_t is_queued; // one bit for each
    int is_streaming;
    int descriptors; // that mean it (dup(2))
    pthread_mutex_t lock;
};

enum { most_files = 1024 };
static struct camera *cameras[most_files]; // by descriptor

static struct camera *camera_of(int file) { return file >= 0 && file < most_files ? cameras[file] : NULL; }

// The system's own, without libc's wrapper, which is replaced here.
static long kernel(long number, long a, long b, long c, long d, long e, long f) {
    static long (*real)(long, ...);
    if (real == NULL) real = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return real(number, a, b, c, d, e, f);
}

static int receive(int socket, int *files) {
    char byte, control[CMSG_SPACE(2 * sizeof(int))];
    struct iovec bytes = {&byte, 1};
    struct msghdr message = {.msg_iov = &bytes, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    if (recvmsg(socket, &message, MSG_CMSG_CLOEXEC) != 1) return -1;
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header == NULL || header->cmsg_len != CMSG_LEN(2 * sizeof(int))) return -1;
    memcpy(files, CMSG_DATA(header), 2 * sizeof(int));
    return 0;
}

// The camera that a path means: its descriptor; -1 with errno where it cannot be opened; -2 where it means no camera.
static int open_camera(const char *path, int flags) {
    const char *directory = getenv("PACED_CAMERAS");
    const size_t length = directory == NULL ? 0 : strlen(directory);
    if (length == 0 || path == NULL || strncmp(path, directory, length) != 0 || path[length] != '/') return -2;
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s.socket", path);
    const int to = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int files[2];
    if (connect(to, (struct sockaddr *)&address, sizeof address) < 0 || receive(to, files) < 0 || files[1] >= most_files) {
        kernel(SYS_close, to, 0, 0, 0, 0, 0);
        errno = ENODEV;
        return -1;
    }
    struct camera *camera = calloc(1, sizeof *camera);
    camera->socket = to;
    camera->memory = files[0];
    camera->descriptors = 1;
    pthread_mutex_init(&camera->lock, NULL);
    camera->shared = mmap(NULL, buffers_offset, PROT_READ | PROT_WRITE, MAP_SHARED, files[0], 0);
    if (flags & O_NONBLOCK) fcntl(files[1], F_SETFL, fcntl(files[1], F_GETFL) | O_NONBLOCK);
    cameras[files[1]] = camera;
    return files[1];
}

static void close_camera(int file) {
    struct camera *camera = cameras[file];
    cameras[file] = NULL;
    if (--camera->descriptors > 0) return;
    munmap(camera->shared, buffers_offset);
    kernel(SYS_close, camera->socket, 0, 0, 0, 0, 0);
    kernel(SYS_close, camera->memory, 0, 0, 0, 0, 0);
    free(camera);
}

static int ask(struct camera *camera, char byte) {
    if (send(camera->socket, &byte, 1, MSG_NOSIGNAL) != 1 || recv(camera->socket, &byte, 1, 0) != 1) return ENODEV;
    camera->is_streaming = byte == stream_on;
    if (!camera->is_streaming) camera->is_queued = 0;
    return 0;
}

static void describe(const struct clip *clip, struct v4l2_pix_format *format) {
    *format = (struct v4l2_pix_format){.width = clip->width, .height = clip->height, .pixelformat = clip->code,
                                       .field = V4L2_FIELD_NONE, .sizeimage = clip->largest,
                                       .bytesperline = clip->code == V4L2_PIX_FMT_YUYV ? clip->width * 2 : 0,
                                       .colorspace = V4L2_COLORSPACE_SRGB, .priv = V4L2_PIX_FMT_PRIV_MAGIC};
}

static void describe_buffer(const struct camera *camera, uint32_t index, struct v4l2_buffer *buffer) {
    *buffer = (struct v4l2_buffer){.index = index, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .memory = V4L2_MEMORY_MMAP,
                                   .field = V4L2_FIELD_NONE, .length = camera->shared->clip.largest,
                                   .flags = V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | V4L2_BUF_FLAG_MAPPED,
                                   .m.offset = buffers_offset + index * camera->shared->stride};
    if (camera->is_queued >> index & 1) buffer->flags |= V4L2_BUF_FLAG_QUEUED;
}

static int queue(struct camera *camera, struct v4l2_buffer *buffer) {
    const uint32_t index = buffer->index;
    if (index >= camera->count) return EINVAL;
    pthread_mutex_lock(&camera->lock);
    const int is_queued = camera->is_queued >> index & 1;
    if (!is_queued) {
        struct shared *shared = camera->shared;
        camera->is_queued |= 1u << index;
        const uint32_t head = atomic_load_explicit(&shared->queued_head, memory_order_relaxed);
        shared->queued[head % ring] = index;
        atomic_store_explicit(&shared->queued_head, head + 1, memory_order_release);
        buffer->flags |= V4L2_BUF_FLAG_QUEUED;
    }
    pthread_mutex_unlock(&camera->lock);
    return is_queued ? EINVAL : 0;
}

static int dequeue(struct camera *camera, int file, struct v4l2_buffer *buffer) {
    if (!camera->is_streaming) return EINVAL;
    eventfd_t one;
    if (eventfd_read(file, &one) < 0) return errno;
    pthread_mutex_lock(&camera->lock);
    struct shared *shared = camera->shared;
    const uint32_t tail = atomic_load_explicit(&shared->filled_tail, memory_order_relaxed);
    const int is_there = atomic_load_explicit(&shared->filled_head, memory_order_acquire) != tail;
    if (is_there) {
        const struct filled filled = shared->filled[tail % ring];
        atomic_store_explicit(&shared->filled_tail, tail + 1, memory_order_release);
        camera->is_queued &= ~(1u << filled.index);
        describe_buffer(camera, filled.index, buffer);
        buffer->bytesused = filled.bytes;
        buffer->sequence = filled.sequence;
        buffer->timestamp = (struct timeval){filled.stamp / 1000000000, filled.stamp % 1000000000 / 1000};
        buffer->flags |= V4L2_BUF_FLAG_DONE;
    }
    pthread_mutex_unlock(&camera->lock);
    return is_there ? 0 : EAGAIN;
}

static int enumerate(const struct clip *clip, unsigned long request, void *argument) {
    if (request == VIDIOC_ENUM_FMT) {
        struct v4l2_fmtdesc *item = argument;
        if (item->index > 0 || item->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return EINVAL;
        item->pixelformat = clip->code;
        item->flags = clip->code == V4L2_PIX_FMT_YUYV ? 0 : V4L2_FMT_FLAG_COMPRESSED;
        snprintf((char *)item->description, sizeof item->description, "%.4s", (const char *)&clip->code);
    } else if (request == VIDIOC_ENUM_FRAMESIZES) {
        struct v4l2_frmsizeenum *item = argument;
        if (item->index > 0 || item->pixel_format != clip->code) return EINVAL;
        item->type = V4L2_FRMSIZE_TYPE_DISCRETE;
        item->discrete = (struct v4l2_frmsize_discrete){clip->width, clip->height};
    } else {
        struct v4l2_frmivalenum *item = argument;
        if (item->index > 0 || item->pixel_format != clip->code) return EINVAL;
        item->type = V4L2_FRMIVAL_TYPE_DISCRETE;
        item->discrete = (struct v4l2_fract){clip->seconds, clip->frames};
    }
    return 0;
}

static int ask_for_buffers(struct camera *camera, struct v4l2_requestbuffers *request) {
    if (request->type != V4L2_BUF_TYPE_VIDEO_CAPTURE || request->memory != V4L2_MEMORY_MMAP) return EINVAL;
    if (request->count == 0 && camera->is_streaming) ask(camera, stream_off);
    if (camera->is_streaming) return EBUSY;
    camera->count = request->count = request->count < most_buffers ? request->count : most_buffers;
    camera->is_queued = 0;
    request->capabilities = V4L2_BUF_CAP_SUPPORTS_MMAP | V4L2_BUF_CAP_SUPPORTS_ORPHANED_BUFS;
    return 0;
}

// 0, or the errno.
static int answer(struct camera *camera, int file, unsigned long request, void *argument) {
    const struct clip *clip = &camera->shared->clip;
    switch (request) {
    case VIDIOC_QUERYCAP: {
        struct v4l2_capability *capability = argument;
        *capability = (struct v4l2_capability){
            .driver = "paced", .card = "paced camera", .bus_info = "platform:paced", .version = 0x060100,
            .capabilities = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING | V4L2_CAP_DEVICE_CAPS,
            .device_caps = V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING};
        return 0;
    }
    case VIDIOC_ENUM_FMT:
    case VIDIOC_ENUM_FRAMESIZES:
    case VIDIOC_ENUM_FRAMEINTERVALS: return enumerate(clip, request, argument);
    case VIDIOC_G_FMT:
    case VIDIOC_S_FMT:
    case VIDIOC_TRY_FMT: {
        struct v4l2_format *format = argument;
        if (format->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return EINVAL;
        describe(clip, &format->fmt.pix);
        return 0;
    }
    case VIDIOC_G_PARM:
    case VIDIOC_S_PARM: {
        struct v4l2_streamparm *parameters = argument;
        if (parameters->type != V4L2_BUF_TYPE_VIDEO_CAPTURE) return EINVAL;
        parameters->parm.capture = (struct v4l2_captureparm){
            .capability = V4L2_CAP_TIMEPERFRAME, .timeperframe = {clip->seconds, clip->frames}};
        return 0;
    }
    case VIDIOC_ENUMINPUT: {
        struct v4l2_input *input = argument;
        if (input->index > 0) return EINVAL;
        *input = (struct v4l2_input){.name = "camera", .type = V4L2_INPUT_TYPE_CAMERA};
        return 0;
    }
    case VIDIOC_G_INPUT: *(int *)argument = 0; return 0;
    case VIDIOC_S_INPUT: return *(int *)argument == 0 ? 0 : EINVAL;
    case VIDIOC_REQBUFS: return ask_for_buffers(camera, argument);
    case VIDIOC_QUERYBUF: {
        struct v4l2_buffer *buffer = argument;
        if (buffer->index >= camera->count) return EINVAL;
        describe_buffer(camera, buffer->index, buffer);
        return 0;
    }
    case VIDIOC_QBUF: return queue(camera, argument);
    case VIDIOC_DQBUF: return dequeue(camera, file, argument);
    case VIDIOC_STREAMON: return ask(camera, stream_on);
    case VIDIOC_STREAMOFF: return ask(camera, stream_off);
    default: return ENOTTY;
    }
}

static int control(int file, unsigned long request, void *argument) {
    struct camera *camera = camera_of(file);
    // Some callers pass an int, whose upper half is its sign.
    if (camera == NULL) return (int)kernel(SYS_ioctl, file, (long)request, (long)argument, 0, 0, 0);
    const int code = answer(camera, file, (uint32_t)request, argument);
    if (code != 0) errno = code;
    return code == 0 ? 0 : -1;
}

static void *map(void *at, size_t length, int protection, int flags, int file, off_t offset) {
    const struct camera *camera = flags & MAP_ANONYMOUS ? NULL : camera_of(file);
    // What a driver maps is there from the first touch on.
    if (camera != NULL) flags |= MAP_POPULATE, file = camera->memory;
    return (void *)kernel(SYS_mmap, (long)at, (long)length, protection, flags, file, offset);
}

int close(int file) {
    if (camera_of(file) != NULL) close_camera(file);
    return (int)kernel(SYS_close, file, 0, 0, 0, 0, 0);
}

int dup(int file) {
    const int other = (int)kernel(SYS_dup, file, 0, 0, 0, 0, 0);
    struct camera *camera = camera_of(file);
    if (camera != NULL && other >= 0 && other < most_files) cameras[other] = camera, camera->descriptors++;
    return other;
}

// A camera is a character device.
int fstat(int file, struct stat *status) {
    const int result = (int)kernel(SYS_newfstatat, file, (long)"", (long)status, AT_EMPTY_PATH, 0, 0);
    if (result == 0 && camera_of(file) != NULL) status->st_mode = (status->st_mode & ~(mode_t)S_IFMT) | S_IFCHR;
    return result;
}
int fstat64(int file, struct stat64 *status) { return fstat(file, (struct stat *)status); }

static int open_at(int directory, const char *path, int flags, mode_t mode) {
    const int file = open_camera(path, flags);
    return file != -2 ? file : (int)kernel(SYS_openat, directory, (long)path, flags, (long)mode, 0, 0);
}

// The mode is there only for a file that may be made; without one, the content of its register does no harm.
#define MODE(last) va_list rest; va_start(rest, last); const mode_t mode = va_arg(rest, mode_t); va_end(rest);
int open(const char *path, int flags, ...) { MODE(flags) return open_at(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return open_at(AT_FDCWD, path, flags, mode); }
int openat(int directory, const char *path, int flags, ...) { MODE(flags) return open_at(directory, path, flags, mode); }
int openat64(int directory, const char *path, int flags, ...) { MODE(flags) return open_at(directory, path, flags, mode); }
int __open64_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
int __open_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
void *mmap(void *at, size_t length, int protection, int flags, int file, off_t offset) {
    return map(at, length, protection, flags, file, offset);
}
void *mmap64(void *at, size_t length, int protection, int flags, int file, off_t offset) {
    return map(at, length, protection, flags, file, offset);
}

int ioctl(int file, unsigned long request, ...) {
    va_list rest;
    va_start(rest, request);
    void *argument = va_arg(rest, void *);
    va_end(rest);
    return control(file, request, argument);
}

// An eventfd can always be written to, and a camera never.
int select(int count, fd_set *reading, fd_set *writing, fd_set *others, struct timeval *time) {
    static int (*real)(int, fd_set *, fd_set *, fd_set *, struct timeval *);
    if (real == NULL) real = (int (*)(int, fd_set *, fd_set *, fd_set *, struct timeval *))dlsym(RTLD_NEXT, "select");
    for (int file = 0; writing != NULL && file < count; file++) {
        if (camera_of(file) != NULL) FD_CLR(file, writing);
    }
    return real(count, reading, writing, others, time);
}

long syscall(long number, ...) {
    va_list rest;
    va_start(rest, number);
    long a[6];
    for (int each = 0; each < 6; each++) a[each] = va_arg(rest, long);
    va_end(rest);
    switch (number) {
    case SYS_ioctl: return control((int)a[0], (unsigned long)a[1], (void *)a[2]);
    case SYS_mmap: return (long)map((void *)a[0], (size_t)a[1], (int)a[2], (int)a[3], (int)a[4], a[5]);
    case SYS_close: return close((int)a[0]);
    case SYS_open: return open_at(AT_FDCWD, (const char *)a[0], (int)a[1], (mode_t)a[2]);
    default: return kernel(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    }
}
