// Linux calls that Swift's Glibc module lacks.
#ifndef RECORDER_CLINUX_SHIM_H
#define RECORDER_CLINUX_SHIM_H
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <sched.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static inline int clinux_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }
// Sets the name of the calling thread in the kernel, at most 15 bytes (prctl(2), PR_SET_NAME).
static inline void clinux_set_thread_name(const char *name) { prctl(PR_SET_NAME, (unsigned long)name, 0, 0, 0); }
static inline void clinux_get_thread_name(char name[16]) { prctl(PR_GET_NAME, (unsigned long)name, 0, 0, 0); }

// glibc declares these only with _GNU_SOURCE, which Swift's Glibc module does not define.
extern int pipe2(int ends[2], int flags);
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
extern int ppoll(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *);

// The variables of this process, up to a null pointer.
static inline char **clinux_environment(void) {
    extern char **environ;
    return environ;
}
static const int clinux_seek_data = 3;  // SEEK_DATA, lseek(2)
static inline int clinux_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }
static inline int clinux_spawn_close_from(posix_spawn_file_actions_t *actions, int from) {
    return posix_spawn_file_actions_addclosefrom_np(actions, from);
}
static const short clinux_spawn_setsid = 0x80;  // POSIX_SPAWN_SETSID, <spawn.h>

// Waits until the descriptor is readable, or until the nanoseconds have passed. Returns the result of ppoll(2).
static inline int clinux_poll_readable(int fd, long long nanoseconds) {
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    struct timespec timeout = {.tv_sec = nanoseconds / 1000000000, .tv_nsec = nanoseconds % 1000000000};
    return ppoll(&wait, 1, &timeout, 0);
}

// statvfs(3). In Swift a structure of the same name hides the function.
static inline int clinux_statvfs(const char *path, struct statvfs *values) { return statvfs(path, values); }

// A rename(2) that fails with EEXIST instead of replacing the target (renameat2(2), RENAME_NOREPLACE).
static inline int clinux_rename_exclusive(const char *from, const char *to) {
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 1U);
}

// The same for two names in an open directory.
static inline int clinux_rename_exclusive_in(int directory, const char *from, const char *to) {
    return (int)syscall(SYS_renameat2, directory, from, directory, to, 1U);
}

// Copies data inside the kernel. Some file systems only make both files share the data (copy_file_range(2)).
static inline ssize_t clinux_copy_file_range(int from, int64_t *from_offset, int to, int64_t *to_offset, size_t count) {
    return syscall(SYS_copy_file_range, from, from_offset, to, to_offset, count, 0U);
}

// Returns the number of processors that this process may use, not that of the machine (sched_getaffinity(2)).
static inline int clinux_available_processors(void) {
    unsigned char mask[1024];
    long size = syscall(SYS_sched_getaffinity, 0, sizeof mask, mask);
    int count = 0;
    for (long index = 0; index < size; index++) count += __builtin_popcount(mask[index]);
    return count > 0 ? count : 1;
}

// Starts writing dirty pages to disk, without waiting (sync_file_range(2), SYNC_FILE_RANGE_WRITE).
static inline int clinux_begin_writing(int file) { return (int)syscall(SYS_sync_file_range, file, (int64_t)0, (int64_t)0, 2U); }

// Writes the file system of an open file to the disk (syncfs(2)).
static inline int clinux_sync_file_system(int file) { return (int)syscall(SYS_syncfs, file); }

// Locks the open file (fcntl(2), F_OFD_SETLK). The lock is released when the last descriptor of the open file is
// closed, even if the process is killed.
static inline int clinux_lock_file(int file) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(file, 37 /* F_OFD_SETLK */, &whole);
}

// Locks one byte of the open file in the same way, at an offset that may be after the end of the file.
static inline int clinux_lock_byte(int file, long long offset) {
    struct flock byte = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = offset, .l_len = 1};
    return fcntl(file, 37 /* F_OFD_SETLK */, &byte);
}

// Returns 1 if another open file holds the lock of `clinux_lock_file`, 0 if none does, below 0 if unknown. Does not
// acquire the lock (F_OFD_GETLK).
static inline int clinux_is_file_locked(int file) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(file, 36 /* F_OFD_GETLK */, &whole) != 0) return -1;
    return whole.l_type != F_UNLCK;
}

// Returns the user at the other end of a Unix socket, at the time when it began to listen or connected (unix(7),
// SO_PEERCRED); below 0 if unknown.
static inline int64_t clinux_peer_user(int socket) {
    struct { int32_t process; uint32_t user, group; } peer = {0};
    socklen_t size = sizeof peer;
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 ? (int64_t)peer.user : -1;
}

// Receives one message of a socket without waiting, with at most four file descriptors (recvmsg(2), SCM_RIGHTS). The
// descriptors are closed on exec; further ones are closed at once. Returns the length of the message, even if it is
// longer than `size`; -1 with errno after a failure. `count` gets the number of descriptors.
static inline ssize_t clinux_receive(int socket, void *bytes, size_t size, int *descriptors, int *count) {
    struct iovec part = {.iov_base = bytes, .iov_len = size};
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(4 * sizeof(int))];
    } control;
    struct msghdr message = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    *count = 0;
    ssize_t length = recvmsg(socket, &message, MSG_DONTWAIT | MSG_TRUNC | MSG_CMSG_CLOEXEC);
    if (length < 0) return length;
    for (struct cmsghdr *item = CMSG_FIRSTHDR(&message); item; item = CMSG_NXTHDR(&message, item)) {
        if (item->cmsg_level != SOL_SOCKET || item->cmsg_type != SCM_RIGHTS) continue;
        size_t number = (item->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (size_t index = 0; index < number; index++) {
            int descriptor;
            memcpy(&descriptor, CMSG_DATA(item) + index * sizeof(int), sizeof descriptor);
            if (*count < 4) descriptors[(*count)++] = descriptor;
            else close(descriptor);
        }
    }
    return length;
}

// Returns the size of memory that another process shares but cannot shrink: a dma-buf, or a memfd that is sealed
// against shrinking. Returns -1 for any other file, because reading beyond the end of a file that became shorter would
// end this process. A memfd of huge pages is refused too, because reading a hole in it would end this process if the
// system had no huge page left.
static inline int64_t clinux_shared_memory_size(int file) {
    struct statfs values;
    if (fstatfs(file, &values) != 0) return -1;
    if (values.f_type != 0x444d4142 /* DMA_BUF_MAGIC */) {
        int seals = values.f_type == 0x01021994 /* TMPFS_MAGIC */ ? fcntl(file, 1034 /* F_GET_SEALS */) : -1;
        if (seals < 0 || !(seals & 2 /* F_SEAL_SHRINK */)) return -1;
    }
    return lseek(file, 0, SEEK_END);
}

// Begins or ends reading of a dma-buf by the processor. The processor's caches may be out of date (linux/dma-buf.h).
// Fails for a memfd, which needs neither call.
static inline int clinux_dma_buf_reading(int file, int is_end) {
    struct dma_buf_sync sync = {.flags = DMA_BUF_SYNC_READ | (is_end ? DMA_BUF_SYNC_END : DMA_BUF_SYNC_START)};
    return ioctl(file, DMA_BUF_IOCTL_SYNC, &sync);
}

// Stores the UUID of an open file's file system (FS_IOC_GETFSUUID, since Linux 6.9). Returns its length; 0 if unknown.
static inline int clinux_file_system_uuid(int file, unsigned char uuid[16]) {
    struct { uint8_t length, bytes[16]; } found = {0};
    if (ioctl(file, 0x80111500 /* FS_IOC_GETFSUUID */, &found) != 0 || found.length > 16) return 0;
    memcpy(uuid, found.bytes, found.length);
    return found.length;
}

// Returns the ID of an open file's file system if the kernel computes it from the UUID (statfs(2), `f_fsid`), as for
// ext2, ext3, ext4 and Btrfs; otherwise 0. Other file systems use the device number, which may change with each boot.
static inline uint64_t clinux_file_system_id(int file) {
    struct statfs values;
    if (fstatfs(file, &values) != 0) return 0;
    if (values.f_type != 0xEF53 && (unsigned long)values.f_type != 0x9123683EUL) return 0;
    uint64_t id = 0;
    memcpy(&id, &values.f_fsid, sizeof values.f_fsid < sizeof id ? sizeof values.f_fsid : sizeof id);
    return id;
}

/// Returns the type of a path's file system (statfs(2), `f_type`); 0 if unknown.
static inline long clinux_file_system_type(const char *path) {
    struct statfs values;
    return statfs(path, &values) == 0 ? (long)values.f_type : 0;
}

// Makes all threads use one heap, permanently (mallopt(3)). The free end of the heap is returned to the system if it is
// larger than 128 KiB.
static inline void clinux_use_one_heap(void) {
    mallopt(M_ARENA_MAX, 1);
    mallopt(M_TRIM_THRESHOLD, 128 << 10);
}

// Makes malloc map every allocation of 128 KiB and more individually, permanently (mallopt(3)). By default the first
// large allocation that is freed raises that limit. Then frames are allocated between small allocations, which keep the
// memory of freed frames from being returned to the system.
static inline void clinux_map_large_pieces(void) {
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mallopt(M_TRIM_THRESHOLD, 1 << 20);
}

// Returns all completely free pages of the heaps to the system (malloc_trim(3)).
static inline void clinux_trim_heaps(void) { malloc_trim(0); }

// Returns the maximum error of the wall clock in microseconds; below 0 if the clock is not synchronized (adjtimex(2)).
static inline long clinux_clock_error(void) {
    struct timex facts = {0};
    int state = adjtimex(&facts);
    return state == -1 || state == TIME_ERROR ? -1 : facts.maxerror;
}

// Kills the calling process when the thread that started it ends (prctl(2), PR_SET_PDEATHSIG).
static inline int clinux_die_with_parent(void) { return prctl(PR_SET_PDEATHSIG, SIGKILL); }
// Gives all other threads of the system priority over one thread for the disk (ioprio_set(2): IOPRIO_WHO_PROCESS,
// IOPRIO_CLASS_IDLE). `thread` is a thread ID; 0 is the calling thread.
static inline int clinux_idle_disk(int thread) { return (int)syscall(SYS_ioprio_set, 1, thread, 3 << 13); }
// Gives all other threads of the system priority over one thread for the processor, whatever their niceness (sched(7),
// SCHED_IDLE).
static inline int clinux_idle_processor(int thread) {
    struct sched_param none = {0};
    return sched_setscheduler(thread, 5, &none);
}

#endif
