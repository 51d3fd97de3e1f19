/*
 * The processor time of x264 alone: encodes raw I420 frames that are already in memory, as fast as it can, and throws the result away.
 *
 *   x264-limit FILE WIDTH HEIGHT RATE PRESET CRF KEYINT
 *
 * Prints the processor seconds and the seconds on the wall between the opened encoder and its last frame, the frames and
 * the bytes. The settings are those that the recorder and FFmpeg's libx264 are given in `offline`; x264 chooses its threads.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <x264.h>

static double processor(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static double wall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec + now.tv_nsec / 1e9;
}

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

int main(int count, char **arguments)
{
    if (count != 8) {
        fprintf(stderr, "usage: x264-limit FILE WIDTH HEIGHT RATE PRESET CRF KEYINT\n");
        return 64;
    }
    int width = atoi(arguments[2]), height = atoi(arguments[3]);
    size_t luma = (size_t)width * height, size = luma * 3 / 2;
    int file = open(arguments[1], O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) < 0) fail(arguments[1]);
    size_t frames = size ? status.st_size / size : 0;
    if (!frames) {
        fprintf(stderr, "%s contains no frame of that size\n", arguments[1]);
        return 65;
    }
    /* Mapped and touched beforehand: finding the pages is not x264's work. */
    uint8_t *bytes = mmap(NULL, status.st_size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
    if (bytes == MAP_FAILED) fail("mmap");

    x264_param_t parameters;
    if (x264_param_default_preset(&parameters, arguments[5], NULL) < 0) {
        fprintf(stderr, "x264 has no preset %s\n", arguments[5]);
        return 64;
    }
    parameters.i_log_level = X264_LOG_ERROR;
    parameters.i_width = width;
    parameters.i_height = height;
    parameters.i_csp = X264_CSP_I420;
    parameters.i_fps_num = atoi(arguments[4]);
    parameters.i_fps_den = 1;
    parameters.i_timebase_num = 1;
    parameters.i_timebase_den = parameters.i_fps_num;
    parameters.b_vfr_input = 1;
    parameters.rc.i_rc_method = X264_RC_CRF;
    parameters.rc.f_rf_constant = atof(arguments[6]);
    parameters.i_keyint_max = atoi(arguments[7]);
    parameters.b_annexb = 0;
    parameters.b_repeat_headers = 0;
    x264_t *encoder = x264_encoder_open(&parameters);
    if (!encoder) return 70;

    double began = wall(), before = processor();
    long long written = 0;
    x264_picture_t frame, result;
    x264_nal_t *units;
    int number;
    x264_picture_init(&frame);
    frame.img.i_csp = X264_CSP_I420;
    frame.img.i_plane = 3;
    frame.img.i_stride[0] = width;
    frame.img.i_stride[1] = frame.img.i_stride[2] = width / 2;
    for (size_t index = 0; index < frames; index++) {
        frame.i_pts = index;
        frame.img.plane[0] = bytes + index * size;
        frame.img.plane[1] = frame.img.plane[0] + luma;
        frame.img.plane[2] = frame.img.plane[1] + luma / 4;
        int length = x264_encoder_encode(encoder, &units, &number, &frame, &result);
        if (length < 0) return 70;
        written += length;
    }
    while (x264_encoder_delayed_frames(encoder) > 0) {
        int length = x264_encoder_encode(encoder, &units, &number, NULL, &result);
        if (length < 0) return 70;
        written += length;
    }
    printf("%.3f %.3f %zu %lld\n", processor() - before, wall() - began, frames, written);
    x264_encoder_close(encoder);
    return 0;
}
