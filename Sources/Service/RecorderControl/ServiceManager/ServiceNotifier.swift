import FileSystem
import Foundation

/// Sends messages to the service manager, as datagrams to the socket in `NOTIFY_SOCKET` (sd_notify(3)).
package struct ServiceNotifier: Sendable {
    /// The maximum time between two `watchdog` messages, in nanoseconds; nil if the manager expects none.
    let watchdogTimeout: Int64?
    private let socket: DatagramSocket

    /// Returns nil if no service manager wants messages.
    ///
    /// - Parameter environment: The variables `NOTIFY_SOCKET` and `WATCHDOG_USEC`. `WATCHDOG_USEC` is ignored if
    ///   `WATCHDOG_PID` names another process.
    package init?(environment: [String: String] = ProcessText.environment, process: Int32 = getpid()) {
        guard let socket = environment["NOTIFY_SOCKET"].flatMap(DatagramSocket.init(path:)) else { return nil }
        self.socket = socket
        let isMeant = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        let (nanoseconds, isTooLong) = microseconds.multipliedReportingOverflow(by: 1000)
        watchdogTimeout = isMeant && microseconds > 0 && !isTooLong ? nanoseconds : nil
    }

    /// Sends the messages in one datagram. A missing receiver is not an error.
    package func send(_ messages: [ServiceMessage]) {
        guard !messages.isEmpty else { return }
        socket.send(Array((messages.map(\.text).joined(separator: "\n") + "\n").utf8))
    }
}

/// A message to systemd, in the terms of sd_notify(3).
package enum ServiceMessage: Sendable, Equatable {
    /// The service is ready. Also the end of a reload.
    case ready
    /// One line for `systemctl status`.
    case status(String)
    case stopping
    /// The process is reading the configuration again. The reading began at this time of the monotonic clock
    /// (nanoseconds).
    case reloading(since: Int64)
    /// The process works; the next message is due within the watchdog's time.
    case watchdog
    /// Starting or stopping takes longer than expected: it may take up to this number of nanoseconds from now.
    case extendTimeout(Int64)

    var text: String {
        switch self {
        case .ready: "READY=1"
        case .status(let line): "STATUS=" + line.replacing("\n", with: " ")
        case .stopping: "STOPPING=1"
        case .reloading(let since): "RELOADING=1\nMONOTONIC_USEC=\(since / 1000)"
        case .watchdog: "WATCHDOG=1"
        case .extendTimeout(let time): "EXTEND_TIMEOUT_USEC=\(time / 1000)"
        }
    }
}
