import Logging
import MediaTypes
import RealTime

@testable import RecorderControl
@testable import RecorderStorage

/// A recording inside the test process that looks like a running recorder: it holds the name's lock and serves its
/// socket.
final class ServedRecording: RecordingControl {
    struct State: Sendable {
        var status: RecordingStatus
        var told: [String] = []
        var error: MediaError?
        var looks = 0
        /// The requested times of pauses.
        var moments: [MediaTime] = []
    }

    /// The requested times of pauses, in the order of the requests.
    var moments: [MediaTime] { state.withLock { $0.moments } }

    let state: Locked<State>
    /// The name's lock; released by a stop that disarms.
    private let lock = Locked<InstanceLock?>(nil)

    init(_ status: RecordingStatus) { state = Locked(State(status: status)) }

    var told: [String] { state.withLock { $0.told } }
    /// The number of status requests.
    var looks: Int { state.withLock { $0.looks } }
    var status: RecordingStatus {
        state.withLock {
            $0.looks += 1
            return $0.status
        }
    }
    var metrics: RecorderMetrics { RecorderMetrics(status) }

    /// Serves recordings while the body runs, each under its status's name.
    static func serve(
        _ recordings: ServedRecording..., in command: Command, _ body: () async throws -> Void
    ) async throws {
        let directory = RuntimeDirectory(path: command.path("run/recorder"))
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        var served: [(ServedRecording, ControlServer)] = []
        for recording in recordings {
            let name = try RecordingName(parsing: recording.status.name)
            let lock = try InstanceLock(name, in: directory)
            recording.lock.withLock { $0 = lock }
            served.append((recording, try await ControlServer(recording, name, in: directory, log: log)))
        }
        let result: Result<Void, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        for (recording, server) in served {
            await server.close()
            recording.lock.withLock { $0 = nil }
        }
        try result.get()
    }

    func record(at moment: MediaTime?) async throws(MediaError) -> RecordingStatus {
        try tell("record") { status in
            status.state = .recording
            status.file = "/videos/\(status.name).mov"
        }
    }
    func stop(disarms: Bool, at moment: MediaTime?) async throws(MediaError) -> RecordingStatus {
        defer { if disarms { lock.withLock { $0 = nil } } }
        return try tell(disarms ? "disarm" : "stop") { $0.state = disarms ? .stopping : .armed }
    }
    func pause(at moment: MediaTime?) throws(MediaError) -> RecordingStatus {
        state.withLock { $0.moments += [moment].compactMap(\.self) }
        return try tell("pause") { $0.state = .paused }
    }
    func resume(at moment: MediaTime?) throws(MediaError) -> RecordingStatus {
        try tell("resume") { $0.state = .recording }
    }
    func split() async throws(MediaError) -> RecordingStatus.Segment {
        _ = try tell("split")
        return RecordingStatus.Segment(file: "/videos/closed.mov", duration: 2)
    }
    func save(last duration: MediaTime?, to path: String?) async throws(MediaError) -> RecordingStatus.Segment {
        _ = try tell("save \(duration.map { "\($0.seconds)" } ?? "all")")
        return RecordingStatus.Segment(file: path ?? "/videos/saved.mov")
    }
    func memberPath(_ path: String) throws(MediaError) -> String {
        guard path.hasPrefix("/videos/") else {
            throw MediaError(.notPermitted, "cannot save to \(path)", reason: "no")
        }
        return path
    }
    func mark(_ title: String, at moment: MediaTime?) throws(MediaError) { _ = try tell("mark \(title)") }
    func snapshot(_ format: StillImageFormat) async throws(MediaError) -> MediaData {
        _ = try tell("snapshot \(format.rawValue)")
        return MediaData(Array("a \(format.rawValue)".utf8))
    }
    func watch(limit: Int) throws(MediaError) -> (watch: LiveWatch, formats: [FormatDescription]) {
        throw MediaError(.deviceLost, "cannot show \(status.name)", reason: "no camera delivers frames")
    }

    func reload() async throws(MediaError) -> [String] {
        _ = try tell("reload")
        guard status.name == "front" else { return [] }
        return ["segment: 10m → 5m", "camera: test → none (takes effect at the next start)"]
    }

    private func tell(
        _ word: String, _ change: (inout RecordingStatus) -> Void = { _ in }
    ) throws(MediaError) -> RecordingStatus {
        try state.withLock { state throws(MediaError) in
            if let error = state.error { throw error }
            state.told.append(word)
            change(&state.status)
            return state.status
        }
    }
}
