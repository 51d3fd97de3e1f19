import Demuxing
package import MediaTypes

/// The frames that a camera in software sends, and its faults.
package struct CameraScript: Sendable {
    /// One frame: its NAL units without start codes.
    package struct Frame: Sendable {
        package var units: [[UInt8]]
        /// The number of the frame in the order in which frames are shown. They are sent in decode order.
        package var shown: Int
        package var codec = VideoCodec.h264

        /// The type of a NAL unit (ITU-T H.264, table 7-1; H.265, table 7-1).
        private func kind(of unit: [UInt8]) -> UInt8 {
            let first = unit.first ?? 0
            return codec == .hevc ? first >> 1 & 63 : first & 31
        }

        /// The bytes that a movie stores for the frame: all units but delimiters, filler and parameter sets, after their
        /// lengths.
        package var stored: [UInt8] {
            let left: ClosedRange<UInt8> = codec == .hevc ? 32...35 : 7...9
            let filler: UInt8 = codec == .hevc ? 38 : 12
            var bytes: [UInt8] = []
            for unit in units where !left.contains(kind(of: unit)) && kind(of: unit) != filler {
                for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: unit.count >> shift)) }
                bytes += unit
            }
            return bytes
        }
        package var isKeyframe: Bool {
            let keys: ClosedRange<UInt8> = codec == .hevc ? 16...21 : 5...5
            return units.contains { keys.contains(kind(of: $0)) }
        }
    }

    package enum Audio: Sendable {
        /// µ-law, 8 kHz: packets of 160 bytes, each 20 ms.
        case law
        /// AAC, 48 kHz stereo: packets of 1024 frames with these bytes in turn.
        case aac([[UInt8]])
    }

    package enum Fault: Sendable, Hashable {
        /// The connection is reset before the frame with this number.
        case reset(frame: Int)
        /// Nothing is sent from this frame on.
        case silence(frame: Int)
        /// The response to DESCRIBE ends within its headers, and the connection with it.
        case halfHeader
        /// The session is redirected right after the frame with this number.
        case redirect(frame: Int, url: String)
        /// No request is answered, and no handshake of TLS.
        case deaf
        /// The handshake of TLS is answered with these bytes, after which the connection is closed.
        case handshake(answer: [UInt8])
        /// The packets with these numbers are lost on the way.
        case loss(packets: Set<Int>)
        /// The date in reports is that of 1970.
        case date
        /// DESCRIBE is answered with these bytes, and the connection is closed.
        case describe(answer: [UInt8])
        /// The description ends before the parameter sets of its video, and the response says so.
        case halfDescription
        /// DESCRIBE is redirected to the same URL, each time.
        case redirects
        /// The RTP times of all streams and reports jump before the frame with this number.
        case jump(frame: Int, seconds: Int64)
        /// The packets of video have another payload type from this frame on, as those of another codec.
        case otherType(frame: Int)
    }

    package var frames: [Frame]
    /// H.264 or HEVC.
    package private(set) var codec = VideoCodec.h264
    /// The parameter sets of the session description. For HEVC the first one is the video parameter set.
    package private(set) var sets: [[UInt8]] = []
    /// Nanoseconds from one frame to the next, which RTP times and the sending follow.
    package var distance: Int64 = 20_000_000
    package var audio: Audio?
    /// Nanoseconds from the first frame to the beginning of the audio.
    package var audioDelay: Int64 = 0
    package var user: (name: String, password: String)?
    /// The method of the first request that needs the user and the password; nil for all requests.
    package var loginFrom: String?
    package var fault: Fault?
    /// True if the fault happens in the first connection only.
    package var isFaultOnce = false
    /// The largest payload of a packet.
    package var mostPayload = 1400

    /// Takes H.264 or HEVC frames from a movie, in decode order. Each is shown one distance after the one before it.
    ///
    /// - Throws: if the movie has neither, or less than `count` frames.
    package init(movie path: String, frames count: Int) throws {
        struct Unsuitable: Error {}
        let demuxer = try MovieDemuxer(path: path)
        frames = []
        var times: [MediaTime] = []
        while frames.count < count, let packet = try demuxer.next() {
            guard let format = packet.sample.format.video, [.h264, .hevc].contains(format.codec),
                case .data(let data) = packet.sample.content
            else { continue }
            codec = format.codec
            sets = Self.sets(format.decoderConfiguration, of: codec)
            guard sets.count >= (codec == .hevc ? 3 : 2) else { throw Unsuitable() }
            frames.append(Frame(units: Self.units(Array(data.bytes)), shown: 0, codec: codec))
            times.append(packet.sample.presentationTime)
        }
        guard frames.count == count else { throw Unsuitable() }
        for (number, index) in times.indices.sorted(by: { times[$0] < times[$1] }).enumerated() {
            frames[index].shown = number
        }
    }

    /// Puts the parameter sets into each keyframe, as most cameras do.
    package mutating func repeatSets() {
        for index in frames.indices where frames[index].isKeyframe {
            frames[index].units = sets + frames[index].units
        }
    }

    /// Continues with the frames of another script, whose keyframes have its parameter sets.
    package mutating func append(_ other: CameraScript) {
        var other = other
        other.repeatSets()
        let count = frames.count
        for var frame in other.frames {
            frame.shown += count
            frames.append(frame)
        }
    }

    /// Returns the first parameter set of each kind in a decoder configuration (ISO/IEC 14496-15, 5.3.3.1 and 8.3.3.1).
    private static func sets(_ record: [UInt8], of codec: VideoCodec) -> [[UInt8]] {
        var place = codec == .hevc ? 23 : 6
        var sets: [[UInt8]] = []
        while place < record.count, sets.count < (codec == .hevc ? 3 : 2) {
            // A kind and a count of two bytes come before the sets of HEVC. Only the count is between those of H.264.
            if codec == .hevc { place += 3 } else if !sets.isEmpty { place += 1 }
            guard place + 2 <= record.count else { return [] }
            let count = Int(record[place]) << 8 | Int(record[place + 1])
            guard place + 2 + count <= record.count else { return [] }
            sets.append(Array(record[(place + 2)..<(place + 2 + count)]))
            place += 2 + count
        }
        return sets
    }

    private static func units(_ bytes: [UInt8]) -> [[UInt8]] {
        var units: [[UInt8]] = []
        var place = 0
        while place + 4 <= bytes.count {
            let count = bytes[place..<(place + 4)].reduce(0) { $0 << 8 | Int($1) }
            guard place + 4 + count <= bytes.count else { break }
            units.append(Array(bytes[(place + 4)..<(place + 4 + count)]))
            place += 4 + count
        }
        return units
    }
}
