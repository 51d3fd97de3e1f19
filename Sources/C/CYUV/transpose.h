// Transposes planes: each row becomes a column. libyuv writes eight columns of every row of the result in turn, so its
// reads and writes wait for memory. Here a block has as many rows and columns as a cache line has samples. Each line is
// read once and written once, and is requested while the previous block is transposed.
#ifndef RECORDER_CYUV_TRANSPOSE_H
#define RECORDER_CYUV_TRANSPOSE_H
#include <stdint.h>

// The bytes of a cache line on most processors. Another size costs time, but does not change the result.
enum { cyuv_line = 64 };

// Stores in `new` the interleaved halves of two vectors of SIDE samples.
#define CYUV_INTERLEAVE_16(one, other, new, next)                                                                      \
    new = __builtin_shufflevector(one, other, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);                 \
    next = __builtin_shufflevector(one, other, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
#define CYUV_INTERLEAVE_8(one, other, new, next)                                                                       \
    new = __builtin_shufflevector(one, other, 0, 8, 1, 9, 2, 10, 3, 11);                                               \
    next = __builtin_shufflevector(one, other, 4, 12, 5, 13, 6, 14, 7, 15)

// Interleaves the first half of SIDE vectors with the second half. SIDE is a power of two, and its exponent is the
// number of rounds that transpose a square of samples.
#define CYUV_ROUND_16(a, b)                                                                                            \
    CYUV_INTERLEAVE_16(a##0, a##8, b##0, b##1);                                                                        \
    CYUV_INTERLEAVE_16(a##1, a##9, b##2, b##3);                                                                        \
    CYUV_INTERLEAVE_16(a##2, a##10, b##4, b##5);                                                                       \
    CYUV_INTERLEAVE_16(a##3, a##11, b##6, b##7);                                                                       \
    CYUV_INTERLEAVE_16(a##4, a##12, b##8, b##9);                                                                       \
    CYUV_INTERLEAVE_16(a##5, a##13, b##10, b##11);                                                                     \
    CYUV_INTERLEAVE_16(a##6, a##14, b##12, b##13);                                                                     \
    CYUV_INTERLEAVE_16(a##7, a##15, b##14, b##15)
#define CYUV_ROUND_8(a, b)                                                                                             \
    CYUV_INTERLEAVE_8(a##0, a##4, b##0, b##1);                                                                         \
    CYUV_INTERLEAVE_8(a##1, a##5, b##2, b##3);                                                                         \
    CYUV_INTERLEAVE_8(a##2, a##6, b##4, b##5);                                                                         \
    CYUV_INTERLEAVE_8(a##3, a##7, b##6, b##7)

#define CYUV_LOAD(vector, row) __builtin_memcpy(&vector, from + (row) * from_stride, sizeof vector)
#define CYUV_STORE(vector, row) __builtin_memcpy(to + (row) * to_stride, &vector, sizeof vector)

// Transposes a square of 16 rows of 16 bytes.
static inline __attribute__((always_inline)) void cyuv_transpose_bytes_square(
    const uint8_t *from, intptr_t from_stride, uint8_t *to, intptr_t to_stride) {
    typedef uint8_t vector __attribute__((vector_size(16)));
    vector a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15;
    vector b0, b1, b2, b3, b4, b5, b6, b7, b8, b9, b10, b11, b12, b13, b14, b15;
    CYUV_LOAD(a0, 0), CYUV_LOAD(a1, 1), CYUV_LOAD(a2, 2), CYUV_LOAD(a3, 3);
    CYUV_LOAD(a4, 4), CYUV_LOAD(a5, 5), CYUV_LOAD(a6, 6), CYUV_LOAD(a7, 7);
    CYUV_LOAD(a8, 8), CYUV_LOAD(a9, 9), CYUV_LOAD(a10, 10), CYUV_LOAD(a11, 11);
    CYUV_LOAD(a12, 12), CYUV_LOAD(a13, 13), CYUV_LOAD(a14, 14), CYUV_LOAD(a15, 15);
    CYUV_ROUND_16(a, b);
    CYUV_ROUND_16(b, a);
    CYUV_ROUND_16(a, b);
    CYUV_ROUND_16(b, a);
    CYUV_STORE(a0, 0), CYUV_STORE(a1, 1), CYUV_STORE(a2, 2), CYUV_STORE(a3, 3);
    CYUV_STORE(a4, 4), CYUV_STORE(a5, 5), CYUV_STORE(a6, 6), CYUV_STORE(a7, 7);
    CYUV_STORE(a8, 8), CYUV_STORE(a9, 9), CYUV_STORE(a10, 10), CYUV_STORE(a11, 11);
    CYUV_STORE(a12, 12), CYUV_STORE(a13, 13), CYUV_STORE(a14, 14), CYUV_STORE(a15, 15);
}

// Transposes a square of 8 rows of 8 words.
static inline __attribute__((always_inline)) void cyuv_transpose_words_square(
    const uint16_t *from, intptr_t from_stride, uint16_t *to, intptr_t to_stride) {
    typedef uint16_t vector __attribute__((vector_size(16)));
    vector a0, a1, a2, a3, a4, a5, a6, a7;
    vector b0, b1, b2, b3, b4, b5, b6, b7;
    CYUV_LOAD(a0, 0), CYUV_LOAD(a1, 1), CYUV_LOAD(a2, 2), CYUV_LOAD(a3, 3);
    CYUV_LOAD(a4, 4), CYUV_LOAD(a5, 5), CYUV_LOAD(a6, 6), CYUV_LOAD(a7, 7);
    CYUV_ROUND_8(a, b);
    CYUV_ROUND_8(b, a);
    CYUV_ROUND_8(a, b);
    CYUV_STORE(b0, 0), CYUV_STORE(b1, 1), CYUV_STORE(b2, 2), CYUV_STORE(b3, 3);
    CYUV_STORE(b4, 4), CYUV_STORE(b5, 5), CYUV_STORE(b6, 6), CYUV_STORE(b7, 7);
}
#undef CYUV_LOAD
#undef CYUV_STORE
#undef CYUV_ROUND_16
#undef CYUV_ROUND_8
#undef CYUV_INTERLEAVE_16
#undef CYUV_INTERLEAVE_8

// Makes `columns` rows of `rows` samples from `rows` rows of `columns` samples. The memory of both must not overlap.
// Strides are in samples, and may be negative.
//
// The last squares of a row and of a column begin so early that they are complete, so they write some samples again. A
// plane that is smaller than a square is transposed sample by sample.
#define CYUV_TRANSPOSE(NAME, SAMPLE, SIDE)                                                                             \
    static inline void NAME(                                                                                           \
        const SAMPLE *from, int from_row, SAMPLE *to, int to_row, int columns, int rows) {                             \
        enum { side = SIDE, block = cyuv_line / (int)sizeof(SAMPLE), share = side * side / block };                    \
        const intptr_t from_stride = from_row, to_stride = to_row;                                                     \
        if (columns < side || rows < side) {                                                                           \
            for (int y = 0; y < rows; y++)                                                                             \
                for (int x = 0; x < columns; x++) to[x * to_stride + y] = from[y * from_stride + x];                   \
            return;                                                                                                    \
        }                                                                                                              \
        for (int first_y = 0; first_y < rows; first_y += block) {                                                      \
            const int end_y = rows - first_y < block ? rows : first_y + block;                                         \
            for (int first_x = 0; first_x < columns; first_x += block) {                                               \
                const int end_x = columns - first_x < block ? columns : first_x + block;                               \
                const int next_end_x = columns - end_x < block ? columns : end_x + block;                              \
                for (int x = first_x; x < end_x; x += side) {                                                          \
                    for (int y = first_y; y < end_y; y += side) {                                                      \
                        /* A square requests its share of the lines of the next block: `share` rows of both. */        \
                        const int ahead_y = y + (x - first_x) / side * share;                                          \
                        const int ahead_x = end_x + (x - first_x) + (y - first_y) / side * share;                      \
                        for (int at = 0; at < share; at++) {                                                           \
                            if (ahead_y + at < end_y && next_end_x > end_x)                                            \
                                __builtin_prefetch(from + (ahead_y + at) * from_stride + next_end_x - 1, 0);           \
                            if (ahead_x + at < next_end_x)                                                             \
                                __builtin_prefetch(to + (ahead_x + at) * to_stride + end_y - 1, 1);                    \
                        }                                                                                              \
                        const int left = columns - side < x ? columns - side : x;                                      \
                        const int top = rows - side < y ? rows - side : y;                                             \
                        NAME##_square(                                                                                 \
                            from + top * from_stride + left, from_stride, to + left * to_stride + top, to_stride);     \
                    }                                                                                                  \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
    }

CYUV_TRANSPOSE(cyuv_transpose_bytes, uint8_t, 16)
CYUV_TRANSPOSE(cyuv_transpose_words, uint16_t, 8)
#undef CYUV_TRANSPOSE

// The same for interleaved chroma; each pair of samples stays together. Strides are in bytes; strides and addresses must
// be even.
static inline void cyuv_transpose_pairs(
    const uint8_t *from, int from_stride, uint8_t *to, int to_stride, int pairs, int rows) {
    cyuv_transpose_words((const uint16_t *)from, from_stride / 2, (uint16_t *)to, to_stride / 2, pairs, rows);
}

// Reverses the order of the samples of each row. Strides are in samples, and may be negative.
static inline void cyuv_mirror_words(
    const uint16_t *from, int from_stride, uint16_t *to, int to_stride, int columns, int rows) {
    for (int row = 0; row < rows; row++) {
        const uint16_t *line = from + (intptr_t)row * from_stride;
        uint16_t *result = to + (intptr_t)row * to_stride;
        for (int at = 0; at < columns; at++) result[at] = line[columns - 1 - at];
    }
}
#endif
