// Reduces planes: each sample of the result is the mean of the area that it covers, including fractions of samples.
// libyuv's mean uses complete samples only.
#ifndef RECORDER_CYUV_AREA_H
#define RECORDER_CYUV_AREA_H
#include <stdint.h>

// A result of `to` samples is made from `from` samples. Returns the total weight, out of 256, that the source samples
// before `end` have in the mean for the result's sample `place`. The weight of one source sample is the difference of
// two totals, so that all weights add up to 256 despite rounding.
static inline int32_t cyuv_area_weight(int64_t place, int64_t end, int64_t from, int64_t to) {
    const int64_t start = place * from, last = start + from, covered = (end * to < last ? end * to : last) - start;
    return (int32_t)((covered * 256 + from / 2) / from);
}

// `room` is scratch memory for 3 · `columns` + 2 · `new_columns` numbers; strides are in samples.
//
// For each row of the result, the source rows are summed first, in loops over all columns that the compiler vectorizes;
// then these sums are added up to the columns of the result.
#define CYUV_AREA(NAME, SAMPLE, SUM)                                                                                   \
    static inline void NAME(                                                                                          \
        const SAMPLE *from, int from_stride, int columns, int rows, SAMPLE *to, int to_stride, int new_columns,       \
        int new_rows, uint32_t *room) {                                                                               \
        SUM *sums = (SUM *)room;                                                                                      \
        uint32_t *counts = room + columns;                                                                            \
        uint16_t *weights = (uint16_t *)(counts + new_columns);                                                       \
        uint16_t *next = weights;                                                                                     \
        for (int x = 0; x < new_columns; x++) {                                                                       \
            const int64_t last = (int64_t)(x + 1) * columns;                                                          \
            int at = (int)((int64_t)x * columns / new_columns), count = 0;                                            \
            for (int32_t before = 0; (int64_t)at * new_columns < last; at++, count++) {                               \
                const int32_t weight = cyuv_area_weight(x, at + 1, columns, new_columns);                             \
                *next++ = (uint16_t)(weight - before);                                                                \
                before = weight;                                                                                      \
            }                                                                                                         \
            counts[x] = (uint32_t)count;                                                                              \
        }                                                                                                             \
        for (int y = 0; y < new_rows; y++) {                                                                          \
            const int64_t last = (int64_t)(y + 1) * rows;                                                             \
            int row = (int)((int64_t)y * rows / new_rows);                                                            \
            int32_t before = 0;                                                                                       \
            for (int is_first = 1; (int64_t)row * new_rows < last; row++, is_first = 0) {                             \
                const int32_t sum = cyuv_area_weight(y, row + 1, rows, new_rows);                                     \
                const SUM weight = (SUM)(sum - before);                                                               \
                const SAMPLE *line = from + (intptr_t)row * from_stride;                                              \
                before = sum;                                                                                         \
                if (is_first) {                                                                                       \
                    for (int x = 0; x < columns; x++) sums[x] = (SUM)(line[x] * weight);                              \
                } else if (weight) {                                                                                  \
                    for (int x = 0; x < columns; x++) sums[x] = (SUM)(sums[x] + line[x] * weight);                    \
                }                                                                                                     \
            }                                                                                                         \
            SAMPLE *result = to + (intptr_t)y * to_stride;                                                            \
            const uint16_t *by = weights;                                                                             \
            for (int x = 0; x < new_columns; x++) {                                                                   \
                const SUM *first = sums + (int64_t)x * columns / new_columns;                                         \
                uint32_t sum = 1 << 15;                                                                               \
                for (uint32_t at = 0; at < counts[x]; at++) sum += (uint32_t)first[at] * by[at];                      \
                by += counts[x];                                                                                      \
                result[x] = (SAMPLE)(sum >> 16);                                                                      \
            }                                                                                                         \
        }                                                                                                             \
    }

CYUV_AREA(cyuv_area_bytes, uint8_t, uint16_t)
// This variant is for samples of at most twelve bits.
CYUV_AREA(cyuv_area_words, uint16_t, uint32_t)
#undef CYUV_AREA
#endif
