import FileSystem
package import Foundation

/// The settings of `recorder web`.
package struct WebSettings: Sendable {
    /// The address on which the page is served.
    package enum Door: Sendable, Equatable {
        /// Serves on a Unix socket for a proxy; nil for the default path.
        case socket(String?)
        /// Serves on loopback, with an address that works once; a `port` of nil means any free port.
        case open(port: Int?)
        /// Serves on a network address, with TLS.
        case listen(host: String, port: Int, certificate: String, key: String)
    }

    package var door = Door.socket(nil)
    /// The group whose members may connect to the socket.
    package var group: String?
    /// The host names of the server.
    package var hosts: [String] = []
    /// The file with the token for the metrics; nil if none is required.
    package var metricsToken: String?
    /// The addresses that may read the metrics; empty for all. If neither this nor `metricsToken` is set, no metrics
    /// are served.
    package var metricsFrom: [AddressRange] = []
    /// The directory of accounts and sessions; nil for the default.
    package var state: String?
    /// The directory of the page; nil for the installed page.
    package var page: String?

    package init() {}

    /// Returns `$STATE_DIRECTORY`, which systemd sets. Without this variable, returns the service's directory for root,
    /// and `$XDG_STATE_HOME/recorder-web` for other users.
    package static func stateDirectory(
        environment: [String: String] = ProcessText.environment, user: uid_t = getuid()
    ) -> String {
        if let path = environment["STATE_DIRECTORY"]?.split(separator: ":").first, path.hasPrefix("/") {
            return String(path)
        }
        let service = "/var/lib/recorder-web"
        var kind = stat()
        if user == 0, lstat(service, &kind) == 0, kind.st_mode & S_IFMT == S_IFDIR { return service }
        if let path = environment["XDG_STATE_HOME"], path.hasPrefix("/") { return path + "/recorder-web" }
        let home = ProcessText.homeDirectory(in: environment)
        return home + "/.local/state/recorder-web"
    }

    /// Returns the socket's path. The socket is in `$RUNTIME_DIRECTORY`, which systemd creates, or else beside the
    /// recorders' own sockets.
    package static func socketPath(
        beside recorders: String, environment: [String: String] = ProcessText.environment
    ) -> String {
        let place = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map(String.init)
        return (place ?? recorders) + "/web.socket"
    }
}
