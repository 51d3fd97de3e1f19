import CommandInterface
import Logging
import RealTime
import RecorderControl
import RecorderStorage

/// Reports the state of one capture process to the service manager that started it.
final class ServiceReporter: Sendable {
    private let heartbeat: ServiceHeartbeat
    private let isReady: Locked<Bool>

    /// Creates a reporter. Returns nil if no service manager wants reports, for example after a manual start.
    init?(_ process: CaptureProcess, notifier: ServiceNotifier? = ServiceNotifier(), log: Logger) {
        guard let notifier else { return nil }
        let isReady = Locked(false)
        do throws(ThreadError) {
            heartbeat = try ServiceHeartbeat(notifier) {
                let status = process.status
                return ServiceState(
                    isReady: isReady.withLock { $0 }, isStopping: process.session.isEnding(status),
                    status: status.serviceLine, lastSample: process.session.lastSampleAt)
            }
        } catch {
            log.error("cannot report to the service manager: \(error)")
            return nil
        }
        self.isReady = isReady
    }

    /// Reports that the first sample is in the file. Thread-safe.
    func becameReady() {
        isReady.withLock { $0 = true }
        heartbeat.wake()
    }

    /// Reports to the manager that the configuration is being read again, runs `body`, and then reports that the
    /// service is ready.
    func reload(_ body: () async -> Void) async { await heartbeat.reload(body) }

    /// Reports that the process is about to end. Called once.
    func end() { heartbeat.stop() }
}

extension RecordingStatus {
    /// The line in `systemctl status`: "recording 00:10:02 → /var/lib/recorder/videos/front.mov, 29.97 fps, 3 dropped".
    var serviceLine: String {
        var parts = [state.rawValue]
        if let duration { parts[0] += " " + NumberText.clock(duration) }
        if let file { parts[0] += " → " + file }
        if let rate = video?.frameRate { parts.append(NumberText.frameRate(rate)) }
        if let losses { parts.append(losses) }
        if let error { parts.append(error) }
        return parts.joined(separator: ", ")
    }
}
