import Glibc
import MediaTypes

/// A failure of a stateful encoder. The encoder may start again afterwards.
enum EncoderFailure: Error {
    /// A call to the driver failed with this errno.
    case device(Int32)
    case stalled
    case violation(StatefulEncoderState.Violation)
    /// The sink refuses the packets.
    case refused(MediaError)

    /// True after a fatal failure (EIO). The queues start again only after the device was set up again.
    ///
    /// Source: the Linux media API, "Memory-to-Memory Stateful Video Encoder Interface", "Encoding".
    var needsSetup: Bool {
        if case .device(EIO) = self { true } else { false }
    }

    /// Returns the error of the encoder with this name, such as `/dev/video11`.
    func error(of name: String) -> MediaError {
        let action = "cannot encode with \(name)"
        let wayOut = "write --encoder x264, and send the output of `recorder doctor --report`"
        switch self {
        case .refused(let error): return error
        case .device(ENODEV), .device(ENXIO):
            return MediaError(
                .deviceLost, action, reason: "the encoder is not connected", underlying: .errno(ENODEV),
                wayOut: "`recorder devices` lists the encoders")
        case .device(let code):
            return MediaError(
                .codecFailure, action, reason: "its driver failed", underlying: .errno(code), wayOut: wayOut)
        case .stalled:
            return MediaError(
                .codecFailure, action, reason: "it returns nothing", underlying: .errno(ETIMEDOUT), wayOut: wayOut)
        case .violation(let violation):
            return MediaError(.codecFailure, action, reason: violation.rawValue, wayOut: wayOut)
        }
    }
}
