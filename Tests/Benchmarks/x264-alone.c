// The same x264 calls alone: what of a live recording's processor time is x264's.
//
//   x264-alone recorder|ffmpeg FILE WIDTH HEIGHT RATE PRESET FIRST COUNT [THREADS]
//
// Encodes I420 frames in memory, over and over, at the pace of a camera, with the parameters that the recorder
// (Sources/Media/MediaCodecs/H264/H264Encoder+Parameters.swift) or FFmpeg's libx264 gives it, CRF 23, a keyframe every two seconds; THREADS are the
// recorder's, x264's usual ones without. Prints the
// seconds of processor time that COUNT frames took after FIRST others, then x264's options, which must be those in the movie.

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <x264.h>

static double processor_time(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

static const uint8_t *load(const char *path, size_t *size) {
    const int file = open(path, O_RDONLY);
    struct stat status;
    if (file < 0 || fstat(file, &status) < 0) return NULL;
    *size = (size_t)status.st_size;
    void *bytes = mmap(NULL, *size, PROT_READ, MAP_SHARED | MAP_POPULATE, file, 0);
    return bytes == MAP_FAILED ? NULL : bytes;
}

// As the recorder bounds what is in flight: `boundDelay`.
static void bound_delay(x264_param_t *parameters, int rate, int threads) {
    const int usual = threads > 0 ? threads : (int)sysconf(_SC_NPROCESSORS_ONLN) * 3 / 2, most = rate * 45 / 100;
    parameters->i_sync_lookahead = 0;
    parameters->i_threads = usual < most / 2 + 1 ? usual : most / 2 + 1;
    const int held = most - (parameters->i_threads - 1) - parameters->b_vfr_input;
    if (parameters->rc.i_lookahead > held) parameters->rc.i_lookahead = held;
    if (parameters->i_bframe > held - 1) parameters->i_bframe = held - 1;
}

static void print_options(x264_t *encoder) {
    x264_nal_t *units;
    int count;
    x264_encoder_headers(encoder, &units, &count);
    for (int each = 0; each < count; each++) {
        if (units[each].i_type != NAL_SEI) continue;
        const uint8_t *at = units[each].p_payload, *end = at + units[each].i_payload;
        while (at + 8 < end && memcmp(at, "options:", 8) != 0) at++;
        printf("%.*s\n", (int)(end - 1 - at), (const char *)at);
    }
}

int main(int count, char **words) {
    if (count != 9 && count != 10)
        return fprintf(stderr, "x264-alone recorder|ffmpeg FILE WIDTH HEIGHT RATE PRESET FIRST COUNT [THREADS]\n"), 64;
    const int width = atoi(words[3]), height = atoi(words[4]), rate = atoi(words[5]);
    const int first = atoi(words[7]), total = first + atoi(words[8]);
    const size_t luma = (size_t)width * (size_t)height, frame_size = luma * 3 / 2;
    size_t size = 0;
    const uint8_t *bytes = load(words[2], &size);
    if (bytes == NULL || size < frame_size) return fprintf(stderr, "x264-alone: %s: %s\n", words[2], strerror(errno)), 66;

    x264_param_t parameters;
    if (x264_param_default_preset(&parameters, words[6], NULL) < 0) return 64;
    parameters.i_width = width;
    parameters.i_height = height;
    parameters.i_csp = X264_CSP_I420;
    parameters.b_repeat_headers = 0;
    parameters.b_annexb = 0;
    parameters.i_log_level = X264_LOG_ERROR;
    parameters.i_fps_num = (uint32_t)rate;
    parameters.i_fps_den = 1;
    parameters.b_vfr_input = 1;
    parameters.i_timebase_num = 1;
    parameters.i_timebase_den = (uint32_t)rate;
    parameters.i_keyint_max = rate * 2;
    parameters.rc.i_rc_method = X264_RC_CRF;
    parameters.rc.f_rf_constant = 23;
    if (strcmp(words[1], "recorder") == 0) bound_delay(&parameters, rate, count == 10 ? atoi(words[9]) : 0);
    x264_t *encoder = x264_encoder_open(&parameters);
    if (encoder == NULL) return 1;

    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    double before = 0;
    for (int number = 0; number < total; number++) {
        if (number == first) before = processor_time();
        time.tv_nsec += 1000000000 / rate;
        if (time.tv_nsec >= 1000000000) time.tv_sec++, time.tv_nsec -= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL);
        x264_picture_t frame, encoded;
        x264_picture_init(&frame);
        uint8_t *at = (uint8_t *)bytes + (size_t)number % (size / frame_size) * frame_size;
        frame.i_pts = number;
        frame.img.i_csp = X264_CSP_I420;
        frame.img.i_plane = 3;
        frame.img.plane[0] = at;
        frame.img.plane[1] = at + luma;
        frame.img.plane[2] = at + luma + luma / 4;
        frame.img.i_stride[0] = width;
        frame.img.i_stride[1] = frame.img.i_stride[2] = width / 2;
        x264_nal_t *units;
        int unit_count;
        if (x264_encoder_encode(encoder, &units, &unit_count, &frame, &encoded) < 0) return 1;
    }
    printf("%.6f\n", processor_time() - before);
    print_options(encoder);
    x264_encoder_close(encoder);
    return 0;
}
