import Foundation
import MediaTypes

/// Selects the stored packets for one part of a composition, and gives them the composition's times. Packets cannot be
/// split. At a seam, no frame may be shown twice, and decode times must continue to increase.
///
/// At the beginning and at the end of the range that is read, packets that only decoding needs are returned too, as
/// when a file is read.
///
/// A recording that is split in an open GOP has the keyframe of the split in both files. At the end of the first file
/// it is not shown, but leading frames of this file depend on it. Only this first copy is placed, with the time at
/// which the next part begins.
struct PacketPlacement: SamplePlacement {
    /// The state of the frames that are shown after the end of the part.
    private enum Overhang {
        case none
        /// A keyframe, on which frames of the part may depend.
        case keyframe(SampleBuffer)
        /// The keyframe was placed, because frames of the part depend on it.
        case placed
        /// Frames were left out. If another frame of the part follows, it cannot be decoded.
        case leftOut
    }

    let part: CompositionPart
    private let isVideo: Bool
    /// The decode time of the last packet in the range.
    private(set) var lastDecodeTime: MediaTime
    private var hasBegun = false
    private var overhang = Overhang.none
    /// The keyframe at the end of the part, if it was placed because frames of the part depend on it; nil otherwise.
    /// The next part must begin with the same keyframe.
    private(set) var keyframeOfNext: SampleBuffer?
    /// The keyframe of this part, if the previous part has placed it already; nil once this part's own copy has come.
    private var placedBefore: SampleBuffer?
    /// The beginning of the next part.
    private let nextStart: MediaTime?
    /// The frame that follows the placed keyframe.
    private var waiting: SampleBuffer?

    /// The step for decode times that would not increase: short compared with the time between frames.
    private static let step = MediaTime(value: 1, timescale: 1000)
    /// The maximum distance between a keyframe at the end of a part and the beginning of the next part. It is longer
    /// than a packet of audio, because a file may end with such a packet.
    private static let nearby = MediaTime(value: 1, timescale: 10)

    /// - Parameters:
    ///   - lastDecodeTime: the decode time of the last packet of the previous part.
    ///   - keyframe: the keyframe of this part, if the previous part has placed it already; otherwise nil.
    ///   - nextStart: the beginning of the next part; nil if there is none.
    init(
        _ part: CompositionPart, after lastDecodeTime: MediaTime, placed keyframe: SampleBuffer? = nil,
        nextStart: MediaTime? = nil
    ) {
        self.part = part
        self.lastDecodeTime = lastDecodeTime
        self.nextStart = nextStart
        placedBefore = keyframe
        isVideo = part.source.track.mediaType == .video
    }

    var sourceRange: TimeRange { part.sourceRange }

    mutating func place(_ sample: SampleBuffer) throws(MediaError) -> SampleBuffer? {
        let moved = part.placed(sample)
        if let keyframe = placedBefore.take() {
            guard moved.isKeyframe, moved.hasBytes(of: keyframe) else {
                throw refusal("does not begin with the keyframe that frames before it depend on", mayBeOrder: true)
            }
            hasBegun = true
            return nil
        }
        guard try isVideo ? belongs(moved) : isAudible(moved) else { return nil }
        guard case .keyframe(let keyframe) = overhang, let nextStart else { return try ordered(moved) }
        overhang = .placed
        keyframeOfNext = keyframe
        let first = try ordered(keyframe.at(nextStart).decoded(at: keyframe.decodeTime))
        waiting = try ordered(moved)
        return first
    }

    mutating func takeWaiting() -> SampleBuffer? { waiting.take() }

    /// Returns the packet with a decode time after the previous packet's decode time.
    private mutating func ordered(_ moved: SampleBuffer) throws(MediaError) -> SampleBuffer {
        let decodeTime = moved.decodeTime ?? moved.presentationTime
        guard decodeTime <= lastDecodeTime else {
            lastDecodeTime = decodeTime
            return moved
        }
        let later = lastDecodeTime + Self.step
        guard part.followsSeam, later <= moved.presentationTime else {
            // No seam comes before this part. Packets are returned in the order of the file, and keep their times.
            guard part.followsSeam else { return moved }
            throw refusal("has decode times that overlap the previous segment")
        }
        lastDecodeTime = later
        return SampleBuffer(
            format: moved.format, content: moved.content, presentationTime: moved.presentationTime, decodeTime: later,
            duration: moved.duration, sampleCount: moved.sampleCount, isKeyframe: moved.isKeyframe)
    }

    /// Returns true if a video packet belongs to the part. If the part follows a seam, frames before its start do not
    /// belong to it. Decoding them needs the segment before the seam, or frames that would be visible.
    private mutating func belongs(_ sample: SampleBuffer) throws(MediaError) -> Bool {
        let time = sample.presentationTime
        if part.followsSeam, time < part.target.start {
            guard hasBegun else { throw refusal("begins between keyframes") }
            return false
        }
        hasBegun = true
        guard part.precedesSeam else { return true }
        switch overhang {
        case .none where time >= part.target.end:
            overhang = beginsNext(sample) ? .keyframe(sample) : .leftOut
            return false
        case .keyframe where time >= part.target.end, .placed where time >= part.target.end:
            overhang = .leftOut
            return false
        case .leftOut:
            guard time >= part.target.end else {
                throw refusal("ends where a frame depends on a later one", mayBeOrder: true)
            }
            return false
        case .none, .keyframe, .placed: return true
        }
    }

    /// Returns true if a frame after the part may be the keyframe with which the next part begins.
    private func beginsNext(_ sample: SampleBuffer) -> Bool {
        guard sample.isKeyframe, sample.decodeTime != nil, let nextStart else { return false }
        let time = sample.presentationTime
        return time < nextStart + Self.nearby && nextStart < time + Self.nearby
    }

    /// Returns true if a packet of audio belongs to the part.
    private mutating func isAudible(_ sample: SampleBuffer) throws(MediaError) -> Bool {
        guard isMostlyInside(sample) else { return false }
        // Packets of TrueHD depend on others. Some containers do not state which packets of other codecs are keyframes.
        let dependsOnOthers = sample.format.audio?.codec.rawValue == "truehd" && !sample.isKeyframe
        if part.followsSeam, !hasBegun, dependsOnOthers { throw refusal("begins between keyframes") }
        hasBegun = true
        return true
    }

    /// Returns true if the middle of an audio packet is inside the part. So a packet that extends too far at one seam
    /// is balanced by a packet that is missing at the next.
    private func isMostlyInside(_ sample: SampleBuffer) -> Bool {
        let duration = max(sample.duration ?? .zero, Self.wholePacket(sample))
        let half = MediaTime(value: duration.ticks(in: 1_000_000) / 2, timescale: 1_000_000)
        let middle = sample.presentationTime + half
        if part.followsSeam, middle < part.target.start { return false }
        return !part.precedesSeam || middle < part.target.end
    }

    /// Returns the full duration of an audio packet. For a packet at the end of an edit, the reader returns only the
    /// duration of the audible part. A packet at a seam is read once for each of the two files, and must have the same
    /// middle both times, so that exactly one file stores it.
    private static func wholePacket(_ sample: SampleBuffer) -> MediaTime {
        guard let audio = sample.format.audio, audio.bytesPerFrame == nil, audio.sampleRate > 0 else { return .zero }
        return MediaTime(
            value: Int64(clamping: audio.framesPerPacket), timescale: Int32(clamping: audio.sampleRate))
    }

    /// - Parameter mayBeOrder: true if this also happens when the files of a split recording are joined in the wrong
    ///   order.
    private func refusal(_ reason: String, mayBeOrder: Bool = false) -> MediaError {
        let file = part.source.asset.url.map { " (\($0.lastPathComponent))" } ?? ""
        let order = mayBeOrder ? "join the files of one recording in the order in which they were made, or " : ""
        return MediaError(
            .unsupported, "cannot read the stored samples of a composition",
            reason: "the segment at \(part.segment.timeRange.start.words)\(file) \(reason)",
            wayOut: "\(order)decode and re-encode the track, or cut it at keyframes")
    }
}

/// Places the stored packets that are shown in a part. Used by callers that need only the packets' times. Packets that
/// only decoding needs are left out.
struct ShownPacketPlacement: SamplePlacement {
    let part: CompositionPart

    var sourceRange: TimeRange { part.sourceRange }

    func place(_ sample: SampleBuffer) -> SampleBuffer? {
        let moved = part.placed(sample)
        return part.target.contains(moved.presentationTime) ? moved : nil
    }
}

extension SampleBuffer {
    /// Returns true if both packets have the same bytes.
    fileprivate func hasBytes(of other: SampleBuffer) -> Bool {
        guard case .data(let own) = content, case .data(let others) = other.content, own.count == others.count else {
            return false
        }
        return own.bytes.elementsEqual(others.bytes)
    }
}
