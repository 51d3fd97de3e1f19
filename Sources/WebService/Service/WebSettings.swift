import FileSystem
package import Foundation

/// What `recorder web` was asked for.
package struct WebSettings: Sendable {
    /// How people get there.
    package enum Door: Sendable, Equatable {
        /// A Unix socket for a proxy; nil: the usual one.
        case socket(String?)
        /// Loopback, with a one-time address; nil: a free port.
        case open(port: Int?)
        /// A network, with TLS.
        case listen(host: String, port: Int, certificate: String, key: String)
    }

    package var door = Door.socket(nil)
    /// Whose members may open the socket.
    package var group: String?
    /// By which names it is reached.
    package var hosts: [String] = []
    /// Where accounts and sessions are kept; nil: the usual place.
    package var state: String?
    /// Where the page lies; nil: where it was installed.
    package var page: String?

    package init() {}

    /// `$STATE_DIRECTORY`, which systemd sets; for root what the service has; else `$XDG_STATE_HOME/recorder-web`.
    package static func stateDirectory(
        environment: [String: String] = ProcessInfo.processInfo.environment, user: uid_t = getuid()
    ) -> String {
        if let path = environment["STATE_DIRECTORY"]?.split(separator: ":").first, path.hasPrefix("/") {
            return String(path)
        }
        let service = "/var/lib/recorder-web"
        var kind = stat()
        if user == 0, lstat(service, &kind) == 0, kind.st_mode & S_IFMT == S_IFDIR { return service }
        if let path = environment["XDG_STATE_HOME"], path.hasPrefix("/") { return path + "/recorder-web" }
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
        return home + "/.local/state/recorder-web"
    }

    /// Where the socket is: in `$RUNTIME_DIRECTORY`, which systemd makes, else beside the recorders' own.
    package static func socketPath(
        beside recorders: String, environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String {
        let place = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map(String.init)
        return (place ?? recorders) + "/web.socket"
    }
}
