import FileSystem
import Glibc

/// A numeric address and a TCP port, such as `0.0.0.0:8443` or `[::]:8443`, and the program that listens there.
struct ListeningPort: Sendable {
    private let host: String
    private let port: UInt16

    /// Returns nil if the text is not an address followed by a colon and a port from 1 to 65535.
    init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]), port > 0
        else { return nil }
        var host = String(text[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty, !host.contains("\0") else { return nil }
        self.host = host
        self.port = port
    }

    /// Returns the state of the address. To find it, binds a socket to the address and closes the socket at once.
    func state() -> PageAddress.State {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let found else {
            return .unknown("it is not a numeric address")
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(found.pointee.ai_family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return .unknown(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        // With this option, a connection that ended some minutes ago does not block the address.
        var isReused: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) != 0 else { return .free }
        switch errno {
        case EADDRINUSE:
            let name = holder()
            return name == "recorder-web" ? .served : .taken(name)
        case EACCES: return .unknown("ports below 1024 need root, or CAP_NET_BIND_SERVICE in the unit")
        case EADDRNOTAVAIL: return .unknown("this machine has no such address")
        default: return .unknown(String(cString: strerror(errno)))
        }
    }

    /// Returns the name of the program that listens on the port; nil if the program belongs to another user.
    private func holder() -> String? {
        let tables = ["/proc/net/tcp", "/proc/net/tcp6"].compactMap { FileContents.bytes(of: $0) }
        let sockets = Set(tables.flatMap { Self.inodes(listeningOn: port, in: String(decoding: $0, as: UTF8.self)) })
        guard !sockets.isEmpty else { return nil }
        for process in FolderContents.names(in: "/proc") ?? [] where Int32(process) != nil {
            let folder = "/proc/\(process)/fd"
            for file in FolderContents.names(in: folder) ?? [] {
                guard let target = Self.target(of: "\(folder)/\(file)"), sockets.contains(target) else { continue }
                let name = FileContents.bytes(of: "/proc/\(process)/comm")
                return name.map { PathText.text($0.prefix { $0 != 0x0A }) }
            }
        }
        return nil
    }

    /// Returns the sockets that listen on a port, in the form of the links in /proc/PID/fd (proc(5), /proc/net/tcp).
    static func inodes(listeningOn port: UInt16, in table: String) -> [String] {
        table.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: " ")
            // State 0A means that the socket listens.
            guard fields.count > 9, fields[3] == "0A", let local = fields[1].split(separator: ":").last,
                UInt16(local, radix: 16) == port
            else { return nil }
            return "socket:[\(fields[9])]"
        }
    }

    private static func target(of link: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 256)
        let count = readlink(link, &buffer, buffer.count)
        return count > 0 ? PathText.text(buffer.prefix(count).map { UInt8(bitPattern: $0) }) : nil
    }
}
