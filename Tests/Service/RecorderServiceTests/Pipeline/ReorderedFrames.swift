import FakeDevices
import MediaTypes

@testable import RecorderControl
@testable import RecorderService

/// Packets of a camera with B-frames, 40 ms apart, at a reorder depth of 2.
enum ReorderedFrames {
    static let format = FormatDescription.video(VideoFormat(codec: .hevc, width: 64, height: 32))

    /// Three open GOPs in decode order: the keyframes 8 and 16 are shown after three frames that follow them.
    static let openGOPs: [Int] = [0, 4, 2, 1, 3, 8, 6, 5, 7, 12, 10, 9, 11, 16, 14, 13, 15, 20, 18, 17, 19]
    static let keyframes: Set<Int> = [0, 8, 16]

    /// Returns the packets of frames in decode order. The first of them has the decode time of two frames before it.
    static func packets(
        _ frames: [Int] = ReorderedFrames.openGOPs, keyframes: Set<Int> = ReorderedFrames.keyframes
    ) -> [SampleBuffer] {
        let first = frames.min() ?? 0
        return frames.enumerated().map { index, number in
            SampleBuffer(
                format: format, content: .data(MediaData([UInt8](repeating: 0, count: 10))),
                presentationTime: milliseconds(number * 40), decodeTime: milliseconds((first + index - 2) * 40),
                isKeyframe: keyframes.contains(number)
            ).accounting(for: 1)
        }
    }
}
