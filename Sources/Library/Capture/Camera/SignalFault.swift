import CV4L2
import Glibc
package import MediaTypes

/// The reason why an input of a camera has no usable signal.
///
/// Source: the Linux media API, VIDIOC_QUERY_DV_TIMINGS (errors) and VIDIOC_ENUMINPUT (`status`).
package enum SignalFault: String, Sendable, Hashable {
    /// The attached device is off.
    case noPower
    case noSignal
    /// A signal exists, but the camera cannot lock to it.
    case unstable
    /// The camera does not support the signal's size or rate.
    case outOfRange

    /// Creates the fault for an errno of VIDIOC_QUERY_DV_TIMINGS; nil for any other error.
    init?(errno number: Int32) {
        switch number {
        case ENOLINK: self = .noSignal
        // EAGAIN is not documented: aspeed-video reports it while it measures a signal that changed.
        case ENOLCK, EAGAIN: self = .unstable
        case ERANGE: self = .outOfRange
        default: return nil
        }
    }

    /// Creates the fault that an input's status reports; nil if the status reports none.
    init?(status: UInt32) {
        let unlocked =
            V4L2_IN_ST_NO_H_LOCK | V4L2_IN_ST_NO_V_LOCK | V4L2_IN_ST_NO_STD_LOCK | V4L2_IN_ST_NO_SYNC
            | V4L2_IN_ST_NO_CARRIER
        if status & UInt32(V4L2_IN_ST_NO_POWER) != 0 {
            self = .noPower
        } else if status & UInt32(V4L2_IN_ST_NO_SIGNAL) != 0 {
            self = .noSignal
        } else if status & UInt32(unlocked) != 0 {
            self = .unstable
        } else {
            return nil
        }
    }

    /// A short text for lists: "no signal".
    package var label: String {
        switch self {
        case .noPower: "no power"
        case .noSignal: "no signal"
        case .unstable: "unstable signal"
        case .outOfRange: "signal out of range"
        }
    }

    /// Returns the error of a camera that cannot deliver because of this fault.
    ///
    /// - Parameters:
    ///   - action: The start of the message, such as "cannot record from /dev/video0".
    ///   - input: The input's name.
    ///   - cause: The driver's own code; nil if only the input's status reports the fault.
    package func error(_ action: String, input: String, cause: MediaError.Underlying?) -> MediaError {
        let (reason, wayOut): (String, String) =
            switch self {
            case .noPower: ("the source at its input \"\(input)\" is off", "switch the source on")
            case .noSignal: ("no signal at its input \"\(input)\"", "switch the source on, and check its cable")
            case .unstable: ("the signal at its input \"\(input)\" is unstable", "check the cable and the source")
            case .outOfRange:
                (
                    "the signal at its input \"\(input)\" is out of range",
                    "set the source to a size and a rate that the camera supports"
                )
            }
        return MediaError(.deviceLost, action, reason: reason, underlying: cause, wayOut: wayOut)
    }
}
