#include "sandbox.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/netlink.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

namespace {

constexpr uint64_t reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR;
constexpr uint64_t changing = LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR |
                              LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_CHAR |
                              LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
                              LANDLOCK_ACCESS_FS_MAKE_SOCK | LANDLOCK_ACCESS_FS_MAKE_FIFO |
                              LANDLOCK_ACCESS_FS_MAKE_BLOCK | LANDLOCK_ACCESS_FS_MAKE_SYM |
                              LANDLOCK_ACCESS_FS_EXECUTE;

void allow(int rules, const char *path, uint64_t rights) {
    int directory = open(path, O_PATH | O_CLOEXEC);
    // A directory that does not exist needs no rule.
    if (directory < 0) return;
    landlock_path_beneath_attr rule = {};
    rule.allowed_access = rights;
    rule.parent_fd = directory;
    syscall(SYS_landlock_add_rule, rules, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(directory);
}

// Landlock (landlock(7)), since Linux 5.13.
void restrictFiles() {
    landlock_ruleset_attr attributes = {};
    attributes.handled_access_fs = reading | changing;
    int rules = static_cast<int>(syscall(SYS_landlock_create_ruleset, &attributes, sizeof attributes, 0));
    if (rules < 0) return;
    // Libraries, tuning files, settings; the devices' facts; udev's database.
    for (const char *path : {"/usr", "/lib", "/lib64", "/etc", "/sys", "/proc", "/run/udev"})
        allow(rules, path, reading);
    // Cameras, subdevices, and the heap of dma-bufs.
    allow(rules, "/dev", reading | LANDLOCK_ACCESS_FS_WRITE_FILE);
    syscall(SYS_landlock_restrict_self, rules, 0);
    close(rules);
}

#if defined(__x86_64__)
constexpr uint32_t architecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t architecture = AUDIT_ARCH_AARCH64;
#else
// The numbers of system calls are not checked on other processors.
constexpr uint32_t architecture = 0;
#endif

// System calls that neither libcamera nor the C library needs here.
constexpr uint32_t refused[] = {
    SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kill, SYS_tkill,
    SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo, SYS_mount, SYS_umount2, SYS_pivot_root, SYS_chroot, SYS_unshare,
    SYS_setns, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_bpf, SYS_perf_event_open,
    SYS_userfaultfd, SYS_open_by_handle_at, SYS_add_key, SYS_request_key, SYS_keyctl, SYS_reboot, SYS_swapon,
    SYS_swapoff, SYS_settimeofday, SYS_clock_settime, SYS_pidfd_open, SYS_pidfd_getfd, SYS_pidfd_send_signal,
    // This filter does not see the requests of io_uring.
    SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
};

// The instructions of the filter. They are not in a std::vector, because the constructors of the libraries have not run
// yet.
struct Filter {
    sock_filter code[128] = {};
    unsigned short count = 0;

    void add(uint16_t operation, uint32_t value, uint8_t ifTrue = 0, uint8_t ifFalse = 0) {
        if (count < sizeof code / sizeof code[0]) code[count++] = {operation, ifTrue, ifFalse, value};
    }

    void load(size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<uint32_t>(offset)); }
    // Both processors are little-endian, so this is the lower half. The kernel uses only that half of an `int`.
    void loadArgument(unsigned number) { load(offsetof(seccomp_data, args) + 8 * number); }
    // Skips a number of instructions if the loaded value is equal, or if it is not.
    void skipIf(uint32_t value, uint8_t skipped) { add(BPF_JMP | BPF_JEQ | BPF_K, value, skipped, 0); }
    void skipUnless(uint32_t value, uint8_t skipped) { add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skipped); }
    void refuse() { add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM); }
    void permit() { add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW); }
};

static_assert(2 * sizeof refused / sizeof refused[0] + 32 <= sizeof Filter::code / sizeof(sock_filter));

// A filter of system calls (seccomp(2)): a refused one fails with EPERM.
bool restrictCalls() {
    if (architecture == 0) return true;
    Filter filter;
    filter.load(offsetof(seccomp_data, arch));
    filter.skipIf(architecture, 1);
    filter.refuse();
    filter.load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    // The second numbering of x86-64 (x32).
    filter.add(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    filter.refuse();
#endif
    for (uint32_t number : refused) {
        filter.skipUnless(number, 1);
        filter.refuse();
    }
    // Permits signals only to this process: abort(3) sends one.
    filter.skipUnless(SYS_tgkill, 4);
    filter.loadArgument(0);
    filter.skipUnless(static_cast<uint32_t>(getpid()), 1);
    filter.permit();
    filter.refuse();
    // Refuses to insert input into a terminal, because the log may be one.
    filter.skipUnless(SYS_ioctl, 5);
    filter.loadArgument(1);
    filter.skipIf(TIOCSTI, 2);
    filter.skipIf(TIOCLINUX, 1);
    filter.permit();
    filter.refuse();
    // Permits sockets only for udev's events. Through a local socket, this process could ask another program for more.
    filter.skipUnless(SYS_socket, 6);
    filter.loadArgument(0);
    filter.skipUnless(AF_NETLINK, 3);
    filter.loadArgument(2);
    filter.skipUnless(NETLINK_KOBJECT_UEVENT, 1);
    filter.permit();
    filter.refuse();
    filter.permit();
    sock_fprog program = {filter.count, filter.code};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

bool restricted = false;

void restrictProcess() {
    // Unless this process is root's, both restrictions need this flag.
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;
    restrictFiles();
    restricted = restrictCalls();
}

// Run by the loader before the constructors of all libraries (System V ABI, DT_PREINIT_ARRAY).
__attribute__((section(".preinit_array"), used)) void (*restrictEarly)() = restrictProcess;

}  // namespace

bool isRestricted() { return restricted; }
