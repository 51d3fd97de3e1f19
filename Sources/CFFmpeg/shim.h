// What Swift cannot import from FFmpeg: macros with casts, compound literals and variadic functions.
#ifndef RECORDER_CFFMPEG_SHIM_H
#define RECORDER_CFFMPEG_SHIM_H
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/channel_layout.h>
#include <libavutil/crc.h>
#include <libavutil/dict.h>
#include <libavutil/display.h>
#include <libavutil/error.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswresample/swresample.h>
#include "filters.h"

static const int64_t CFFMPEG_NOPTS_VALUE = AV_NOPTS_VALUE;
static const int CFFMPEG_ERROR_EOF = AVERROR_EOF;
static const int CFFMPEG_ERROR_EAGAIN = AVERROR(EAGAIN);
static const int CFFMPEG_ERROR_INVALIDDATA = AVERROR_INVALIDDATA;
static const int CFFMPEG_ERROR_ENOENT = AVERROR(ENOENT);
static const int CFFMPEG_ERROR_ENOMEM = AVERROR(ENOMEM);

#endif
