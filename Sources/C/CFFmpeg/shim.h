// Declarations that Swift cannot import from FFmpeg: macros with casts, compound literals and variadic functions.
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

// Marks the frame as interlaced.
static inline void cffmpeg_set_fields(AVFrame *frame, int upper_first) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    frame->flags |= AV_FRAME_FLAG_INTERLACED;
    if (upper_first) frame->flags |= AV_FRAME_FLAG_TOP_FIELD_FIRST;
    else frame->flags &= ~AV_FRAME_FLAG_TOP_FIELD_FIRST;
#else
    frame->interlaced_frame = 1;
    frame->top_field_first = upper_first;
#endif
}

// Returns 1 if the frame is interlaced.
static inline int cffmpeg_has_fields(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return (frame->flags & AV_FRAME_FLAG_INTERLACED) != 0;
#else
    return frame->interlaced_frame;
#endif
}

// Returns 1 if the upper field of an interlaced frame is shown first.
static inline int cffmpeg_is_upper_first(const AVFrame *frame) {
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 7, 100)
    return (frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST) != 0;
#else
    return frame->top_field_first;
#endif
}

static const int CFFMPEG_ERROR_EAGAIN = AVERROR(EAGAIN);
static const int CFFMPEG_ERROR_INVALIDDATA = AVERROR_INVALIDDATA;
static const int CFFMPEG_ERROR_ENOENT = AVERROR(ENOENT);
static const int CFFMPEG_ERROR_ENOMEM = AVERROR(ENOMEM);

// Returns the sample format that an encoder prefers. FFmpeg 7.1 deprecates AVCodec.sample_fmts, and FFmpeg 9 removes
// it.
static inline enum AVSampleFormat cffmpeg_first_sample_format(const AVCodec *codec) {
    const enum AVSampleFormat *formats = NULL;
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
    const void *list = NULL;
    if (avcodec_get_supported_config(NULL, codec, AV_CODEC_CONFIG_SAMPLE_FORMAT, 0, &list, NULL) >= 0)
        formats = (const enum AVSampleFormat *)list;
#else
    formats = codec->sample_fmts;
#endif
    return formats ? formats[0] : AV_SAMPLE_FMT_FLTP;
}

// Returns the frame rate that the codec's own data states, or 0/1. FFmpeg 5 and 6.0 store it only in the stream.
static inline AVRational cffmpeg_stated_frame_rate(const AVCodecParameters *parameters) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 100)
    return parameters->framerate;
#else
    (void)parameters;
    return (AVRational){0, 1};
#endif
}

// Returns the side data of a stream, or NULL. FFmpeg 6.1 moved it from the stream to the codec's parameters, and FFmpeg
// 9 removes the old field.
static inline const uint8_t *cffmpeg_stream_side_data(
    const AVStream *stream, enum AVPacketSideDataType type, size_t *size) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 100)
    const AVPacketSideData *found = av_packet_side_data_get(
        stream->codecpar->coded_side_data, stream->codecpar->nb_coded_side_data, type);
    if (!found) return NULL;
    *size = found->size;
    return found->data;
#else
    for (int index = 0; index < stream->nb_side_data; index++)
        if (stream->side_data[index].type == type) {
            *size = stream->side_data[index].size;
            return stream->side_data[index].data;
        }
    return NULL;
#endif
}

#endif
