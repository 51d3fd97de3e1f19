// Says when what of a file was on the disk: preloaded, it writes a line for each fdatasync(2) that returned to the file that
// SYNC_LOG names: nanoseconds of CLOCK_MONOTONIC, the file's inode, and its size when the sync began.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static FILE *list;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("SYNC_LOG");
    if (path) list = fopen(path, "we");
}

int fdatasync(int file) {
    static int (*real)(int);
    if (!real) real = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
    struct stat before;
    int isKnown = fstat(file, &before) == 0;
    int result = real(file);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (list && isKnown && result == 0) {
        fprintf(list, "%lld %llu %lld\n", now.tv_sec * 1000000000LL + now.tv_nsec, (unsigned long long)before.st_ino,
                (long long)before.st_size);
        fflush(list);
    }
    return result;
}
