// What Swift cannot import from x264: the versioned macro behind x264_encoder_open.
#ifndef RECORDER_CX264_SHIM_H
#define RECORDER_CX264_SHIM_H
#include <stdint.h>
#include <stdarg.h>
#include <stdio.h>
#include <x264.h>

static inline x264_t *cx264_encoder_open(x264_param_t *parameters) { return x264_encoder_open(parameters); }

#endif
