// What drawing pictures needs of libyuv, and the loops over pixels that it lacks.
#ifndef RECORDER_CYUV_PICTURES_H
#define RECORDER_CYUV_PICTURES_H
#include <libyuv/planar_functions.h>
#include <libyuv/rotate.h>
#include <libyuv/rotate_argb.h>

// Turns interleaved chroma, a pair at a time. Strides in bytes; they and the addresses must be even.
static inline void cyuv_rotate_pairs(
    const uint8_t *from, int from_stride, uint8_t *to, int to_stride, int pairs, int rows, int degrees) {
    RotatePlane_16((const uint16_t *)from, from_stride / 2, (uint16_t *)to, to_stride / 2, pairs, rows,
                   (enum RotationMode)degrees);
}
// What pictures of one kind of luma and chroma are in another: steps in 1/65,536.
struct cyuv_color_change {
    int32_t black, new_black;
    int32_t luma, luma_by_cb, luma_by_cr, cb_by_cb, cb_by_cr, cr_by_cb, cr_by_cr;
};

static inline uint8_t cyuv_sample(int32_t value) { return value < 0 ? 0 : value > 255 ? 255 : (uint8_t)value; }

// I420 to I420.
static inline void cyuv_change_color(
    const uint8_t *y, int y_stride, const uint8_t *u, int u_stride, const uint8_t *v, int v_stride,
    uint8_t *new_y, int new_y_stride, uint8_t *new_u, int new_u_stride, uint8_t *new_v, int new_v_stride,
    int width, int height, const struct cyuv_color_change *change) {
    const int32_t half = 1 << 15;
    const int32_t luma_offset = change->new_black * 65536 + half - change->black * change->luma;
    for (int row = 0; row < height; row++) {
        const uint8_t *us = u + (row / 2) * u_stride, *vs = v + (row / 2) * v_stride;
        for (int column = 0; column < width; column++) {
            int32_t cb = us[column / 2] - 128, cr = vs[column / 2] - 128;
            new_y[column] = cyuv_sample(
                (y[column] * change->luma + cb * change->luma_by_cb + cr * change->luma_by_cr + luma_offset) >> 16);
        }
        y += y_stride;
        new_y += new_y_stride;
    }
    for (int row = 0; row < (height + 1) / 2; row++) {
        for (int column = 0; column < (width + 1) / 2; column++) {
            int32_t cb = u[column] - 128, cr = v[column] - 128;
            new_u[column] = cyuv_sample(((cb * change->cb_by_cb + cr * change->cb_by_cr + half) >> 16) + 128);
            new_v[column] = cyuv_sample(((cb * change->cr_by_cb + cr * change->cr_by_cr + half) >> 16) + 128);
        }
        u += u_stride;
        v += v_stride;
        new_u += new_u_stride;
        new_v += new_v_stride;
    }
}
#endif
