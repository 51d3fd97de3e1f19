import CLinux
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

    /// Whether one thread may turn out to be too few. Not for pictures so small or so rare that it is enough for any of them, on
    /// any machine that records: one that falls behind with those waits for the processor, and more threads would wait too.
    package static func oneMayBeTooFew(width: Int, height: Int, frameRate: Double) -> Bool {
        Double(width) * Double(height) * frameRate > 3_000_000
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

/// The processors that this process may use (sched_getaffinity(2)).
package enum Processors {
    package static var available: Int { max(1, Int(clinux_available_processors())) }
}
