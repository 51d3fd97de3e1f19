// Functions that Swift cannot import from alsa-lib (its *_alloca macros have *_malloc twins, which import without
// help).
#ifndef RECORDER_CALSA_SHIM_H
#define RECORDER_CALSA_SHIM_H
#include <alsa/asoundlib.h>

static inline void calsa_ignore(const char *file, int line, const char *function, int code, const char *format, ...) {
    (void)file, (void)line, (void)function, (void)code, (void)format;
}
// alsa-lib writes to standard error unless an error handler is set.
static inline void calsa_silence(void) { snd_lib_error_set_handler(calsa_ignore); }

#endif
