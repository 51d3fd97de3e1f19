// What paced-camera.c (the hardware) shares with paced-camera-shim.c (the driver's side in the program that records) and with
// paced-helper.cpp (a camera behind libcamera).
#ifndef PACED_CAMERA_H
#define PACED_CAMERA_H
#include <stdatomic.h>
#include <stdint.h>

enum {
    most_buffers = 32,        // VIDEO_MAX_FRAME
    ring = 64,                // a power of two, more than most_buffers
    buffers_offset = 1 << 16, // of the first buffer in the shared memory; `shared` is before it
};

// One clip: this, then `count` sizes of 32 bits, then the frames.
struct clip {
    char magic[4]; // "CLIP"
    uint32_t code; // V4L2_PIX_FMT_…
    uint32_t width, height;
    uint32_t frames, seconds; // the rate: this number of frames in this number of seconds
    uint32_t count;
    uint32_t largest; // the most bytes of one frame
};

struct filled {
    uint32_t index, bytes, sequence, unused;
    int64_t stamp; // nanoseconds of CLOCK_MONOTONIC
};

// One open camera. Each ring has one writer and one reader, and counts up for ever.
struct shared {
    struct clip clip;
    uint32_t stride; // from one buffer to the next, whole pages
    _Atomic(uint32_t) queued_head, queued_tail;
    uint32_t queued[ring]; // by the program, to be filled
    _Atomic(uint32_t) filled_head, filled_tail;
    struct filled filled[ring]; // by the camera, with one count more in the eventfd for each
};

// On the camera's socket: the program sends one byte for STREAMON or STREAMOFF and gets one back when it is done.
enum { stream_on = '+', stream_off = '-' };
#endif
