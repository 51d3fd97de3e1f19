// The messages between recorder-libcamera and the recorder (docs/design/decisions/libcamera.md).
//
// Offsets are in bytes from the start of a message. MessageLayoutTests compares these numbers with the recorder's.
#pragma once

#include <cstdint>

namespace wire {

// Every message has this size, in both directions. All numbers are little-endian. Texts are UTF-8, padded with zeros.
constexpr uint32_t messageSize = 256;
// "RLCM".
constexpr uint32_t magic = 0x4d434c52;
// Increased by every change of this file. Both sides must have the same.
constexpr uint32_t version = 1;

// The header.
constexpr uint32_t magicAt = 0;        // 32 bits
constexpr uint32_t versionAt = 4;      // 16 bits
constexpr uint32_t kindAt = 6;         // 16 bits
constexpr uint32_t descriptorsAt = 8;  // 32 bits: the number of file descriptors that come with the message
constexpr uint32_t reservedAt = 12;    // 32 bits, zero

// A long text at the end of a message: the name of a camera or a control, a reason.
constexpr uint32_t textAt = 96;
constexpr uint32_t textSize = 160;
// A short text: the model of a camera.
constexpr uint32_t shortTextAt = 32;
constexpr uint32_t shortTextSize = 64;

// Kinds that the helper sends.
constexpr uint32_t hello = 1;
constexpr uint32_t camera = 2;
constexpr uint32_t listed = 3;
constexpr uint32_t control = 4;
constexpr uint32_t choice = 5;
constexpr uint32_t described = 6;
constexpr uint32_t configured = 7;
constexpr uint32_t buffer = 8;
constexpr uint32_t started = 9;
constexpr uint32_t frame = 10;
constexpr uint32_t failure = 11;
constexpr uint32_t device = 12;

// Kinds that the recorder sends.
constexpr uint32_t list = 101;
constexpr uint32_t describe = 102;
constexpr uint32_t open = 103;
constexpr uint32_t set = 104;
constexpr uint32_t start = 105;
constexpr uint32_t returned = 106;

// hello: the text is libcamera's version.

// camera: the text is its identifier, the short text its model.
constexpr uint32_t cameraLocationAt = 16;  // 32 bits: 0 unknown, 1 front, 2 back, 3 external
constexpr uint32_t cameraRotationAt = 20;  // signed 32 bits: degrees by which the camera is mounted

// device: a video node that is part of the latest `camera`.
constexpr uint32_t deviceAt = 16;  // 64 bits: its number, as in `st_rdev` of stat(2)

// listed, described: the number of cameras or controls that were sent.
constexpr uint32_t countAt = 16;  // 32 bits

// control: the text is its name. All values are 64-bit floating-point numbers.
constexpr uint32_t controlTypeAt = 16;     // 32 bits: 1 Boolean, 2 integer, 3 floating point
constexpr uint32_t controlMinimumAt = 24;
constexpr uint32_t controlMaximumAt = 32;
constexpr uint32_t controlInitialAt = 40;  // not a number if unknown

// choice: one valid value of the latest `control`; the text is its name, if libcamera has one.
constexpr uint32_t choiceValueAt = 24;

// configured: the format of every frame.
constexpr uint32_t widthAt = 16;              // 32 bits, also of `open`
constexpr uint32_t heightAt = 20;             // 32 bits, also of `open`
constexpr uint32_t formatAt = 24;             // 32 bits, also of `open`: the DRM code; 0 in `open` for any
constexpr uint32_t buffersAt = 28;            // 32 bits, also of `open`
constexpr uint32_t strideAt = 32;             // 32 bits: bytes per row of the first plane
constexpr uint32_t orientationAt = 36;        // 32 bits, also of `open`: as in Exif, 1 to 8
constexpr uint32_t shortestIntervalAt = 40;   // 64 bits: nanoseconds, also of `open`; 0 if unknown
constexpr uint32_t longestIntervalAt = 48;    // 64 bits: nanoseconds, also of `open`; 0 if unknown
constexpr uint32_t primariesAt = 56;          // 32 bits: a code of ITU-T H.273; 0 if unknown, as the next two
constexpr uint32_t transferAt = 60;           // 32 bits
constexpr uint32_t matrixAt = 64;             // 32 bits
constexpr uint32_t rangeAt = 68;              // 32 bits: 0 unknown, 1 limited, 2 full

// buffer: one to three dma-bufs come with it.
constexpr uint32_t bufferAt = 16;  // 32 bits: its number, also of `frame` and `returned`
constexpr uint32_t planesAt = 20;  // 32 bits: the number of planes, also of `frame`
constexpr uint32_t planeAt = 24;   // the first plane
constexpr uint32_t planeSize = 12; // descriptor, offset and length of a plane, 32 bits each

// frame: a buffer that was filled. It belongs to the recorder until it is returned.
constexpr uint32_t statusAt = 24;     // 32 bits: 0 good, 1 damaged, 2 not to be recorded
constexpr uint32_t sequenceAt = 28;   // 32 bits
constexpr uint32_t usedAt = 32;       // 32 bits for each plane: bytes that were written
constexpr uint32_t timestampAt = 48;  // 64 bits: the buffer's, in nanoseconds
constexpr uint32_t sensorAt = 56;     // 64 bits: SensorTimestamp, in nanoseconds; 0 if there is none
constexpr uint32_t durationAt = 64;   // 64 bits: FrameDuration, in nanoseconds; 0 if there is none
constexpr uint32_t exposureAt = 72;   // 32 bits: ExposureTime, in microseconds; 0 if there is none
constexpr uint32_t queuedAt = 76;     // 32 bits: the number of buffers that the camera has left

// failure: the text is the reason. The helper ends after it, unless a control was refused while it streams.
constexpr uint32_t causeAt = 16;  // 32 bits: one of the causes below
constexpr uint32_t errnoAt = 20;  // signed 32 bits; 0 if there is none
constexpr uint32_t notFound = 1;
constexpr uint32_t busy = 2;
constexpr uint32_t notPermitted = 3;
constexpr uint32_t unsuitable = 4;
constexpr uint32_t lost = 5;
constexpr uint32_t failed = 6;
constexpr uint32_t invalidControl = 7;

// describe, open: the text is the camera's identifier, or its model if no other camera has the same one.
// set: the text is the control's name.
constexpr uint32_t setValueAt = 24;  // a 64-bit floating-point number

// Limits.
constexpr uint32_t mostPlanes = 3;
constexpr uint32_t mostBuffers = 16;
constexpr uint64_t longestDuration = 10'000'000'000'000;  // of durations and intervals, in nanoseconds

}  // namespace wire
