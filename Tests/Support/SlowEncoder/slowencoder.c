// slowencoder: an x264 that can be slowed down, for one program. Built by the tests with cc, loaded with LD_PRELOAD.
//
//   SLOWENCODER_FILE   a path: while that file exists, each frame takes 300 ms more
//
// The delay is a sleep in the encoding thread, as if other threads used the processor.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

typedef int encode_function(void *, void **, int *, void *, void *);

int x264_encoder_encode(void *encoder, void **units, int *count, void *input, void *output) {
    static encode_function *encode;
    if (!encode) encode = (encode_function *)dlsym(RTLD_NEXT, "x264_encoder_encode");
    const char *file = getenv("SLOWENCODER_FILE");
    if (input && file && access(file, F_OK) == 0) {
        struct timespec time = {.tv_nsec = 300000000};
        while (nanosleep(&time, &time) != 0) {
        }
    }
    return encode(encoder, units, count, input, output);
}
