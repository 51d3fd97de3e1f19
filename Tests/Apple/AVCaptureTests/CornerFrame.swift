import AVCapture
import FakeDevices
import Foundation
import MediaTypes
import Testing

/// A frame whose quarters differ in brightness, so that it shows how it was rotated and mirrored.
enum CornerFrame {
    static let (width, height) = (64, 32)
    /// The brightness of the upper left, upper right, lower left and lower right quarter.
    private static let levels: [UInt8] = [50, 90, 140, 200]

    static func pixels(_ format: PixelFormat) -> PixelBuffer {
        let frame = MutablePixelBuffer(layout: PixelLayout(format: format, width: width, height: height))
        // Without color.
        for plane in frame.layout.planes.indices {
            _ = frame.plane(plane).initializeMemory(as: UInt8.self, repeating: 128)
        }
        let (rows, stride, pixel) = (frame.plane(0), frame.layout.planes[0].bytesPerRow, place(of: format))
        for y in 0..<height {
            for x in 0..<width {
                let level = levels[(y < height / 2 ? 0 : 2) + (x < width / 2 ? 0 : 1)]
                let start = y * stride + x * pixel.step + pixel.offset
                for channel in 0..<(format == .bgra ? 3 : 1) { rows[start + channel] = level }
            }
        }
        return frame.finish()
    }

    static func sample(_ format: PixelFormat, at time: Int) -> SampleBuffer {
        SampleBuffer(pixels: pixels(format), presentationTime: milliseconds(time))
    }

    /// Returns which quarter of the original, 1 to 4, is in the upper left, upper right, lower left and lower right.
    static func quarters(of frame: CVPixelBuffer) throws -> [Int] {
        let format = try #require(PixelFormat(CVPixelBufferGetPixelFormatType(frame)))
        let rows = try #require(CVPixelBufferGetBaseAddressOfPlane(frame, 0))
        let (stride, pixel) = (CVPixelBufferGetBytesPerRowOfPlane(frame, 0), place(of: format))
        let (width, height) = (CVPixelBufferGetWidth(frame), CVPixelBufferGetHeight(frame))
        // In the middle of each quarter.
        let values = [(1, 1), (3, 1), (1, 3), (3, 3)].map { column, row in
            let start = height * row / 4 * stride + width * column / 4 * pixel.step
            return rows.load(fromByteOffset: start + pixel.offset, as: UInt8.self)
        }
        return values.map { value in 1 + values.filter { $0 < value }.count }
    }

    /// The bytes from one pixel to the next, and to the first pixel's brightness.
    private static func place(of format: PixelFormat) -> (step: Int, offset: Int) {
        switch format {
        case .yuyv: (2, 0)
        case .uyvy: (2, 1)
        case .bgra: (4, 0)
        default: (1, 0)
        }
    }
}

/// A rotation, after which frames are mirrored or not.
struct VideoTurn: Sendable, CustomTestStringConvertible {
    var angle: Int
    var isMirrored: Bool

    static let all = [0, 90, 180, 270].flatMap { angle in
        [false, true].map { VideoTurn(angle: angle, isMirrored: $0) }
    }

    var testDescription: String { "\(angle)°\(isMirrored ? ", mirrored" : "")" }

    func apply(to connection: AVCaptureConnection) {
        connection.videoRotationAngle = CGFloat(angle)
        connection.isVideoMirrored = isMirrored
    }

    /// The quarters of a `CornerFrame` after the turn.
    var quarters: [Int] {
        let turned =
            switch angle {
            case 90: [3, 1, 4, 2]
            case 180: [4, 3, 2, 1]
            case 270: [2, 4, 1, 3]
            default: [1, 2, 3, 4]
            }
        return isMirrored ? [turned[1], turned[0], turned[3], turned[2]] : turned
    }

    /// The size of a `CornerFrame` after the turn.
    var width: Int { angle % 180 == 0 ? CornerFrame.width : CornerFrame.height }
    var height: Int { angle % 180 == 0 ? CornerFrame.height : CornerFrame.width }
}
