import Foundation

/// Tells the service manager how things stand: a datagram to the socket that it named (sd_notify(3)).
struct ServiceNotifier: Sendable {
    /// Within so many nanoseconds the manager wants to hear `watchdog`, again and again; nil when it does not.
    let watchdogTimeout: Int64?
    private let socket: DatagramSocket

    /// nil when no service manager asked to be told.
    ///
    /// - Parameter environment: `NOTIFY_SOCKET`, and `WATCHDOG_USEC` unless `WATCHDOG_PID` names another process.
    init?(environment: [String: String] = ProcessInfo.processInfo.environment, process: Int32 = getpid()) {
        guard let socket = environment["NOTIFY_SOCKET"].flatMap(DatagramSocket.init(path:)) else { return nil }
        self.socket = socket
        let isMeant = environment["WATCHDOG_PID"].map { $0 == String(process) } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        let (nanoseconds, isTooLong) = microseconds.multipliedReportingOverflow(by: 1000)
        watchdogTimeout = isMeant && microseconds > 0 && !isTooLong ? nanoseconds : nil
    }

    /// Sends them in one datagram. That nobody listens concerns nobody.
    func send(_ messages: [ServiceMessage]) {
        guard !messages.isEmpty else { return }
        socket.send(Array((messages.map(\.text).joined(separator: "\n") + "\n").utf8))
    }
}
