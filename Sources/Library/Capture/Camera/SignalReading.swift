import Glibc
import MediaTypes

/// The result of reading the signal at an input. A plain value.
enum SignalReading: Hashable {
    case present(InputSignal)
    case absent(SignalFault, MediaError.Underlying?)
    /// The driver does not report signals for this input.
    case unknown
    case failed(errno: Int32)

    /// Creates the result from a driver's answers about digital timings.
    ///
    /// Source: the Linux media API, VIDIOC_QUERY_DV_TIMINGS and VIDIOC_S_DV_TIMINGS ("Return Value").
    ///
    /// - Parameters:
    ///   - timings: The timings, if `code` is 0.
    ///   - areDetected: False if the driver cannot detect timings, and reports the timings that are set.
    ///   - code: The errno of the call that read the timings, or 0.
    ///   - refusal: The errno of the call that set the timings, or 0.
    init(_ timings: VideoTimings, areDetected: Bool, code: Int32, refusal: Int32) {
        if let fault = SignalFault(errno: code) {
            self = .absent(fault, .errno(code))
        } else if code == ENODATA || code == ENOTTY || code == EINVAL {
            self = .unknown
        } else if code != 0 {
            self = .failed(errno: code)
        } else if let signal = InputSignal(timings) {
            // ENOTTY: the driver does not have the call, and adopts the signal by itself.
            self = refusal == 0 || refusal == ENOTTY ? .present(signal) : .failed(errno: refusal)
        } else {
            // Drivers that can detect timings report zeros until they have measured the signal. The others report zeros
            // if no timings were ever set.
            self = areDetected ? .absent(.unstable, nil) : .unknown
        }
    }
}
