import DequeModule
import MediaTypes

/// The parts of a router's state.
extension PacketRouter {
    /// The progress of one track, judged from the packets that have arrived.
    struct Track {
        var isLive = false
        var format: FormatDescription?
        /// True if the next keyframe follows frames of the same encoder. Leading frames of that keyframe may depend on
        /// those frames.
        var isContinued = false
        /// The time that the track's packets have reached.
        var frontier: MediaTime?
        /// The nominal duration of a frame.
        var frameDuration: MediaTime?
        /// The duration of frames whose packets have none.
        var interval = FrameInterval()

        /// Returns a frame's packet with its duration, or with the expected one if it has none.
        mutating func lasting(_ packet: SampleBuffer) -> SampleBuffer {
            interval.record(packet.decodeTime ?? packet.presentationTime)
            guard packet.duration == nil else { return packet }
            let lasting = packet.lasting(interval.value).accounting(for: packet.ledgerCount)
            return packet.isEased ? lasting.eased() : lasting
        }
    }

    /// Audio around the time that the frames have reached.
    struct HeldAudio {
        /// The audio packets that wait until the frames have reached their time.
        var waiting: Deque<SampleBuffer> = []
        /// The last packets released before the waiting ones, and whether a file stores them. The next file may need
        /// three of them: the packet that the cut divides, and two that this packet depends on.
        var recent: Deque<(packet: SampleBuffer, isStored: Bool)> = []
    }

    /// The limits of the open file.
    struct FileLimits {
        var time: MediaTime?
        /// Maximum bytes of media.
        var size: Int64?
        /// Maximum size of the file in bytes.
        var largest: Int64?
        /// True if the file ends at the next keyframe, whatever its time and size.
        var endsAtNextKeyframe = false
    }

    /// The end of the recording, once it is known.
    struct Ending {
        var time: MediaTime?
        /// The time from which on frames are not shown. Known before `time` if a camera sends such a frame early,
        /// because frames that are shown depend on it.
        var expected: MediaTime?
        /// True if the devices deliver no more samples, so that the recording ends when the encoders have sent all
        /// packets.
        var waitsForTracks = false
        var isVideoAtEnd = false
    }

    /// The previous file, while packets for it may still arrive.
    struct Closing {
        var segment: Int
        var end: MediaTime
        /// The format of the file's audio track; nil if it has none.
        var audio: FormatDescription?
        var awaitsAudio = true
        /// The keyframe that begins the next file, while its leading frames may arrive. Leading frames are shown before
        /// the keyframe, so they belong to this file. This file then stores the keyframe too, because its leading
        /// frames depend on it.
        var keyframe: SampleBuffer?
        var storesKeyframe = false
    }

    /// The file that is being written.
    struct Current {
        var opening: RecordingFileOpening
        var byteCount: Int64 = 0
        var packetCount: Int64 = 0
        var hasAudio = false
        var end: MediaTime
        /// The requested start. Frames before it do not count as dropped if they are not stored. nil if all frames
        /// count.
        var wanted: MediaTime?
        /// The time of the first frame, which is a keyframe.
        var firstFrame: MediaTime?
        /// The number of bytes since the last keyframe. `largestGOP` is the maximum number of bytes between two
        /// keyframes.
        var gopBytes: Int64 = 0
        var largestGOP: Int64 = 0
        /// The maximum number of bytes between two keyframes of the previous file.
        var previousGOP: Int64 = 0
        /// The start of the file's last chapter.
        var lastChapter: MediaTime?

        /// Estimated size in bytes of the file if it ends at the next keyframe. Each packet needs space in a fragment's
        /// header, in an index block and in the tables. Each fragment and the file have headers. The current GOP is
        /// assumed to be at most 1.5 times as large as any earlier one. It may become larger because the scene changes,
        /// or because the encoder of a busy machine reduces its effort.
        var footprint: Int64 {
            let heads = 8192 + max(0, (end - opening.start).nanoseconds) / 1_000_000
            let gop = max(largestGOP, previousGOP)
            return byteCount + packetCount * 64 + heads + gop + gop / 2
        }

        mutating func record(_ packet: SampleBuffer) {
            let size = Int64(packet.byteCount)
            byteCount += size
            packetCount += 1
            end = max(end, packet.endTime)
            if packet.format.mediaType == .video { firstFrame = firstFrame ?? packet.presentationTime }
            // A file without video can end at any packet.
            if opening.video == nil || packet.format.mediaType == .video && packet.isKeyframe { gopBytes = 0 }
            gopBytes += size
            largestGOP = max(largestGOP, gopBytes)
        }
    }
}
