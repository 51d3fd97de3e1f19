import CFFmpeg
import RealTime

/// Opens and closes encoders of SVT-AV1 one at a time.
///
/// Versions 1.4.1 and 2.3 corrupt the heap if one encoder is opened or closed while another one is: about once in a
/// thousand encoders with two threads. Encoding beside that is safe.
enum SVTLifetime {
    private static let lock = Locked(())

    /// Runs `body`, and blocks while another thread opens or closes an encoder of SVT-AV1. Other encoders do not wait.
    static func during<Result>(_ encoderName: String, _ body: () -> Result) -> Result {
        encoderName == "libsvtav1" ? lock.withLock { _ in body() } : body()
    }
}

extension LibavVideoCodec {
    /// Closes and frees an encoder. Blocks while another thread opens or closes one, if both are of SVT-AV1.
    func close(_ context: UnsafeMutablePointer<AVCodecContext>) {
        SVTLifetime.during(encoderName) { context.free() }
    }
}
