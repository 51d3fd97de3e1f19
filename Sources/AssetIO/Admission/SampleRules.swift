import MediaCodecs
import MediaTypes
import MovieFile

/// What a sample must be to be stored, apart from its place among the others. Pure.
struct SampleRules: Sendable {
    let traits: TrackTraits

    /// Two clocks mixed up are decades apart; a recording is not a year long.
    static let longestSession = MediaTime(value: 366 * 86_400, timescale: 1)
    /// Further from its decode time no picture is shown.
    static let longestReordering = MediaTime(value: 60, timescale: 1)

    /// A sample that no account can hold, because nobody knows how much it is: an error from every source.
    func misuse(_ sample: SampleBuffer) -> String? {
        guard sample.format.mediaType == traits.mediaType else {
            return "it is \(sample.format.mediaType), the track \(traits.mediaType)"
        }
        switch sample.format {
        case .video, .timecode, .text: return sample.sampleCount == 1 ? nil : "it claims to be more than one sample"
        case .audio(let format):
            guard sample.sampleCount > 0, case .data(let data) = sample.content else { return "it has no samples" }
            guard let bytesPerFrame = format.bytesPerFrame else { return nil }
            let (bytes, overflow) = sample.sampleCount.multipliedReportingOverflow(by: bytesPerFrame)
            let isWhole = !overflow && format.sampleRate > 0 && bytes > 0 && data.count == bytes
            return isWhole ? nil : "its count does not fit its data"
        }
    }

    /// What is wrong with a sample that can be counted. An error for a source that can wait, a counted refusal for one
    /// that cannot.
    func fault(_ sample: SampleBuffer, expected: FormatDescription?, sessionStart: MediaTime) -> String? {
        let time = sample.presentationTime
        guard time.isNumeric else { return "it has no presentation time" }
        if sessionStart.isNumeric {
            let distance = time - sessionStart
            guard distance < Self.longestSession, -distance < Self.longestSession else {
                return "its time, \(time), lies more than a year from the session's start, \(sessionStart)"
            }
        }
        if let decodeTime = sample.decodeTime {
            guard decodeTime.isNumeric else { return "its decode time is not a number" }
            let distance = time - decodeTime
            guard distance < Self.longestReordering, -distance < Self.longestReordering else {
                return "it is decoded more than a minute away from when it is shown"
            }
        }
        if let duration = sample.duration, duration < .zero { return "its duration is negative" }
        if let expected,
            let difference = FormatMatch.difference(
                sample.format, expected: expected, isFitted: !traits.isPassthrough,
                mayChange: traits.isPassthrough)
        {
            return difference
        }
        return contentFault(sample)
    }

    private func pictureFault(_ sample: SampleBuffer) -> String? {
        guard case .pixels(let picture) = sample.content else { return nil }
        let lengths = 1...PictureScaler.greatestLength
        guard lengths.contains(picture.width), lengths.contains(picture.height) else {
            return "its size, \(picture.width)×\(picture.height), is not in 1 to \(lengths.upperBound)"
        }
        guard traits.isPassthrough else { return nil }
        // What is stored as it is, is of one size and layout: that of the first.
        guard sample.format.video?.codec == .raw, sample.format.video?.pixelFormat == picture.format else {
            return "it is a raw picture and has no packet; encode it"
        }
        guard RawPictureForm.isStored(picture.format) else {
            return "QuickTime has no code for raw \(picture.format.rawValue); encode it"
        }
        guard sample.format.video?.width == picture.width, sample.format.video?.height == picture.height else {
            return "its size, \(picture.width)×\(picture.height), is not what its format says"
        }
        return picture.layout.holdsWholePicture ? nil : "its rows are too short for it"
    }

    private func contentFault(_ sample: SampleBuffer) -> String? {
        guard case .data(let data) = sample.content else { return pictureFault(sample) }
        guard data.count > 0 else { return "it has no bytes" }
        switch sample.format {
        case .timecode: return data.count == TimecodeFormat.sampleSize ? nil : "a timecode sample has four bytes"
        case .text(let format):
            // Of subtitles that pass through nobody here knows the form.
            if format.stored != nil { return nil }
            guard data.count >= 2, Int(data.bytes[0]) << 8 + Int(data.bytes[1]) <= data.count - 2 else {
                return "its text is longer than it is"
            }
            return nil
        case .video, .audio: return nil
        }
    }
}

/// The order in which a track's samples must come. A pure value.
///
/// Pictures that are encoded come as they are shown, packets as they are decoded. Two of them cannot have one time.
/// The sound of a live source is put in order by its timeline, because its times are measurements; that of a source that
/// can wait comes in order.
struct SampleOrder: Sendable {
    private let traits: TrackTraits
    /// Of the newest sample that was taken; negative infinity before the first.
    private(set) var last = MediaTime.negativeInfinity

    init(_ traits: TrackTraits) { self.traits = traits }

    func fault(_ sample: SampleBuffer) -> String? {
        if traits.mediaType == .audio, traits.isRealTime { return nil }
        guard time(sample) <= last else { return nil }
        let what = traits.isPassthrough ? "decode time" : "time"
        return "its \(what), \(time(sample)), does not come after that of the sample before, \(last)"
    }

    mutating func note(_ sample: SampleBuffer) { last = max(last, time(sample)) }

    private func time(_ sample: SampleBuffer) -> MediaTime {
        traits.isPassthrough ? sample.decodeTime ?? sample.presentationTime : sample.presentationTime
    }
}
