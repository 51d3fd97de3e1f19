import AssetIO
import Foundation
import MediaTypes
import RealTime

/// Passes the library's segments to the delegate of a writer.
final class SegmentOutlet: Sendable {
    private struct State: @unchecked Sendable {
        // Unchecked: a writer may be used from any thread.
        weak var writer: AVAssetWriter?
        var sessionStart: MediaTime?
    }

    private let state = Locked(State())

    var writer: AVAssetWriter? {
        get { state.withLock { $0.writer } }
        set { state.withLock { $0.writer = newValue } }
    }

    /// Sets the start of the stream, measured by the samples' clock. Only the first call has an effect, because a stream
    /// has one session.
    func begin(at time: MediaTime) { state.withLock { $0.sessionStart = $0.sessionStart ?? time } }

    /// Passes a segment to the delegate. Called on the movie's thread, which may block. Does nothing if there is no
    /// writer or no delegate.
    func receive(_ segment: AssetSegment) {
        let (writer, start) = state.withLock { ($0.writer, $0.sessionStart) }
        guard let writer, let delegate = writer.delegate else { return }
        let data = Data(segment.data.bytes)
        let report = segment.report.map { AVAssetSegmentReport($0, sessionStart: start ?? .zero) }
        let type: AVAssetSegmentType = segment.kind == .initialization ? .initialization : .separable
        delegate.assetWriter(writer, didOutputSegmentData: data, segmentType: type, segmentReport: report)
    }
}

/// The settings for segments. They must be set before writing starts.
struct SegmentChoices: @unchecked Sendable {
    // Unchecked: a delegate is called on a thread of the writer, as the protocol's documentation says.
    weak var delegate: (any AVAssetWriterDelegate)?
    var profile: AVFileTypeProfile?
    var interval = CMTime.invalid
    var start = CMTime.invalid

    /// - Throws: `invalidSettings` or `unsupported`, naming the property.
    func check() throws(MediaError) {
        let action = "cannot start writing"
        guard delegate != nil else {
            throw MediaError(
                .invalidSettings, action, reason: "segments need a delegate", wayOut: "set the writer's delegate")
        }
        if interval.isNumeric, interval <= .zero {
            throw MediaError(
                .invalidSettings, action, reason: "preferredOutputSegmentInterval of \(interval) is not positive")
        }
        guard profile == nil || profile == .mpeg4AppleHLS || profile == .mpeg4CMAFCompliant else {
            throw MediaError(
                .unsupported, action, reason: "unknown outputFileTypeProfile \(profile?.rawValue ?? "")",
                wayOut: "use .mpeg4AppleHLS or .mpeg4CMAFCompliant")
        }
    }

    func apply(to configuration: inout AssetWriter.Configuration) {
        if interval.isNumeric {
            configuration.segmentInterval = interval.media
        } else if interval.isValid {
            configuration.segmentInterval = .positiveInfinity
        }
        if start.isNumeric { configuration.segmentStart = start.media }
        configuration.segmentProfile = profile == .mpeg4CMAFCompliant ? .cmaf : .hls
    }
}
