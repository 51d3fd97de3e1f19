// What a process that works for another one says of itself, which Swift cannot import.
#ifndef RECORDER_CPROCESSES_SHIM_H
#define RECORDER_CPROCESSES_SHIM_H
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

// The calling process is killed when the thread that started it ends (prctl(2), PR_SET_PDEATHSIG).
static inline int cprocesses_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL); }

// The disk is for others first (ioprio_set(2): IOPRIO_WHO_PROCESS, IOPRIO_CLASS_IDLE).
static inline int cprocesses_idle_disk(void) { return (int)syscall(SYS_ioprio_set, 1, 0, 3 << 13); }

// The processor is for others first, whatever their niceness (sched(7), SCHED_IDLE).
static inline int cprocesses_idle_processor(void) {
    struct sched_param none = {0};
    return sched_setscheduler(0, 5, &none);
}
#endif
