import MediaTypes

@testable import RecorderControl
@testable import RecorderStorage

/// A recording that does everything at once and nothing at all.
struct SilentControl: RecordingControl {
    var status: RecordingStatus { RecordingStatus(name: "front", state: .recording) }
    var metrics: RecorderMetrics { RecorderMetrics(status) }
    var levels: RecordingLevels { RecordingLevels(status) }

    func record(at moment: MediaTime?) async throws(MediaError) -> RecordingStatus { status }
    func stop(disarms: Bool, at moment: MediaTime?) async throws(MediaError) -> RecordingStatus { status }
    func pause(at moment: MediaTime?) throws(MediaError) -> RecordingStatus { status }
    func resume(at moment: MediaTime?) throws(MediaError) -> RecordingStatus { status }
    func split() async throws(MediaError) -> RecordingStatus.Segment { RecordingStatus.Segment(file: "/a.mov") }

    func save(last duration: MediaTime?, to path: String?) async throws(MediaError) -> RecordingStatus.Segment {
        precondition(path?.utf8.contains(0) != true && path?.isEmpty != true, "an invalid path")
        precondition(duration.map { $0 > .zero } ?? true, "an invalid duration")
        return RecordingStatus.Segment(file: path ?? "/a.mov")
    }

    func memberPath(_ path: String) throws(MediaError) -> String { path }
    func mark(_ title: String, at moment: MediaTime?) throws(MediaError) {
        precondition(!title.isEmpty && !title.contains("\n"))
    }
    func snapshot(_ format: StillImageFormat) async throws(MediaError) -> MediaData { MediaData([1]) }
    func watch(limit: Int) throws(MediaError) -> (watch: LiveWatch, formats: [FormatDescription]) {
        throw MediaError(.deviceLost, "cannot show front", reason: "no recorder is running")
    }
    func reload() async throws(MediaError) -> [String] { [] }
}
