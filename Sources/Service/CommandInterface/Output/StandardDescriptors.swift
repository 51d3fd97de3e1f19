import Glibc

/// Descriptors 0, 1 and 2. Libraries and this program write to them, whatever file they refer to.
package enum StandardDescriptors {
    /// Opens /dev/null on each of these descriptors that is closed.
    ///
    /// Otherwise the next pipe or movie gets that number, and a printed line is written into it. Must run before the
    /// program opens any other file.
    package static func fill() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // The lowest free number is this one: those below are open (open(2)).
            let file = open("/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY)
            // A system without /dev: any descriptor that cannot be written to will do.
            if file < 0 { _ = open("/", O_RDONLY | O_DIRECTORY) }
        }
    }
}
