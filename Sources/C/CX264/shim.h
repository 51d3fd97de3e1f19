// Declarations that Swift cannot import from x264: the versioned macro x264_encoder_open, and the callback for its log.
#ifndef RECORDER_CX264_SHIM_H
#define RECORDER_CX264_SHIM_H
#include <stdint.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x264.h>

// The first error that an encoder reports, in x264's words. Any of the encoder's threads may report errors; only the
// first error is kept.
typedef struct {
    int state; // 0 none yet, 1 being written, 2 complete; atomic
    char text[240];
} cx264_complaint;

static inline void cx264_note(void *complaint, int level, const char *format, va_list arguments) {
    cx264_complaint *kept = (cx264_complaint *)complaint;
    int none = 0;
    if (level > X264_LOG_ERROR || !kept) return;
    if (!__atomic_compare_exchange_n(&kept->state, &none, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) return;
    vsnprintf(kept->text, sizeof kept->text, format, arguments);
    kept->text[strcspn(kept->text, "\n")] = 0;
    __atomic_store_n(&kept->state, 2, __ATOMIC_RELEASE);
}

static inline cx264_complaint *cx264_complaint_new(void) {
    return (cx264_complaint *)calloc(1, sizeof(cx264_complaint));
}

// Returns the text of the first error; NULL if there is none.
static inline const char *cx264_complaint_text(const cx264_complaint *kept) {
    return kept && __atomic_load_n(&kept->state, __ATOMIC_ACQUIRE) == 2 ? kept->text : NULL;
}

// Opens an encoder. `statistics` is the path of the file for b_stat_write or b_stat_read; x264 copies it. `complaint`
// must outlive the encoder.
static inline x264_t *cx264_encoder_open(
    x264_param_t *parameters, const char *statistics, cx264_complaint *complaint) {
    parameters->pf_log = cx264_note;
    parameters->p_log_private = complaint;
    parameters->i_log_level = X264_LOG_ERROR;
    if (statistics) {
        parameters->rc.psz_stat_out = (char *)statistics;
        parameters->rc.psz_stat_in = (char *)statistics;
    }
    return x264_encoder_open(parameters);
}

#endif
