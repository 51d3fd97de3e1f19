// libyuv's C interface, all of which imports into Swift as it is, and the loops over pixels that it lacks.
#ifndef RECORDER_CYUV_SHIM_H
#define RECORDER_CYUV_SHIM_H
#include <libyuv/convert.h>
#include <libyuv/convert_argb.h>
#include <libyuv/convert_from.h>
#include <libyuv/convert_from_argb.h>
#include <libyuv/planar_functions.h>
#include <libyuv/scale.h>

// Copies 16-bit samples; what is above 1023 becomes 1023. Strides in samples, as libyuv's own.
static inline void cyuv_limit_to_ten_bits(
    const uint16_t *from, int from_stride, uint16_t *to, int to_stride, int width, int height) {
    for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++) to[column] = from[column] > 1023 ? 1023 : from[column];
        from += from_stride;
        to += to_stride;
    }
}

// Copies 8-bit samples through a table of 256.
static inline void cyuv_map(
    const uint8_t *from, int from_stride, uint8_t *to, int to_stride, int width, int height, const uint8_t *table) {
    for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++) to[column] = table[from[column]];
        from += from_stride;
        to += to_stride;
    }
}

// Copies 10-bit samples in 16 bits through a table of 1024; what is above 1023 counts as 1023.
static inline void cyuv_map_ten_bits(
    const uint16_t *from, int from_stride, uint16_t *to, int to_stride, int width, int height,
    const uint16_t *table) {
    for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++) to[column] = table[from[column] > 1023 ? 1023 : from[column]];
        from += from_stride;
        to += to_stride;
    }
}
// Copies 16-bit samples, each moved down by so many bits.
static inline void cyuv_shift_down(
    const uint16_t *from, int from_stride, uint16_t *to, int to_stride, int width, int height, int bits) {
    for (int row = 0; row < height; row++) {
        for (int column = 0; column < width; column++) to[column] = from[column] >> bits;
        from += from_stride;
        to += to_stride;
    }
}

// libyuv's conversions to RGB by the code of the matrix (ITU-T H.273, table 4); BT.601 for those that it lacks.
static inline const struct YuvConstants *cyuv_matrix(int code, int is_full_range) {
    switch (code) {
    case 1: return is_full_range ? &kYuvF709Constants : &kYuvH709Constants;
    case 9:
    case 10: return is_full_range ? &kYuvV2020Constants : &kYuv2020Constants;
    default: return is_full_range ? &kYuvJPEGConstants : &kYuvI601Constants;
    }
}
#endif
