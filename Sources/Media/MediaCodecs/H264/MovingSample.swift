import CX264

/// Frames that are about as hard to encode as a lit room in motion. They show moving blocks of random brightness, and
/// sensor noise that differs between consecutive frames. The frames are the same each time.
struct MovingSample {
    private let width: Int
    private let rowBytes: Int
    private let planeBytes: Int
    private var bytes: [UInt8]
    /// The movement of the scene from frame to frame, in pixels.
    private static let step = (x: 3, y: 1)

    init(width: Int, height: Int, frames: Int) {
        self.width = width
        rowBytes = width + frames * Self.step.x
        let rows = height + frames * Self.step.y
        planeBytes = rowBytes * rows
        let (rowBytes, planeBytes) = (rowBytes, planeBytes)
        // Two luma planes of the same scene with different noise, and a chroma plane.
        bytes = [UInt8](unsafeUninitializedCapacity: planeBytes * 2 + width * height / 2) { buffer, count in
            var random: UInt32 = 1
            func noise() -> UInt8 {
                random = random &* 1_664_525 &+ 1_013_904_223
                return UInt8(truncatingIfNeeded: random >> 28)
            }
            for place in 0..<planeBytes * 2 {
                let (y, x) = (place % planeBytes).quotientAndRemainder(dividingBy: rowBytes)
                let block = UInt32(x >> 3) &* 2_654_435_761 ^ UInt32(y >> 3) &* 2_246_822_519
                let mixed = (block ^ block >> 15) &* 2_654_435_761
                buffer[place] = 64 + UInt8(truncatingIfNeeded: mixed >> 13 & 127) + noise()
            }
            for place in planeBytes * 2..<buffer.count { buffer[place] = 120 + noise() }
            count = buffer.count
        }
    }

    mutating func withFrame<Result>(_ number: Int, _ body: (inout x264_picture_t) -> Result) -> Result {
        let begin = number % 2 * planeBytes + number * (Self.step.y * rowBytes + Self.step.x)
        return bytes.withUnsafeMutableBufferPointer { buffer in
            var frame = x264_picture_t()
            x264_picture_init(&frame)
            frame.i_pts = Int64(number)
            frame.img.i_csp = Int32(X264_CSP_NV12)
            frame.img.i_plane = 2
            frame.img.plane = (buffer.baseAddress! + begin, buffer.baseAddress! + planeBytes * 2, nil, nil)
            frame.img.i_stride = (Int32(rowBytes), Int32(width), 0, 0)
            return body(&frame)
        }
    }
}
