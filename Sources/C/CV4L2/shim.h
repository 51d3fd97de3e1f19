// Declarations that Swift cannot import from V4L2: the ioctl numbers, pixel format codes and the variadic v4l2_open /
// v4l2_ioctl.
#ifndef RECORDER_CV4L2_SHIM_H
#define RECORDER_CV4L2_SHIM_H
#include <errno.h>
#include <fcntl.h>
#include <libv4l2.h>
#include <linux/videodev2.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static inline int cv4l2_open(const char *path) { return open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC); }
// Calls one ioctl through libv4l2, and repeats the call after EINTR. Returns 0 or the errno.
static inline int cv4l2_ioctl(int fd, unsigned long request, void *argument) {
    int result;
    do { result = v4l2_ioctl(fd, request, argument); } while (result < 0 && errno == EINTR);
    return result < 0 ? errno : 0;
}
// Calls one ioctl without libv4l2, in the same way.
static inline int cv4l2_raw_ioctl(int fd, unsigned long request, void *argument) {
    int result;
    do { result = ioctl(fd, request, argument); } while (result < 0 && errno == EINTR);
    return result < 0 ? errno : 0;
}
// Keeps libv4l2 from writing to standard error, which it does unless it has a log file.
static inline void cv4l2_silence(void) {
    if (!v4l2_log_file) v4l2_log_file = fopen("/dev/null", "we");
}
// Members of v4l2_format and v4l2_streamparm, whose unions are awkward in Swift.
static inline struct v4l2_pix_format *cv4l2_pix(struct v4l2_format *format) { return &format->fmt.pix; }
static inline struct v4l2_captureparm *cv4l2_capture(struct v4l2_streamparm *parameters) {
    return &parameters->parm.capture;
}

static const unsigned long CV4L2_QUERYCAP = VIDIOC_QUERYCAP;
static const unsigned long CV4L2_ENUM_FMT = VIDIOC_ENUM_FMT;
static const unsigned long CV4L2_ENUM_FRAMESIZES = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long CV4L2_ENUM_FRAMEINTERVALS = VIDIOC_ENUM_FRAMEINTERVALS;
static const unsigned long CV4L2_G_FMT = VIDIOC_G_FMT;
static const unsigned long CV4L2_S_FMT = VIDIOC_S_FMT;
static const unsigned long CV4L2_TRY_FMT = VIDIOC_TRY_FMT;
static const unsigned long CV4L2_G_PARM = VIDIOC_G_PARM;
static const unsigned long CV4L2_S_PARM = VIDIOC_S_PARM;
static const unsigned long CV4L2_REQBUFS = VIDIOC_REQBUFS;
static const unsigned long CV4L2_QUERYBUF = VIDIOC_QUERYBUF;
static const unsigned long CV4L2_QBUF = VIDIOC_QBUF;
static const unsigned long CV4L2_DQBUF = VIDIOC_DQBUF;
static const unsigned long CV4L2_STREAMON = VIDIOC_STREAMON;
static const unsigned long CV4L2_STREAMOFF = VIDIOC_STREAMOFF;
static const unsigned long CV4L2_QUERY_EXT_CTRL = VIDIOC_QUERY_EXT_CTRL;
static const unsigned long CV4L2_QUERYMENU = VIDIOC_QUERYMENU;
static const unsigned long CV4L2_S_EXT_CTRLS = VIDIOC_S_EXT_CTRLS;
static const unsigned long CV4L2_G_EXT_CTRLS = VIDIOC_G_EXT_CTRLS;

static const unsigned int CV4L2_CID_FOCUS_AUTO = V4L2_CID_FOCUS_AUTO;
static const unsigned int CV4L2_CID_FOCUS_ABSOLUTE = V4L2_CID_FOCUS_ABSOLUTE;
static const unsigned int CV4L2_CID_AUTO_FOCUS_START = V4L2_CID_AUTO_FOCUS_START;
static const unsigned int CV4L2_CID_EXPOSURE_AUTO = V4L2_CID_EXPOSURE_AUTO;
static const unsigned int CV4L2_CID_EXPOSURE_ABSOLUTE = V4L2_CID_EXPOSURE_ABSOLUTE;
static const unsigned int CV4L2_CID_AUTO_EXPOSURE_BIAS = V4L2_CID_AUTO_EXPOSURE_BIAS;
static const unsigned int CV4L2_CID_AUTO_WHITE_BALANCE = V4L2_CID_AUTO_WHITE_BALANCE;
static const unsigned int CV4L2_CID_DO_WHITE_BALANCE = V4L2_CID_DO_WHITE_BALANCE;
static const unsigned int CV4L2_CID_WHITE_BALANCE_TEMPERATURE = V4L2_CID_WHITE_BALANCE_TEMPERATURE;
static const unsigned int CV4L2_CID_ZOOM_ABSOLUTE = V4L2_CID_ZOOM_ABSOLUTE;

static const unsigned int CV4L2_PIX_YUYV = V4L2_PIX_FMT_YUYV;
static const unsigned int CV4L2_PIX_UYVY = V4L2_PIX_FMT_UYVY;
static const unsigned int CV4L2_PIX_NV12 = V4L2_PIX_FMT_NV12;
static const unsigned int CV4L2_PIX_YUV420 = V4L2_PIX_FMT_YUV420;
static const unsigned int CV4L2_PIX_MJPEG = V4L2_PIX_FMT_MJPEG;
static const unsigned int CV4L2_PIX_JPEG = V4L2_PIX_FMT_JPEG;
static const unsigned int CV4L2_PIX_H264 = V4L2_PIX_FMT_H264;
static const unsigned int CV4L2_PIX_HEVC = V4L2_PIX_FMT_HEVC;
// Returns an offset from QUERYBUF's union, for mmap(2).
static inline long cv4l2_offset(const struct v4l2_buffer *buffer) { return buffer->m.offset; }
static inline void *cv4l2_map(int fd, unsigned long length, long offset) {
    void *memory = v4l2_mmap(0, length, PROT_READ | PROT_WRITE, MAP_SHARED, fd, offset);
    return memory == MAP_FAILED ? 0 : memory;
}
// Exports a buffer of a capture device as a dma-buf. Returns its file descriptor, or -1 if the driver cannot.
static inline int cv4l2_export_buffer(int fd, unsigned int index) {
    struct v4l2_exportbuffer request = {.type = V4L2_BUF_TYPE_VIDEO_CAPTURE, .index = index, .flags = O_CLOEXEC};
    return cv4l2_raw_ioctl(fd, VIDIOC_EXPBUF, &request) == 0 ? request.fd : -1;
}
// Sets the value of one control. Returns 0 or the errno.
static inline int cv4l2_set_control(int fd, unsigned int id, int is_64_bit, long long value) {
    struct v4l2_ext_control control = {.id = id};
    struct v4l2_ext_controls controls = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = &control};
    if (is_64_bit) control.value64 = value; else control.value = (int)value;
    return cv4l2_raw_ioctl(fd, VIDIOC_S_EXT_CTRLS, &controls);
}
// Reads the value of one control. Returns 0 or the errno.
static inline int cv4l2_get_control(int fd, unsigned int id, int is_64_bit, long long *value) {
    struct v4l2_ext_control control = {.id = id};
    struct v4l2_ext_controls controls = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = &control};
    int code = cv4l2_raw_ioctl(fd, VIDIOC_G_EXT_CTRLS, &controls);
    if (code == 0) *value = is_64_bit ? control.value64 : control.value;
    return code;
}
// Returns an item of an integer menu, from QUERYMENU's union.
static inline long long cv4l2_menu_value(const struct v4l2_querymenu *item) { return item->value; }

#include "inputs.h"
#include "encoder.h"

#endif
