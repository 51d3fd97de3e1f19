// What Swift cannot import from alsa-lib (its *_alloca macros have *_malloc twins, which import as they are).
#ifndef RECORDER_CALSA_SHIM_H
#define RECORDER_CALSA_SHIM_H
#include <alsa/asoundlib.h>
#endif
