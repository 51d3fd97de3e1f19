// lab-clap: claps before the device lab's camera and microphone.
//
//   lab-clap CAMERA PCM EVERY COUNT [FLASH]      for example: lab-clap /dev/video0 hw:Loopback,0,0 1.4 8 150
//
// CAMERA may also be the subdevice of vimc's sensor, such as /dev/v4l-subdev1: its test pattern has the same numbers.
// CAMERA and PCM may be several, with + between them: all cameras flash at the instant of the first one's clap, and all
// PCMs play the same.
//
// Plays silence into the ALSA playback device PCM (snd-aloop's one end; the recorder listens at the other) and COUNT
// times, once every EVERY seconds, a beep of 1 kHz. At the instant at which a beep's first sample plays, vivid's
// frame turns from black to white, and FLASH milliseconds (default 100) later back to black. Who records both ends can
// measure how far apart they come out. With EVERY a whole number of frames the true distance is the same for every
// clap: the time until the camera takes its next frame, so between nothing and one frame.
//
// Prints a line per clap, with the monotonic time it was meant for:
//   clap N t=SECONDS late_us=HOW-LATE-THE-FLASH-WAS control_us=HOW-LONG-THE-DRIVER-TOOK

#include <alsa/asoundlib.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/videodev2.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

enum { rate = 48000, channels = 2, period = 480, buffer = 4800 };

// vivid's own controls (drivers/media/test-drivers/vivid/vivid-ctrls.c)
enum {
    control_test_pattern = 0x00f0f000,
    control_osd_text_mode = 0x00f0f001,
};
enum { pattern_black = 5, pattern_white = 6, osd_text_none = 2 };

enum { most = 4 };
static int cameras[most];
static int camera_count;
static snd_pcm_t *others[most]; // that play the same as the first PCM
static int other_count;

// The next flash: written by the thread that plays, read by the one that flashes.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int claps_announced;
static double next_flash_at;

static double flash_length = 0.1; // seconds, as all times here

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void sleep_until(double moment) {
    struct timespec time = {.tv_sec = (time_t)moment};
    time.tv_nsec = (long)((moment - (double)time.tv_sec) * 1e9);
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, NULL) == EINTR) {
    }
}

static void set_control(unsigned id, int value) {
    struct v4l2_ext_control control = {.id = id, .value = value};
    struct v4l2_ext_controls controls = {.which = V4L2_CTRL_WHICH_CUR_VAL, .count = 1, .controls = &control};
    for (int i = 0; i < camera_count; i++) {
        if (ioctl(cameras[i], VIDIOC_S_EXT_CTRLS, &controls) == 0) continue;
        perror("lab-clap: VIDIOC_S_EXT_CTRLS (is this a camera of vivid or a sensor of vimc?)");
        exit(1);
    }
}

// Whether every camera has a control: vimc's sensor has no such text mode, and a black frame with text is black enough.
static int has_control(unsigned id) {
    for (int i = 0; i < camera_count; i++) {
        struct v4l2_queryctrl query = {.id = id};
        if (ioctl(cameras[i], VIDIOC_QUERYCTRL, &query) != 0) return 0;
    }
    return 1;
}

static void *flash(void *unused) {
    (void)unused;
    for (int clap = 1;; clap++) {
        pthread_mutex_lock(&lock);
        while (claps_announced < clap) pthread_cond_wait(&changed, &lock);
        double moment = next_flash_at;
        pthread_mutex_unlock(&lock);

        sleep_until(moment);
        double before = now();
        set_control(control_test_pattern, pattern_white);
        double after = now();
        printf("clap %d t=%.6f late_us=%.0f control_us=%.0f\n", clap, moment, (before - moment) * 1e6,
               (after - before) * 1e6);
        fflush(stdout);
        sleep_until(moment + flash_length);
        set_control(control_test_pattern, pattern_black);
    }
    return NULL;
}

static void announce_flash(double moment) {
    pthread_mutex_lock(&lock);
    next_flash_at = moment;
    claps_announced++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void check(int result, const char *what) {
    if (result >= 0) return;
    fprintf(stderr, "lab-clap: %s: %s\n", what, snd_strerror(result));
    exit(1);
}

static snd_pcm_t *open_playback(const char *name) {
    snd_pcm_t *pcm;
    snd_pcm_hw_params_t *hardware;
    unsigned actual_rate = rate;
    snd_pcm_uframes_t actual_period = period;
    snd_pcm_uframes_t actual_buffer = buffer;

    check(snd_pcm_open(&pcm, name, SND_PCM_STREAM_PLAYBACK, 0), name);
    snd_pcm_hw_params_alloca(&hardware);
    check(snd_pcm_hw_params_any(pcm, hardware), "snd_pcm_hw_params_any");
    check(snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED), "interleaved access");
    check(snd_pcm_hw_params_set_format(pcm, hardware, SND_PCM_FORMAT_S16_LE), "S16_LE");
    check(snd_pcm_hw_params_set_channels(pcm, hardware, channels), "two channels");
    check(snd_pcm_hw_params_set_rate_near(pcm, hardware, &actual_rate, NULL), "48 kHz");
    check(snd_pcm_hw_params_set_period_size_near(pcm, hardware, &actual_period, NULL), "the period");
    check(snd_pcm_hw_params_set_buffer_size_near(pcm, hardware, &actual_buffer), "the buffer");
    check(snd_pcm_hw_params(pcm, hardware), "snd_pcm_hw_params");
    if (actual_rate != rate) {
        fprintf(stderr, "lab-clap: %s plays at %u Hz, not at %d\n", name, actual_rate, rate);
        exit(1);
    }
    return pcm;
}

// When the sample `offset` frames ahead of what has been written will play.
static double playing_time(snd_pcm_t *pcm, int offset) {
    snd_pcm_sframes_t delay = 0;
    snd_pcm_delay(pcm, &delay);
    return now() + (double)(delay + offset) / rate;
}

static void play(snd_pcm_t *pcm, double every, int count) {
    short samples[period * channels];
    const long interval = lround(every * rate);
    const long beep_length = lround(flash_length * rate);
    const long end = (long)count * interval + interval / 2;
    int claps = 0;
    long beep_end = 0;

    for (long position = 0; position < end;) {
        for (int i = 0; i < period; i++) {
            long sample = position + i;
            if (claps < count && sample == (claps + 1) * interval) {
                announce_flash(playing_time(pcm, i));
                beep_end = sample + beep_length;
                claps++;
            }
            short value = 0;
            if (sample < beep_end) {
                double since_start = (double)(sample - (beep_end - beep_length)) / rate;
                value = (short)(20000 * cos(2 * M_PI * 1000 * since_start)); // a cosine: loud from the first sample on
            }
            samples[2 * i] = samples[2 * i + 1] = value;
        }
        snd_pcm_sframes_t written = snd_pcm_writei(pcm, samples, period);
        if (written == -EPIPE) {
            // The claps announced from now on are right again, one in the air is not: say so, let the reader judge.
            fprintf(stderr, "lab-clap: underrun at %.3f\n", now());
            check(snd_pcm_prepare(pcm), "snd_pcm_prepare");
            continue;
        }
        check((int)written, "snd_pcm_writei");
        for (int i = 0; i < other_count; i++) {
            // One that fell behind begins again with what is played now.
            if (snd_pcm_writei(others[i], samples, written) == -EPIPE) snd_pcm_prepare(others[i]);
        }
        position += written;
    }
    snd_pcm_drain(pcm);
}

int main(int argument_count, char **arguments) {
    if (argument_count < 5 || argument_count > 6) {
        fprintf(stderr, "usage: lab-clap CAMERA PCM EVERY COUNT [FLASH]     (seconds, times, milliseconds; "
                        "e.g. lab-clap /dev/video0 hw:Loopback,0,0 1.4 8 150)\n");
        return 64;
    }
    double every = atof(arguments[3]);
    int count = atoi(arguments[4]);
    if (argument_count == 6) flash_length = atof(arguments[5]) / 1000;
    if (count < 1 || flash_length <= 0 || every <= flash_length) {
        fprintf(stderr, "lab-clap: COUNT must be positive and EVERY longer than FLASH\n");
        return 64;
    }

    for (char *name = strtok(arguments[1], "+"); name && camera_count < most; name = strtok(NULL, "+")) {
        cameras[camera_count] = open(name, O_RDWR | O_CLOEXEC);
        if (cameras[camera_count++] >= 0) continue;
        fprintf(stderr, "lab-clap: %s: %s\n", name, strerror(errno));
        return 1;
    }
    if (has_control(control_osd_text_mode)) set_control(control_osd_text_mode, osd_text_none);
    set_control(control_test_pattern, pattern_black);

    snd_pcm_t *pcm = open_playback(strtok(arguments[2], "+"));
    for (char *name = strtok(NULL, "+"); name && other_count < most; name = strtok(NULL, "+"))
        others[other_count++] = open_playback(name);
    pthread_t flashing;
    if (pthread_create(&flashing, NULL, flash, NULL) != 0) {
        fprintf(stderr, "lab-clap: cannot start a thread\n");
        return 1;
    }
    play(pcm, every, count);
    return 0;
}
