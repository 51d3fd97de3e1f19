// Functions that Swift cannot import from alsa-lib (its *_alloca macros have *_malloc twins, which import without
// help).
#ifndef RECORDER_CALSA_SHIM_H
#define RECORDER_CALSA_SHIM_H
#include <alsa/asoundlib.h>
#include <stdlib.h>

static inline void calsa_ignore(const char *file, int line, const char *function, int code, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)code, (void)format;
}
// Keeps alsa-lib from writing to standard error, which it does unless an error handler is set.
static inline void calsa_silence(void) { snd_lib_error_set_handler(calsa_ignore); }

// Copies the channel map of a device that is set up; Swift does not import the array at the end of snd_pcm_chmap_t.
// Returns the number of channels, which may exceed `capacity`; 0 if the device reports no map.
static inline unsigned int calsa_channel_map(snd_pcm_t *pcm, unsigned int *positions, unsigned int capacity) {
    snd_pcm_chmap_t *map = snd_pcm_get_chmap(pcm);
    if (!map) return 0;
    const unsigned int count = map->channels;
    for (unsigned int channel = 0; channel < count && channel < capacity; channel++)
        positions[channel] = map->pos[channel];
    free(map);
    return count;
}

#endif
