// What Swift cannot import from V4L2: the ioctl numbers, pixel format codes and the variadic v4l2_open / v4l2_ioctl.
#ifndef RECORDER_CV4L2_SHIM_H
#define RECORDER_CV4L2_SHIM_H
#include <errno.h>
#include <fcntl.h>
#include <libv4l2.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

static inline int cv4l2_open(const char *path, int flags) { return v4l2_open(path, flags, 0); }
static inline int cv4l2_ioctl(int fd, unsigned long request, void *argument) {
    return v4l2_ioctl(fd, request, argument);
}

#endif
