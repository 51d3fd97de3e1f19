import Glibc

/// The descriptors 0, 1 and 2. Libraries and this program write to them, whichever file they refer to.
package enum StandardDescriptors {
    /// Opens /dev/null on each of these descriptors that is closed.
    ///
    /// Without this, the next pipe or movie would get the number of a closed descriptor, and printed lines would be
    /// written into it. Must run before the program opens any other file.
    package static func fill() {
        for descriptor in Int32(0)...2 where fcntl(descriptor, F_GETFD) == -1 && errno == EBADF {
            // open(2) uses the lowest free number. It is this one, because all lower ones are open.
            let file = open("/dev/null", descriptor == 0 ? O_RDONLY : O_WRONLY)
            // On a system without /dev, any descriptor that cannot be written to is good enough.
            if file < 0 { _ = open("/", O_RDONLY | O_DIRECTORY) }
        }
    }
}
