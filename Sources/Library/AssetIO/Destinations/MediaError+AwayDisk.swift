import Glibc
package import MediaTypes

extension MediaError {
    /// True if the disk is disconnected, and may reconnect without the user's help.
    package var isOfAwayDisk: Bool {
        guard case .errno(let number) = underlying else { return false }
        return [
            ENOENT, ENOTDIR, ENODEV, ESTALE, ETIMEDOUT, EHOSTDOWN, EHOSTUNREACH, ENETDOWN, ENETUNREACH, ENOTCONN,
            ECONNRESET, EREMOTEIO,
        ].contains(number)
    }
}
