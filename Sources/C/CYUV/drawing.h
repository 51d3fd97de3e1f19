// The parts of libyuv that drawing frames needs, and the pixel loops that it lacks.
#ifndef RECORDER_CYUV_DRAWING_H
#define RECORDER_CYUV_DRAWING_H
#include <libyuv/planar_functions.h>
#include <libyuv/rotate_argb.h>

// The conversion of one matrix and range to another. Factors are in units of 1/8192, so that 16 bits can hold factors
// up to four.
struct cyuv_color_change {
    int32_t black, new_black;
    int16_t luma, luma_by_cb, luma_by_cr, cb_by_cb, cb_by_cr, cr_by_cb, cr_by_cr;
};

static inline uint8_t cyuv_sample(int32_t value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value; }

// Converts I420 of one matrix and range to I420 of another. Processes a block of columns of two rows at a time, and
// first stores the effect of chroma on luma for each column, so that the compiler vectorizes every loop.
static inline void cyuv_change_color(
    const uint8_t *y, int y_stride, const uint8_t *u, int u_stride, const uint8_t *v, int v_stride,
    uint8_t *new_y, int new_y_stride, uint8_t *new_u, int new_u_stride, uint8_t *new_v, int new_v_stride,
    int width, int height, const struct cyuv_color_change *change) {
    enum { block = 256 };
    const struct cyuv_color_change by = *change;
    const int32_t half = 1 << 12;
    const int32_t luma_offset = by.new_black * 8192 + half - by.black * by.luma;
    const int pairs = (width + 1) / 2;
    int32_t offsets[block * 2];
    for (int row = 0; row < height; row += 2) {
        for (int start = 0; start < pairs; start += block) {
            const int count = pairs - start < block ? pairs - start : block;
            for (int at = 0; at < count; at++) {
                const int16_t cb = u[start + at] - 128, cr = v[start + at] - 128;
                offsets[at * 2] = offsets[at * 2 + 1] = cb * by.luma_by_cb + cr * by.luma_by_cr + luma_offset;
                new_u[start + at] = cyuv_sample(((cb * by.cb_by_cb + cr * by.cb_by_cr + half) >> 13) + 128);
                new_v[start + at] = cyuv_sample(((cb * by.cr_by_cb + cr * by.cr_by_cr + half) >> 13) + 128);
            }
            const int columns = width - start * 2 < count * 2 ? width - start * 2 : count * 2;
            for (int line = row; line < row + 2 && line < height; line++) {
                const uint8_t *from = y + (intptr_t)line * y_stride + start * 2;
                uint8_t *to = new_y + (intptr_t)line * new_y_stride + start * 2;
                for (int column = 0; column < columns; column++)
                    to[column] = cyuv_sample(((int16_t)from[column] * by.luma + offsets[column]) >> 13);
            }
        }
        u += u_stride;
        v += v_stride;
        new_u += new_u_stride;
        new_v += new_v_stride;
    }
}

// Sets each sample to `value` where `keep` is 0, and leaves it unchanged where `keep` is 255.
static inline void cyuv_cover(
    const uint8_t *keep, int keep_stride, uint8_t *to, int to_stride, int columns, int rows, uint8_t value) {
    for (int row = 0; row < rows; row++) {
        const uint8_t *from = keep + (intptr_t)row * keep_stride;
        uint8_t *line = to + (intptr_t)row * to_stride;
        for (int at = 0; at < columns; at++) line[at] = (line[at] & from[at]) | (value & ~from[at]);
    }
}

// The same for interleaved pairs of samples.
static inline void cyuv_cover_pairs(
    const uint8_t *keep, int keep_stride, uint8_t *to, int to_stride, int columns, int rows, uint8_t value) {
    for (int row = 0; row < rows; row++) {
        const uint8_t *from = keep + (intptr_t)row * keep_stride;
        uint8_t *line = to + (intptr_t)row * to_stride;
        for (int at = 0; at < columns; at++) {
            const uint8_t set = value & ~from[at];
            line[at * 2] = (line[at * 2] & from[at]) | set;
            line[at * 2 + 1] = (line[at * 2 + 1] & from[at]) | set;
        }
    }
}

// Raises each sample to at least the value of `light` at the same position.
static inline void cyuv_brighten(
    const uint8_t *light, int light_stride, uint8_t *to, int to_stride, int columns, int rows) {
    for (int row = 0; row < rows; row++) {
        const uint8_t *from = light + (intptr_t)row * light_stride;
        uint8_t *line = to + (intptr_t)row * to_stride;
        for (int at = 0; at < columns; at++) line[at] = line[at] > from[at] ? line[at] : from[at];
    }
}
#endif
