// Reduces planes of ten-bit or twelve-bit samples, stored in 16 bits, to fewer bits. Also reduces 4:2:2 and 4:4:4 to
// 4:2:0. The compiler vectorizes every loop, because the number of bits is a constant in each.
#ifndef RECORDER_CYUV_REDUCTION_H
#define RECORDER_CYUV_REDUCTION_H
#include <stdint.h>

// Makes one row of the result: drops `drop` bits, and computes the mean of two rows, or of two rows and two columns.
// `kind` is a result of `cyuv_reduction`. Values above `MOST` become `MOST`: files may contain them, and encoders do
// not check their input.
#define CYUV_REDUCE_ROWS(NAME, SAMPLE, MOST)                                                                           \
    static inline __attribute__((always_inline)) void NAME##_row(                                                     \
        const uint16_t *one, const uint16_t *other, int from_width, SAMPLE *to, int width, int drop, int kind) {       \
        if (kind == 0) {                                                                                              \
            for (int at = 0; at < width; at++) {                                                                      \
                const uint16_t value = one[at] >> drop;                                                               \
                to[at] = value > MOST ? MOST : value;                                                                 \
            }                                                                                                         \
        } else if (kind == 1) {                                                                                       \
            for (int at = 0; at < width; at++) {                                                                      \
                const uint16_t value = (uint16_t)(one[at] + other[at] + 1) >> (drop + 1);                             \
                to[at] = value > MOST ? MOST : value;                                                                 \
            }                                                                                                         \
        } else {                                                                                                      \
            const int pairs = from_width / 2 < width ? from_width / 2 : width;                                        \
            for (int at = 0; at < pairs; at++) {                                                                      \
                const uint16_t sum = one[at * 2] + one[at * 2 + 1] + other[at * 2] + other[at * 2 + 1] + 2;           \
                const uint16_t value = sum >> (drop + 2);                                                             \
                to[at] = value > MOST ? MOST : value;                                                                 \
            }                                                                                                         \
            for (int at = pairs; at < width; at++) {                                                                  \
                const uint16_t value = (uint16_t)(one[from_width - 1] + other[from_width - 1] + 1) >> (drop + 1);     \
                to[at] = value > MOST ? MOST : value;                                                                 \
            }                                                                                                         \
        }                                                                                                             \
    }                                                                                                                 \
    static inline __attribute__((always_inline)) void NAME##_plane(                                                   \
        const uint16_t *from, int from_stride, int from_width, int from_height, SAMPLE *to, int to_stride, int width, \
        int height, int drop, int kind) {                                                                             \
        const int rows = from_height > height ? 2 : 1;                                                                \
        for (int row = 0; row < height; row++) {                                                                      \
            const uint16_t *one = from + (intptr_t)row * rows * from_stride;                                          \
            const uint16_t *other = row * rows + rows - 1 < from_height ? one + (rows - 1) * from_stride : one;       \
            NAME##_row(one, other, from_width, to + (intptr_t)row * to_stride, width, drop, kind);                    \
        }                                                                                                             \
    }

CYUV_REDUCE_ROWS(cyuv_to_eight, uint8_t, 255)
CYUV_REDUCE_ROWS(cyuv_to_ten, uint16_t, 1023)
#undef CYUV_REDUCE_ROWS

// Returns the kind of reduction: 0 for the same number of samples, 1 for half the rows, 2 for half the columns and half
// the rows.
static inline int cyuv_reduction(int from_width, int from_height, int width, int height) {
    return from_width > width ? 2 : from_height > height ? 1 : 0;
}

// Reduces a plane from ten or twelve bits to eight. Strides are in samples. The plane has as many columns and rows as
// the result, or twice as many.
static inline void cyuv_reduce_to_eight_bits(
    const uint16_t *from, int from_stride, int from_width, int from_height, int bits, uint8_t *to, int to_stride,
    int width, int height) {
    const int kind = cyuv_reduction(from_width, from_height, width, height);
#define CYUV_CASE(DROP, KIND)                                                                                          \
    if (bits == 8 + DROP && kind == KIND)                                                                             \
    cyuv_to_eight_plane(from, from_stride, from_width, from_height, to, to_stride, width, height, DROP, KIND)
    CYUV_CASE(2, 0);
    CYUV_CASE(2, 1);
    CYUV_CASE(2, 2);
    CYUV_CASE(4, 0);
    CYUV_CASE(4, 1);
    CYUV_CASE(4, 2);
#undef CYUV_CASE
}

// Reduces a plane to ten bits in the same way.
static inline void cyuv_reduce_to_ten_bits(
    const uint16_t *from, int from_stride, int from_width, int from_height, int bits, uint16_t *to, int to_stride,
    int width, int height) {
    const int kind = cyuv_reduction(from_width, from_height, width, height);
#define CYUV_CASE(DROP, KIND)                                                                                          \
    if (bits == 10 + DROP && kind == KIND)                                                                            \
    cyuv_to_ten_plane(from, from_stride, from_width, from_height, to, to_stride, width, height, DROP, KIND)
    CYUV_CASE(0, 0);
    CYUV_CASE(0, 1);
    CYUV_CASE(0, 2);
    CYUV_CASE(2, 0);
    CYUV_CASE(2, 1);
    CYUV_CASE(2, 2);
#undef CYUV_CASE
}
#endif
