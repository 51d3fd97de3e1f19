import MediaTypes
import RealTime

@testable import RecorderControl
@testable import RecorderStorage

/// A recorder in the test process that streams the frames a test adds, and nothing else.
final class FakeRecorder: RecordingControl {
    static let video = FormatDescription.video(
        VideoFormat(
            codec: .h264, width: 64, height: 48, decoderConfiguration: [1, 0x64, 0, 0x1E, 0xFF, 0xE0, 0]))

    private let feed = LiveFeed()
    private let smallFeed = LiveFeed()
    private let name: RecordingName
    private let lock: InstanceLock
    private let servers = Locked([ControlServer]())

    /// Runs while the body does, where the page's server finds it.
    static func run(
        _ name: String = "front", in runtime: RuntimeDirectory, _ body: (FakeRecorder) async throws -> Void
    ) async throws {
        let recorder = try FakeRecorder(RecordingName(parsing: name), in: runtime)
        let control = try await ControlServer(recorder, recorder.name, in: runtime, log: WebFixture.log)
        let live = try await ControlServer(
            recorder, recorder.name, in: runtime, for: .live, limits: .live, log: WebFixture.log)
        let result: Result<Void, any Error>
        do { result = .success(try await body(recorder)) } catch { result = .failure(error) }
        recorder.endStreams()
        for server in [control, live] { await server.close() }
        try result.get()
    }

    private init(_ name: RecordingName, in runtime: RuntimeDirectory) throws {
        self.name = name
        lock = try InstanceLock(name, in: runtime)
    }

    /// Sends frame `number` at ten a second; every tenth one is a keyframe.
    func movie(_ number: Int, size: Int = 100) { feed.accept(Self.frame(number, size: size)) }

    /// Sends the same frame in the sub-stream.
    func smallMovie(_ number: Int) { smallFeed.accept(Self.frame(number, size: 10)) }

    private static func frame(_ number: Int, size: Int) -> SampleBuffer {
        SampleBuffer(
            format: video, content: .data(MediaData([UInt8](repeating: UInt8(number & 0xFF), count: size))),
            presentationTime: MediaTime(value: Int64(1000 + number), timescale: 10),
            duration: MediaTime(value: 1, timescale: 10), isKeyframe: number % 10 == 0)
    }

    /// The number of open streams.
    var watcherCount: Int { feed.watcherCount }
    var smallWatcherCount: Int { smallFeed.watcherCount }

    func endStreams() {
        feed.end()
        smallFeed.end()
    }

    // MARK: Requests

    var status: RecordingStatus { RecordingStatus(name: name.description, state: .recording) }
    var metrics: RecorderMetrics { RecorderMetrics(status) }

    func watch(limit: Int) throws(MediaError) -> (watch: LiveWatch, formats: [FormatDescription]) {
        let watcher = LiveWatcher(limit: limit, hasVideo: true)
        feed.add(watcher)
        return (LiveWatch(watcher, of: feed), [Self.video])
    }

    func watchSubstream(limit: Int) throws(MediaError) -> (watch: LiveWatch, formats: [FormatDescription]) {
        let watcher = LiveWatcher(limit: limit, hasVideo: true)
        smallFeed.add(watcher)
        return (LiveWatch(watcher, of: smallFeed), [])
    }

    func record(at moment: MediaTime?) async throws(MediaError) -> RecordingStatus { throw Self.refusal }
    func stop(disarms: Bool, at moment: MediaTime?) async throws(MediaError) -> RecordingStatus { throw Self.refusal }
    func pause(at moment: MediaTime?) throws(MediaError) -> RecordingStatus { throw Self.refusal }
    func resume(at moment: MediaTime?) throws(MediaError) -> RecordingStatus { throw Self.refusal }
    func split() async throws(MediaError) -> RecordingStatus.Segment { throw Self.refusal }
    func save(last duration: MediaTime?, to path: String?) async throws(MediaError) -> RecordingStatus.Segment {
        throw Self.refusal
    }
    func memberPath(_ path: String) throws(MediaError) -> String { throw Self.refusal }
    func mark(_ title: String, at moment: MediaTime?) throws(MediaError) { throw Self.refusal }
    func snapshot(_ format: StillImageFormat) async throws(MediaError) -> MediaData { throw Self.refusal }
    func reload() async throws(MediaError) -> [String] { throw Self.refusal }

    private static let refusal = MediaError(.invalidState, "cannot do that", reason: "it only streams")
}
