import MediaCodecs
import MediaTypes
import MovieFile

/// The requirements for one sample, apart from its order among the others. A pure value.
struct SampleRules: Sendable {
    let traits: TrackTraits

    /// The largest accepted distance from the session's start, in years, of a source that can wait.
    static let longestSession: Int64 = 1
    /// The same distance for a live source. A recorder's session begins with its first frame and lasts as long as the
    /// process, which may run for years. A time of a wrong clock is decades away: cameras without a set clock begin in
    /// 1970 or 2000, and the monotonic clock begins at boot.
    static let longestLiveSession: Int64 = 20
    private static let secondsPerYear: Int64 = 366 * 86_400
    /// The largest accepted distance between a frame's decode time and its timestamp, for a live source.
    static let longestReordering = MediaTime(value: 60, timescale: 1)

    /// Returns the reason why the ledger cannot count a sample: its sample count is wrong or its media type is not the
    /// track's. Such a sample is an error for live sources too.
    func misuse(_ sample: SampleBuffer) -> String? {
        guard sample.format.mediaType == traits.mediaType else {
            return "it is \(sample.format.mediaType), but the track is \(traits.mediaType)"
        }
        switch sample.format {
        case .video, .timecode, .text, .metadata: return sample.sampleCount == 1 ? nil : "its sample count must be 1"
        case .audio(let format):
            guard sample.sampleCount > 0, case .data(let data) = sample.content else { return "it has no samples" }
            guard let bytesPerFrame = format.bytesPerFrame else { return nil }
            let (bytes, overflow) = sample.sampleCount.multipliedReportingOverflow(by: bytesPerFrame)
            let isWhole = !overflow && format.sampleRate > 0 && bytes > 0 && data.count == bytes
            return isWhole ? nil : "its sample count does not match its data"
        }
    }

    /// Returns the fault of a sample; nil for none. The faulty sample of a live source is refused and counted; a source
    /// that can wait gets an error.
    func fault(_ sample: SampleBuffer, expected: FormatDescription?, sessionStart: MediaTime) -> String? {
        let time = sample.presentationTime
        guard time.isNumeric else { return "it has no presentation time" }
        if sessionStart.isNumeric {
            let years = traits.isRealTime ? Self.longestLiveSession : Self.longestSession
            let longest = MediaTime(value: years * Self.secondsPerYear, timescale: 1)
            let distance = time - sessionStart
            guard distance < longest, -distance < longest else {
                let limit = years == 1 ? "a year" : "\(years) years"
                return "its time, \(time), is more than \(limit) from the session's start, \(sessionStart)"
            }
        }
        if let decodeTime = sample.decodeTime {
            guard decodeTime.isNumeric else { return "its decode time is not a number" }
            let distance = time - decodeTime
            guard distance < traits.longestReordering, -distance < traits.longestReordering else {
                return "its decode time is more than \(traits.longestReordering.words) from its presentation time"
            }
        }
        // A duration that is not a number is unknown.
        if let duration = sample.duration, duration.isNumeric, duration < .zero { return "its duration is negative" }
        if let expected,
            let difference = FormatMatch.difference(
                sample.format, expected: expected, isFitted: !traits.isPassthrough,
                mayChange: traits.isPassthrough)
        {
            return difference
        }
        return contentFault(sample)
    }

    private func frameFault(_ sample: SampleBuffer) -> String? {
        guard case .pixels(let frame) = sample.content else { return nil }
        let lengths = 1...FrameScaler.greatestLength
        guard lengths.contains(frame.width), lengths.contains(frame.height) else {
            return "its size, \(frame.width)×\(frame.height), is not between 1 and \(lengths.upperBound)"
        }
        guard traits.isPassthrough else { return nil }
        // Frames that are stored without encoding all have the size and layout of the first.
        guard sample.format.video?.codec == .raw, sample.format.video?.pixelFormat == frame.format else {
            return "it is a raw frame, not a packet; encode it"
        }
        guard RawFrameForm.isStored(frame.format) else {
            return "QuickTime has no code for raw \(frame.format.rawValue); encode it"
        }
        guard sample.format.video?.width == frame.width, sample.format.video?.height == frame.height else {
            return "its size, \(frame.width)×\(frame.height), differs from the size in its format"
        }
        return frame.layout.holdsWholeFrame ? nil : "its rows are too short for its width"
    }

    private func contentFault(_ sample: SampleBuffer) -> String? {
        guard case .data(let data) = sample.content else { return frameFault(sample) }
        guard data.count > 0 else { return "it has no bytes" }
        switch sample.format {
        case .timecode: return data.count == TimecodeFormat.sampleSize ? nil : "a timecode sample must have four bytes"
        case .text(let format):
            // The structure of subtitles that pass through is unknown here.
            if format.stored != nil { return nil }
            guard data.count >= 2, Int(data.bytes[0]) << 8 + Int(data.bytes[1]) <= data.count - 2 else {
                return "its text is longer than its data"
            }
            return nil
        case .metadata(let format):
            // The samples of other programs may have further atoms, whose structure is unknown here.
            return format.stored != nil || MetadataFormat.isWhole(data.bytes) ? nil : "its atoms do not fit its data"
        case .video, .audio: return nil
        }
    }
}

/// The required order of a track's samples. A pure value.
///
/// Frames to encode come in presentation order, packets in decode order. No two samples of a track have the same time.
/// The times of a live source's audio are measured, so the audio may be out of order here; the timeline puts it in
/// order. The audio of a source that can wait must come in order.
struct SampleOrder: Sendable {
    private let traits: TrackTraits
    /// The time of the newest accepted sample; negative infinity before the first.
    private(set) var last = MediaTime.negativeInfinity

    init(_ traits: TrackTraits) { self.traits = traits }

    func fault(_ sample: SampleBuffer) -> String? {
        if traits.mediaType == .audio, traits.isRealTime { return nil }
        guard time(sample) <= last else { return nil }
        let what = traits.isPassthrough ? "decode time" : "time"
        return "its \(what), \(time(sample)), is not after that of the previous sample, \(last)"
    }

    mutating func record(_ sample: SampleBuffer) { last = max(last, time(sample)) }

    private func time(_ sample: SampleBuffer) -> MediaTime {
        traits.isPassthrough ? sample.decodeTime ?? sample.presentationTime : sample.presentationTime
    }
}
