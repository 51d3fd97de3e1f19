import CX264
import Glibc

/// How many threads an x264 encoder has.
package enum EncoderThreads: Sendable {
    /// x264's own choice, one and a half for each processor (x264, `x264_threads`): right for an encoder that always has
    /// something to do.
    case usual
    /// One, where that is enough for the pace at which pictures come; else the usual ones. Threads that wait for a camera
    /// only pass the work to each other: at 720p30 three took a twelfth more processor time than one, and held two
    /// pictures more.
    case few

    static var usualCount: Int { max(1, Processors.available * 3 / 2) }

    /// - Parameters:
    ///   - parameters: of the encoder; what is asked for there goes first.
    ///   - frameRate: how many pictures come in a second.
    func count(_ parameters: x264_param_t, frameRate: Double) -> Int {
        if parameters.i_threads > 0 { return Int(parameters.i_threads) }
        guard self == .few, Self.usualCount > 1, let speed = Self.speed(parameters) else { return Self.usualCount }
        let wanted = Double(parameters.i_width) * Double(parameters.i_height) * frameRate
        // The rest is for scenes that are harder than the sample, and for whoever else wants the processor. What turns out
        // to be too little is noticed (`EncoderLoad`).
        return wanted <= speed * 0.6 ? 1 : Self.usualCount
    }

    /// Pictures so small or so rare that one thread is enough for any of them, on any machine that records: one that falls behind with
    /// them waits for the processor, and with more threads it would wait too.
    package func mayBeTooFew(width: Int, height: Int, frameRate: Double) -> Bool {
        self == .few && Double(width) * Double(height) * frameRate > 3_000_000
    }

    /// Pixels that one thread encodes with these parameters in a second of processor time, found by encoding a small
    /// sample: 10 ms at the preset "veryfast". nil where that cannot be said.
    private static func speed(_ parameters: x264_param_t) -> Double? {
        guard parameters.i_bitdepth == 8 else { return nil }
        let width = 320
        let height = 192
        let pictures = 8
        var parameters = parameters
        parameters.i_width = Int32(width)
        parameters.i_height = Int32(height)
        parameters.i_threads = 1
        parameters.i_sync_lookahead = 0
        guard let encoder = cx264_encoder_open(&parameters, nil, nil) else { return nil }
        defer { x264_encoder_close(encoder) }
        var sample = MovingSample(width: width, height: height, pictures: pictures)
        let began = threadTime
        var units: UnsafeMutablePointer<x264_nal_t>?
        var unitCount: Int32 = 0
        var encoded = x264_picture_t()
        var given = 0
        var got = 0
        // A preset that is slow says so with its first pictures; nobody waits for all of them.
        while given < pictures || x264_encoder_delayed_frames(encoder) > 0, got == 0 || threadTime - began < 0.03 {
            let size =
                given < pictures
                ? sample.withPicture(given) { x264_encoder_encode(encoder, &units, &unitCount, &$0, &encoded) }
                : x264_encoder_encode(encoder, &units, &unitCount, nil, &encoded)
            guard size >= 0 else { return nil }
            given += 1
            if size > 0 { got += 1 }
        }
        let seconds = threadTime - began
        return seconds > 0 ? Double(width * height * got) / seconds : nil
    }

    /// Seconds of processor time that the calling thread has had (clock_gettime(2)): other programs do not change it.
    private static var threadTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

/// Pictures that are about as hard to encode as a lit room in motion: blocks of random brightness that wander, and the noise of a
/// sensor, never the same in two pictures that follow each other. Every run has the same ones.
private struct MovingSample {
    private let width: Int
    private let rowBytes: Int
    private let planeBytes: Int
    private var bytes: [UInt8]
    /// How far the scene moves from picture to picture.
    private static let step = (x: 3, y: 1)

    init(width: Int, height: Int, pictures: Int) {
        self.width = width
        rowBytes = width + pictures * Self.step.x
        let rows = height + pictures * Self.step.y
        planeBytes = rowBytes * rows
        let (rowBytes, planeBytes) = (rowBytes, planeBytes)
        // Two brightnesses of the same scene, whose noise differs, and a plane of colour.
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

    mutating func withPicture<Result>(_ number: Int, _ body: (inout x264_picture_t) -> Result) -> Result {
        let begin = number % 2 * planeBytes + number * (Self.step.y * rowBytes + Self.step.x)
        return bytes.withUnsafeMutableBufferPointer { buffer in
            var picture = x264_picture_t()
            x264_picture_init(&picture)
            picture.i_pts = Int64(number)
            picture.img.i_csp = Int32(X264_CSP_NV12)
            picture.img.i_plane = 2
            picture.img.plane = (buffer.baseAddress! + begin, buffer.baseAddress! + planeBytes * 2, nil, nil)
            picture.img.i_stride = (Int32(rowBytes), Int32(width), 0, 0)
            return body(&picture)
        }
    }
}
