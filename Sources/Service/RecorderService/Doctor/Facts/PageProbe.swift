import FileSystem
import Glibc
import RecorderControl

/// Finds the addresses of the page's server, and which programs use them.
enum PageProbe {
    private static let serviceSocket = "/run/recorder-web/web.socket"
    private static let unit = "/etc/systemd/system/recorder-web.service"

    /// Reads the state.
    ///
    /// - Parameter runtime: The directory of this user's sockets.
    static func read(_ runtime: RuntimeDirectory) -> PageFacts {
        let program = PageProgram.standard
        var sockets = [runtime.path + "/web.socket"]
        if !sockets.contains(serviceSocket), FolderContents.isDirectory(serviceSocket.parentDirectory) {
            sockets.append(serviceSocket)
        }
        let ports = listenOption(in: unitTexts()).map { [address($0)] } ?? []
        return PageFacts(
            program: program.path, hasProgram: program.isInstalled,
            addresses: sockets.map { PageAddress(place: $0, state: socketState($0)) } + ports)
    }

    /// Returns the value of `--listen` in the texts of the unit and its drop-ins. The last `ExecStart` line counts.
    static func listenOption(in texts: [String]) -> String? {
        var value: String?
        for line in texts.flatMap({ UnitLines.lines(of: $0) }) where line.hasPrefix("ExecStart=") {
            let words = line.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == "=" })
            let option = words.firstIndex(of: "--listen")
            value = option.flatMap { $0 + 1 < words.count ? String(words[$0 + 1]) : nil }
        }
        return value
    }

    /// The texts of the administrator's unit and drop-ins, in the order in which systemd reads them (systemd.unit(5)).
    private static func unitTexts() -> [String] {
        let folder = unit + ".d"
        let dropIns = (FolderContents.names(in: folder) ?? []).filter { $0.hasSuffix(".conf") }.sorted()
        return ([unit] + dropIns.map { folder.appendingComponent($0) }).compactMap { SmallFile.text(of: $0) }
    }

    private static func socketState(_ path: String) -> PageAddress.State {
        var kind = stat()
        guard lstat(path, &kind) == 0 else {
            return errno == ENOENT || errno == ENOTDIR ? .free : .unknown(String(cString: strerror(errno)))
        }
        guard kind.st_mode & S_IFMT == S_IFSOCK else { return .taken("a file that is not a socket") }
        guard access(path, W_OK) == 0 else { return .unknown("this user may not connect to it") }
        return SocketAddress.isListening(path) ? .served : .stale
    }

    private static func address(_ text: String) -> PageAddress {
        guard let place = ListeningPort(text) else {
            return PageAddress(place: text, state: .unknown("it is not a numeric address with a port"))
        }
        return PageAddress(place: text, state: place.state())
    }
}
