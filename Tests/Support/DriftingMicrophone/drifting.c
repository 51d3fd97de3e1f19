// A microphone with a drifting clock, for alsa-lib: no hardware, no kernel driver, but real rate, poll and timestamps.
//
//   pcm.NAME { type drifting  ppm 200 }        positive if its clock is faster than the system's
//
// 48 kHz, stereo, 16 bits. It records a beep of 1 kHz and 50 ms that begins at each full second of CLOCK_MONOTONIC,
// when the built-in test camera flashes. Built by the tests:
// cc -shared -fPIC -DPIC -o libasound_module_pcm_drifting.so drifting.c -lasound -lm
//
// Source: alsa-lib, "PCM External Plugin SDK", the I/O plugin.

#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

enum { rate = 48000, channels = 2 };

struct microphone {
    snd_pcm_ioplug_t io;
    double pace;     // frames per true second
    double start;    // time of frame 0, in monotonic seconds
    int64_t taken;   // frames read up to now
    int64_t least;   // frames that wake a reader, `avail_min`
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int64_t heard(const struct microphone *microphone) {
    return (int64_t)((now() - microphone->start) * microphone->pace);
}

static struct timespec timespec(double seconds) {
    return (struct timespec){.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};
}

static int set_timer(snd_pcm_ioplug_t *io, double first, double interval) {
    const struct itimerspec times = {.it_interval = timespec(interval), .it_value = timespec(first)};
    return timerfd_settime(io->poll_fd, 0, &times, NULL) == 0 ? 0 : -errno;
}

static int start(snd_pcm_ioplug_t *io) {
    struct microphone *microphone = io->private_data;
    microphone->start = now();
    microphone->taken = 0;
    const double interval = (double)microphone->least / microphone->pace;
    return set_timer(io, interval, interval);
}

static int stop(snd_pcm_ioplug_t *io) { return set_timer(io, 0, 0); }

// Wakes the reader like a card: at the end of the period with which the requested frames are available.
static int software_parameters(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *parameters) {
    struct microphone *microphone = io->private_data;
    const int64_t period = (int64_t)io->period_size;
    snd_pcm_uframes_t least = 0;
    snd_pcm_sw_params_get_avail_min(parameters, &least);
    const int64_t periods = ((int64_t)least + period - 1) / period;
    microphone->least = (periods > 0 ? periods : 1) * period;
    if (io->state != SND_PCM_STATE_RUNNING) return 0;
    const double missing = (double)(microphone->taken + microphone->least) / microphone->pace - (now() - microphone->start);
    return set_timer(io, missing > 1e-6 ? missing : 1e-6, (double)microphone->least / microphone->pace);
}

static snd_pcm_sframes_t pointer(snd_pcm_ioplug_t *io) {
    const struct microphone *microphone = io->private_data;
    const int64_t frames = heard(microphone);
    if (frames - microphone->taken > (int64_t)io->buffer_size) return -EPIPE;
    return (snd_pcm_sframes_t)(frames % (int64_t)io->buffer_size);
}

static int poll_revents(snd_pcm_ioplug_t *io, struct pollfd *waits, unsigned count, unsigned short *events) {
    const struct microphone *microphone = io->private_data;
    uint64_t ticks;
    (void)count;
    if (waits[0].revents & POLLIN && read(io->poll_fd, &ticks, sizeof ticks) < 0 && errno != EAGAIN) return -errno;
    *events = heard(microphone) - microphone->taken >= microphone->least ? POLLIN : 0;
    return 0;
}

// The sample at a true time. The beep is a cosine, loud from the first sample on.
static int16_t tone(double time) {
    const double since = time - floor(time);
    return since < 0.05 ? (int16_t)(20000 * cos(2 * M_PI * 1000 * since)) : 0;
}

static snd_pcm_sframes_t transfer(snd_pcm_ioplug_t *io, const snd_pcm_channel_area_t *areas,
                                  snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
    struct microphone *microphone = io->private_data;
    for (snd_pcm_uframes_t frame = 0; frame < size; frame++) {
        const double time = microphone->start + (double)(microphone->taken + (int64_t)frame) / microphone->pace;
        for (unsigned channel = 0; channel < channels; channel++) {
            const snd_pcm_channel_area_t *area = &areas[channel];
            int16_t *sample = (int16_t *)((char *)area->addr + (area->first + (offset + frame) * area->step) / 8);
            *sample = tone(time);
        }
    }
    microphone->taken += (int64_t)size;
    return (snd_pcm_sframes_t)size;
}

static int close_microphone(snd_pcm_ioplug_t *io) {
    struct microphone *microphone = io->private_data;
    close(io->poll_fd);
    free(microphone);
    return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .sw_params = software_parameters,
    .start = start,
    .stop = stop,
    .pointer = pointer,
    .transfer = transfer,
    .close = close_microphone,
    .poll_revents = poll_revents,
};

static int constrain(snd_pcm_ioplug_t *io) {
    const unsigned accesses[] = {SND_PCM_ACCESS_RW_INTERLEAVED};
    const unsigned formats[] = {SND_PCM_FORMAT_S16};
    int result = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_ACCESS, 1, accesses);
    if (result >= 0) result = snd_pcm_ioplug_set_param_list(io, SND_PCM_IOPLUG_HW_FORMAT, 1, formats);
    if (result >= 0) result = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_RATE, rate, rate);
    if (result >= 0) result = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_CHANNELS, channels, channels);
    if (result >= 0) result = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 480 * 4, 4800 * 4);
    if (result >= 0) result = snd_pcm_ioplug_set_param_minmax(io, SND_PCM_IOPLUG_HW_PERIODS, 2, 400);
    return result;
}

SND_PCM_PLUGIN_DEFINE_FUNC(drifting) {
    (void)root;
    long ppm = 0;
    snd_config_iterator_t each, next;
    snd_config_for_each(each, next, conf) {
        snd_config_t *entry = snd_config_iterator_entry(each);
        const char *key;
        if (snd_config_get_id(entry, &key) < 0) continue;
        if (strcmp(key, "ppm") == 0) snd_config_get_integer(entry, &ppm);
    }
    if (stream != SND_PCM_STREAM_CAPTURE) return -EINVAL;
    struct microphone *microphone = calloc(1, sizeof *microphone);
    if (microphone == NULL) return -ENOMEM;
    microphone->pace = rate * (1 + (double)ppm * 1e-6);
    microphone->start = now();
    snd_pcm_ioplug_t *io = &microphone->io;
    io->version = SND_PCM_IOPLUG_VERSION;
    io->name = "a microphone that drifts";
    io->mmap_rw = 0;
    io->callback = &callbacks;
    io->private_data = microphone;
    io->poll_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    io->poll_events = POLLIN;
    if (io->poll_fd < 0) {
        free(microphone);
        return -errno;
    }
    int result = snd_pcm_ioplug_create(io, name, stream, mode);
    if (result < 0) {
        close_microphone(io);
        return result;
    }
    result = constrain(io);
    if (result < 0) {
        snd_pcm_ioplug_delete(io);
        return result;
    }
    *pcmp = io->pcm;
    return 0;
}

SND_PCM_PLUGIN_SYMBOL(drifting);
