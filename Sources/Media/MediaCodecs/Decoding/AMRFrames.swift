import MediaTypes

/// The frames of an AMR packet. Phones store several frames in one sample (3GPP TS 26.244, "frames per sample"), but
/// libavcodec decodes only the first frame of a packet.
struct AMRFrames {
    /// The size of a frame in bytes, by frame type, including the header byte (RFC 4867, 5.3; 3GPP TS 26.101 and
    /// 26.201, annex A). Frames of a type without an entry contain no speech, and consist only of the header.
    private let sizes: [Int]
    /// The first frame type without speech. Such types are comfort noise, lost speech and no data.
    private let firstSilent: UInt8

    private static let narrow = AMRFrames(sizes: [13, 14, 16, 18, 20, 21, 27, 32, 6], firstSilent: 8)
    private static let wide = AMRFrames(sizes: [18, 24, 33, 37, 41, 47, 51, 59, 61, 6], firstSilent: 9)

    /// - Parameter codec: libavcodec's name of the codec. Returns nil if it is not AMR.
    static func of(codec: String) -> AMRFrames? {
        switch codec {
        case "amr_nb": narrow
        case "amr_wb": wide
        default: nil
        }
    }

    private static let duration = MediaTime(value: 1, timescale: 50)

    /// Returns one sample for each frame of speech, at its own time.
    ///
    /// Leaves out frames without speech, because libavcodec refuses them. Players fill the gap with silence.
    ///
    /// - Returns: The frames. A sample that contains one frame is returned unchanged. So is a sample that does not end
    ///   at a frame boundary; the decoder reports it as damaged.
    func split(_ coded: CodedSample) -> [CodedSample] {
        guard case .data(let data) = coded.sample.content else { return [coded] }
        let bytes = data.bytes
        var frames: [(range: Range<Int>, number: Int)] = []
        var (place, number) = (0, 0)
        while place < bytes.count {
            let type = bytes[place] >> 3 & 0x0F
            let end = place + (Int(type) < sizes.count ? sizes[Int(type)] : 1)
            guard end <= bytes.count else { return [coded] }
            if type < firstSilent { frames.append((place..<end, number)) }
            place = end
            number += 1
        }
        guard number > 1 || frames.isEmpty else { return [coded] }
        return frames.map { frame in
            let part = UnsafeRawBufferPointer(rebasing: bytes[frame.range])
            var result = coded
            result.sample = SampleBuffer(
                format: coded.sample.format, content: .data(MediaData(borrowing: part, keeping: data)),
                presentationTime: coded.sample.presentationTime
                    + MediaTime(
                        value: Int64(frame.number), timescale: Self.duration.timescale),
                duration: Self.duration, isKeyframe: true)
            return result
        }
    }
}
