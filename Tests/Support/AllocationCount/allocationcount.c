// allocationcount: counts the heap allocations of each thread of one program, and the mutex locks by the program
// itself, not by its libraries. Built by the tests with cc, loaded with LD_PRELOAD. Swift's objects, arrays and closures
// are heap allocations too.
//
//   ALLOCATIONCOUNT_FILE    the counts: a table of `struct slot`, in shared memory that can be read at any time
//   ALLOCATIONCOUNT_STACKS  a file with a `struct stack` for each allocation …
//   ALLOCATIONCOUNT_AFTER   … from this many seconds after the start; default 10
//   ALLOCATIONCOUNT_FOR     … for this many seconds; default 2
//   ALLOCATIONCOUNT_LOCKS   if set, stacks of locks instead of allocations
//
// scripts/allocations runs a recorder with it and prints both. The files must not exist yet: child processes find them
// and count nothing. Requires glibc (malloc(3): replacing malloc; `__libc_malloc` and so on).

#define _GNU_SOURCE
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { slot_count = 1024, depth = 28, stack_count = 200000 };

// The counts of one thread. Only that thread writes them.
struct slot {
    _Atomic uint64_t thread;       // gettid(2)
    _Atomic uint64_t allocations;  // malloc, calloc, realloc, memalign and similar
    _Atomic uint64_t bytes;        // requested bytes
    _Atomic uint64_t frees;
    _Atomic uint64_t locks;        // pthread_mutex_lock, called by the program
    char name[24];
};
_Static_assert(sizeof(struct slot) == 64, "what reads the table counts on it");

struct stack {
    uint64_t thread;
    uint64_t bytes;
    char name[16];
    void *addresses[depth];  // innermost first, terminated by zero
};

static struct slot *slots;
static atomic_uint used;
static struct stack *stacks;
static atomic_uint stacks_used;
static double begin_stacks, end_stacks;
static int wants_locks;
static char maps_path[4096];
static atomic_flag has_maps = ATOMIC_FLAG_INIT;

static __thread struct slot *mine __attribute__((tls_model("initial-exec")));
static __thread int is_inside __attribute__((tls_model("initial-exec")));

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *memory);
int __pthread_mutex_lock(pthread_mutex_t *mutex);

// The address range of the program's own code.
static uintptr_t program_start, program_end;

static int find_program(struct dl_phdr_info *info, size_t size, void *ignored) {
    (void)size;
    (void)ignored;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[index];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        program_start = info->dlpi_addr + part->p_vaddr;
        program_end = program_start + part->p_memsz;
    }
    return 1;  // the program is the first object
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void *shared(const char *path, size_t size) {
    int file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return NULL;
    void *memory = ftruncate(file, (off_t)size) != 0 ? MAP_FAILED : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return memory == MAP_FAILED ? NULL : memory;
}

static double number(const char *name, double otherwise) {
    const char *text = getenv(name);
    return text ? strtod(text, NULL) : otherwise;
}

__attribute__((constructor)) static void start(void) {
    const char *path = getenv("ALLOCATIONCOUNT_STACKS");
    if (path) {
        void *ignored[depth];
        backtrace(ignored, depth);  // the first call loads a library
        begin_stacks = now() + number("ALLOCATIONCOUNT_AFTER", 10);
        wants_locks = getenv("ALLOCATIONCOUNT_LOCKS") != NULL;
        end_stacks = begin_stacks + number("ALLOCATIONCOUNT_FOR", 2);
        strncpy(maps_path, path, sizeof maps_path - 6);
        strcat(maps_path, ".maps");
        stacks = shared(path, sizeof(struct stack) * stack_count);
    }
    dl_iterate_phdr(find_program, NULL);
    path = getenv("ALLOCATIONCOUNT_FILE");
    if (path) slots = shared(path, sizeof(struct slot) * slot_count);
}

// Copies the addresses of the libraries, for the symbolizer.
static void copy_maps(void) {
    int from = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    int to = open(maps_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    char bytes[4096];
    ssize_t count;
    while (from >= 0 && to >= 0 && (count = read(from, bytes, sizeof bytes)) > 0) {
        if (write(to, bytes, (size_t)count) != count) abort();
    }
    close(from);
    close(to);
}

static void note_stack(size_t size) {
    double time = now();
    if (time < begin_stacks || time >= end_stacks) return;
    unsigned number = atomic_fetch_add(&stacks_used, 1);
    if (number >= stack_count) return;
    struct stack *stack = &stacks[number];
    stack->thread = (uint64_t)syscall(SYS_gettid);
    stack->bytes = size;
    prctl(PR_GET_NAME, stack->name);
    backtrace(stack->addresses, depth);
    if (!atomic_flag_test_and_set(&has_maps)) copy_maps();
}

static struct slot *slot(void) {
    if (mine || !slots) return mine;
    unsigned number = atomic_fetch_add(&used, 1);
    if (number >= slot_count) abort();
    mine = &slots[number];
    mine->thread = (uint64_t)syscall(SYS_gettid);
    return mine;
}

static void add(_Atomic uint64_t *counter, uint64_t value) {
    atomic_store_explicit(counter, atomic_load_explicit(counter, memory_order_relaxed) + value, memory_order_relaxed);
}

static void took(size_t size) {
    if (is_inside) return;
    struct slot *slot_of_thread = slot();
    if (!slot_of_thread) return;
    is_inside = 1;
    int error = errno;
    // A thread gets its name some time after its start, and may be renamed.
    if ((slot_of_thread->allocations & 31) < 2) prctl(PR_GET_NAME, slot_of_thread->name);
    add(&slot_of_thread->allocations, 1);
    add(&slot_of_thread->bytes, size);
    if (stacks && !wants_locks) note_stack(size);
    errno = error;
    is_inside = 0;
}

void *malloc(size_t size) {
    took(size);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    took(count * size);
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    took(size);
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    took(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **result, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0) return EINVAL;
    void *memory = memalign(alignment, size);
    if (!memory) return ENOMEM;
    *result = memory;
    return 0;
}

void free(void *memory) {
    if (memory && !is_inside && slot()) add(&mine->frees, 1);
    __libc_free(memory);
}

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    uintptr_t caller = (uintptr_t)__builtin_return_address(0);
    if (caller >= program_start && caller < program_end) {
        struct slot *slot_of_thread = slot();
        if (slot_of_thread) add(&slot_of_thread->locks, 1);
        if (stacks && wants_locks && !is_inside) {
            is_inside = 1;
            note_stack(0);
            is_inside = 0;
        }
    }
    return __pthread_mutex_lock(mutex);
}
