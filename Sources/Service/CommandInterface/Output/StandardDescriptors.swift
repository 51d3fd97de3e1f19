import Glibc

/// The descriptors 0, 1 and 2. Libraries and this program write to them, whichever file they refer to.
package enum StandardDescriptors {
    /// Opens /dev/null on each of these descriptors that is closed.
    ///
    /// Otherwise the next pipe or movie would get that number, and printed lines would be written into it. Must run
    /// before the program opens any other file.
    package static func fill() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // The lowest free number is this one: those below are open (open(2)).
            let file = open("/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY)
            // A system without /dev: any descriptor that cannot be written to will do.
            if file < 0 { _ = open("/", O_RDONLY | O_DIRECTORY) }
        }
    }
}
