import CLinux
import CX264
import Glibc

/// The choice of the number of threads of an x264 encoder.
package enum EncoderThreads: Sendable {
    /// x264's own choice: one and a half threads per processor (x264, `x264_threads`). Right for an encoder that is
    /// always busy.
    case usual
    /// One thread if that is enough for the frame rate, otherwise the usual number. Several threads that wait for a
    /// camera only pass the work to each other. At 720p30, three threads used a twelfth more processor time than one
    /// thread, and held two more frames.
    case few

    static var usualCount: Int { max(1, Processors.available * 3 / 2) }

    /// - Parameters:
    ///   - parameters: the encoder's parameters. If they set a number of threads, that number is returned.
    ///   - frameRate: frames per second.
    func count(_ parameters: x264_param_t, frameRate: Double) -> Int {
        if parameters.i_threads > 0 { return Int(parameters.i_threads) }
        guard self == .few, Self.usualCount > 1, let speed = Self.speed(parameters) else { return Self.usualCount }
        let wanted = Double(parameters.i_width) * Double(parameters.i_height) * frameRate
        // The margin is for scenes that are harder than the sample, and for other programs. If the result is too low,
        // `EncoderLoad` detects it.
        return wanted <= speed * 0.6 ? 1 : Self.usualCount
    }

    /// Returns true if one thread may turn out to be too few. Frames that are small or rare enough need only one thread
    /// on any machine that can record. If that thread falls behind, the machine lacks processor time, and more threads
    /// would not help.
    package static func oneMayBeTooFew(width: Int, height: Int, frameRate: Double) -> Bool {
        Double(width) * Double(height) * frameRate > 3_000_000
    }

    /// Returns the number of pixels that one thread encodes with these parameters in a second of processor time; nil if
    /// it cannot be measured. Measures it by encoding a small sample, which takes 10 ms at the preset "veryfast".
    private static func speed(_ parameters: x264_param_t) -> Double? {
        guard parameters.i_bitdepth == 8 else { return nil }
        let width = 320
        let height = 192
        let frames = 8
        var parameters = parameters
        parameters.i_width = Int32(width)
        parameters.i_height = Int32(height)
        parameters.i_threads = 1
        parameters.i_sync_lookahead = 0
        guard let encoder = cx264_encoder_open(&parameters, nil, nil) else { return nil }
        defer { x264_encoder_close(encoder) }
        var sample = MovingSample(width: width, height: height, frames: frames)
        let began = threadTime
        var units: UnsafeMutablePointer<x264_nal_t>?
        var unitCount: Int32 = 0
        var encoded = x264_picture_t()
        var given = 0
        var got = 0
        // The first frames show whether a preset is slow. The remaining frames are then skipped.
        while given < frames || x264_encoder_delayed_frames(encoder) > 0, got == 0 || threadTime - began < 0.03 {
            let size =
                given < frames
                ? sample.withFrame(given) { x264_encoder_encode(encoder, &units, &unitCount, &$0, &encoded) }
                : x264_encoder_encode(encoder, &units, &unitCount, nil, &encoded)
            guard size >= 0 else { return nil }
            given += 1
            if size > 0 { got += 1 }
        }
        let seconds = threadTime - began
        return seconds > 0 ? Double(width * height * got) / seconds : nil
    }

    /// The processor time of the calling thread in seconds (clock_gettime(2)). Other programs do not affect it.
    private static var threadTime: Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) * 1e-9
    }
}

/// The processors available to this process (sched_getaffinity(2)).
package enum Processors {
    package static var available: Int { max(1, Int(clinux_available_processors())) }
}
