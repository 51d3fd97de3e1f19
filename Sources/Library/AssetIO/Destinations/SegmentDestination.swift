import MediaTypes
import MovieFile
import RealTime

/// The receiver of a movie's segments. It is called by one thread at a time and may block.
protocol SegmentConsumer: AnyObject, Sendable {
    var name: String { get }
    /// Checks that the output's name is free.
    func open(_ configuration: MuxerConfiguration) throws(MediaError)
    func receive(_ segment: AssetSegment) throws(MediaError)
    func finish() throws(MediaError)
    /// Removes the received segments, and wakes a thread that waits in `receive`. Called on any thread.
    func discard()
    /// Ends the output after the received segments, and wakes a thread that waits in `receive`. Called on any thread.
    func abandon()
}

extension SegmentConsumer {
    func abandon() {}
}

/// Sends a movie out in segments: a header, then one fragment at a time.
final class SegmentDestination: MovieDestination, @unchecked Sendable {
    // Unchecked: the profile is set before the movie's thread starts. The counters and `output`, which is made on first
    // use, are used by that thread alone.
    private let consumer: any SegmentConsumer
    private var number = 0
    private var initializationCount = 0
    private var byteCount: UInt64 = 0

    private var profile = AssetSegment.Profile.hls

    init(_ consumer: any SegmentConsumer) { self.consumer = consumer }

    var name: String { consumer.name }
    var temporaryPath: String { "" }
    var isSegmented: Bool { true }

    func open(_ configuration: MuxerConfiguration) throws(MediaError) {
        try consumer.open(configuration)
        profile = configuration.segmentProfile
    }

    private(set) lazy var output: any FragmentOutput = FragmentSegments(isCMAF: profile == .cmaf) {
        [unowned self] segment throws(MediaError) in
        try self.send(segment)
    }

    private func send(_ segment: FragmentSegments.Segment) throws(MediaError) {
        switch segment {
        case .initialization(let bytes):
            byteCount += UInt64(bytes.count)
            try consumer.receive(
                AssetSegment(
                    kind: .initialization, number: initializationCount, data: MediaData(bytes), report: nil))
            initializationCount += 1
        case .media(let bytes, let tracks):
            number += 1
            byteCount += UInt64(bytes.count)
            try consumer.receive(
                AssetSegment(kind: .media, number: number, data: MediaData(bytes), report: Self.report(tracks)))
        }
    }

    private static func report(_ tracks: [FragmentSegments.Track]) -> AssetSegment.Report {
        let reference = tracks.first { $0.mediaType == .video } ?? tracks.first
        return AssetSegment.Report(
            tracks: tracks.map {
                .init(
                    trackID: Int($0.id), mediaType: $0.mediaType, earliestPresentation: $0.start,
                    duration: $0.duration, sampleCount: $0.sampleCount,
                    firstSample: .init(
                        presentationTime: $0.first.time, offset: $0.first.offset, byteCount: $0.first.size,
                        isKeyframe: $0.first.isKeyframe))
            },
            start: reference?.start ?? .zero, duration: reference?.duration ?? .zero)
    }

    func finish(_ facts: FinishingInfo) throws(MediaError) -> UInt64 {
        try consumer.finish()
        return byteCount
    }

    func close() {}
    func discard() { consumer.discard() }
    func abandon() { consumer.abandon() }
}
