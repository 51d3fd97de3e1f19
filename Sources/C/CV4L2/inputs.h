// Calls for the inputs of a capture device: the timings of a digital signal, the standards of an analog one, and the
// event of a change. Packed structures and their unions are awkward in Swift, so plain numbers are returned.
#ifndef RECORDER_CV4L2_INPUTS_H
#define RECORDER_CV4L2_INPUTS_H

static const unsigned long CV4L2_ENUMINPUT = VIDIOC_ENUMINPUT;
static const unsigned long CV4L2_G_INPUT = VIDIOC_G_INPUT;
static const unsigned long CV4L2_S_INPUT = VIDIOC_S_INPUT;
static const unsigned long CV4L2_QUERYSTD = VIDIOC_QUERYSTD;
static const unsigned long CV4L2_G_STD = VIDIOC_G_STD;
static const unsigned long CV4L2_S_STD = VIDIOC_S_STD;

// The analog standards with 525 lines (NTSC and PAL-M, -60) and those with 625 lines (PAL and SECAM).
static const unsigned long long CV4L2_STD_525 = V4L2_STD_525_60;
static const unsigned long long CV4L2_STD_625 = V4L2_STD_625_50;

// The timings of a digital signal (struct v4l2_bt_timings). The total sizes include the blanking.
struct cv4l2_timings {
    unsigned int width, height;
    unsigned long long total_width, total_height;
    unsigned long long pixel_clock;
    int is_interlaced;
    // 1 if the timings are those of the signal, 0 if they are those that are set.
    int are_detected;
    // 1 if the clock is really 1/1.001 of pixel_clock, and the driver can detect that.
    int is_reduced;
};
// Reads the timings of the signal at the current input, and sets them for capturing if `sets` is not 0. If the driver
// cannot detect timings, returns those that are set. Returns 0 or the errno; `refusal` is the errno of setting them.
static inline int cv4l2_query_timings(int fd, int sets, struct cv4l2_timings *found, int *refusal) {
    struct v4l2_dv_timings timings = {0};
    int code = cv4l2_raw_ioctl(fd, VIDIOC_QUERY_DV_TIMINGS, &timings);
    *refusal = 0;
    found->are_detected = code != ENOTTY;
    if (!found->are_detected) {
        code = cv4l2_raw_ioctl(fd, VIDIOC_G_DV_TIMINGS, &timings);
        sets = 0;
    }
    if (code != 0) return code;
    if (timings.type != V4L2_DV_BT_656_1120) return ENODATA;
    // A driver that reports no size has not measured the signal yet.
    if (!timings.bt.width || !timings.bt.height) sets = 0;
    // This call goes through libv4l2, because libv4l2 then reads the new format.
    if (sets) *refusal = cv4l2_ioctl(fd, VIDIOC_S_DV_TIMINGS, &timings);
    unsigned int flags = timings.bt.flags;
    found->width = timings.bt.width;
    found->height = timings.bt.height;
    found->total_width = (unsigned long long)timings.bt.width + timings.bt.hfrontporch + timings.bt.hsync +
        timings.bt.hbackporch;
    found->total_height = (unsigned long long)timings.bt.height + timings.bt.vfrontporch + timings.bt.vsync +
        timings.bt.vbackporch;
    found->is_interlaced = timings.bt.interlaced != V4L2_DV_PROGRESSIVE;
    if (found->is_interlaced) {
        found->total_height += (unsigned long long)timings.bt.il_vfrontporch + timings.bt.il_vsync +
            timings.bt.il_vbackporch;
    }
    found->pixel_clock = timings.bt.pixelclock;
    found->is_reduced = (flags & V4L2_DV_FL_CAN_DETECT_REDUCED_FPS) && (flags & V4L2_DV_FL_REDUCED_FPS);
    return 0;
}

// Subscribes to changes of the signal at an input: POLLPRI reports them from here on. Returns 0 or the errno.
static inline int cv4l2_watch_signal(int fd, unsigned int input) {
    struct v4l2_event_subscription subscription = {.type = V4L2_EVENT_SOURCE_CHANGE, .id = input};
    return cv4l2_raw_ioctl(fd, VIDIOC_SUBSCRIBE_EVENT, &subscription);
}
// Dequeues every pending event without waiting. Returns 1 if one of them reports a change of the signal, else 0.
static inline int cv4l2_signal_has_changed(int fd) {
    int has_changed = 0;
    // A driver may send events faster than they are dequeued.
    for (int count = 0; count < 64; count++) {
        struct v4l2_event event = {0};
        if (cv4l2_raw_ioctl(fd, VIDIOC_DQEVENT, &event) != 0) break;
        if (event.type == V4L2_EVENT_SOURCE_CHANGE && event.u.src_change.changes & V4L2_EVENT_SRC_CH_RESOLUTION)
            has_changed = 1;
    }
    return has_changed;
}

#endif
