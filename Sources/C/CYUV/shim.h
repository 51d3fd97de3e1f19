// libyuv's C interface, all of which imports into Swift without help, and the pixel loops that it lacks.
#ifndef RECORDER_CYUV_SHIM_H
#define RECORDER_CYUV_SHIM_H
#include <libyuv/convert.h>
#include <libyuv/convert_argb.h>
#include <libyuv/convert_from.h>
#include <libyuv/convert_from_argb.h>
#include <libyuv/planar_functions.h>
#include <libyuv/scale.h>
#include "area.h"
#include "drawing.h"
#include "reduction.h"
#include "transpose.h"

// Copies 16-bit samples; values above 1023 become 1023. Strides are in samples, like those of libyuv.
static inline void cyuv_limit_to_ten_bits(
    const uint16_t *from, int from_stride, uint16_t *to, int to_stride, int width, int height) {
    for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++) to[column] = from[column] > 1023 ? 1023 : from[column];
        from += from_stride;
        to += to_stride;
    }
}

// Copies 8-bit samples, and replaces each value by its entry in a table of 256.
static inline void cyuv_map(
    const uint8_t *from, int from_stride, uint8_t *to, int to_stride, int width, int height, const uint8_t *table) {
    for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++) to[column] = table[from[column]];
        from += from_stride;
        to += to_stride;
    }
}

// Copies 10-bit samples, stored in 16 bits, and replaces each value by its entry in a table of 1024. Values above 1023
// count as 1023.
static inline void cyuv_map_ten_bits(
    const uint16_t *from, int from_stride, uint16_t *to, int to_stride, int width, int height,
    const uint16_t *table) {
    for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++) to[column] = table[from[column] > 1023 ? 1023 : from[column]];
        from += from_stride;
        to += to_stride;
    }
}
// Stores samples of any depth up to 16 bits as eight bits, `step` bytes apart.
static inline void cyuv_store_eight_bits(const uint16_t *from, int depth, uint8_t *to, int step, int count) {
    const int most = (1 << depth) - 1;
    for (int at = 0; at < count; at++)
        to[at * step] = depth >= 8 ? from[at] >> (depth - 8) : from[at] * 255 / most;
}

// Stores samples of any depth up to 16 bits as ten bits in 16.
static inline void cyuv_store_ten_bits(const uint16_t *from, int depth, uint16_t *to, int count) {
    for (int at = 0; at < count; at++) to[at] = depth >= 10 ? from[at] >> (depth - 10) : from[at] << (10 - depth);
}

// Computes the mean of two rows, and of every two columns if there are twice as many as in the result.
static inline void cyuv_mean(
    const uint16_t *one, const uint16_t *other, int from_count, uint16_t *to, int count, int halves) {
    for (int at = 0; at < count; at++) {
        const int left = halves ? at * 2 : at, right = halves && left + 1 < from_count ? left + 1 : left;
        to[at] = ((uint32_t)one[left] + one[right] + other[left] + other[right] + 2) / 4;
    }
}

// Repeats every column 2 to the power of `shift` times. The last column also fills the rest of the row.
static inline void cyuv_repeat(const uint16_t *from, int from_count, uint16_t *to, int count, int shift) {
    for (int at = 0; at < count; at++) to[at] = from[(at >> shift) < from_count ? at >> shift : from_count - 1];
}

// Returns libyuv's conversion to RGB for a matrix code (ITU-T H.273, table 4); BT.601 for unsupported ones.
static inline const struct YuvConstants *cyuv_matrix(int code, int is_full_range) {
    switch (code) {
    case 1: return is_full_range ? &kYuvF709Constants : &kYuvH709Constants;
    case 9:
    case 10: return is_full_range ? &kYuvV2020Constants : &kYuv2020Constants;
    default: return is_full_range ? &kYuvJPEGConstants : &kYuvI601Constants;
    }
}
#endif
