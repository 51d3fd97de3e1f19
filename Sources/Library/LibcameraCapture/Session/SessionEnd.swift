package import MediaTypes

/// The reason why a helper's session ended. The camera is away from then on, with this cause.
package enum SessionEnd: Sendable, Hashable {
    /// The way in which a helper ended by itself.
    package enum Exit: Sendable, Hashable {
        case status(Int32)
        case signal(Int32)
        /// The helper's socket is closed. The helper still runs, or it is unknown how it ended.
        case unknown
    }

    /// A step that takes a limited time.
    package enum Step: String, Sendable, Hashable {
        case greeting = "start"
        case opening = "open the camera"
        case starting = "start the camera"
        case listing = "list the cameras"
    }

    /// The helper reported an error and ended.
    case refused(HelperFailure)
    case invalidMessage(MessageFault)
    case invalidBuffer(BufferFault)
    /// A valid message in a state that does not allow it.
    case unexpectedMessage(String)
    /// A frame in a buffer that the camera does not have, or with more bytes than the buffer.
    case invalidFrame(buffer: Int)
    /// More messages than any camera needs.
    case flooded
    /// A step took longer than its time limit, in nanoseconds.
    case slow(Step, after: Int64)
    /// The camera had buffers, but no frame came for this many nanoseconds.
    case hung(after: Int64)
    /// All frames of this many nanoseconds were damaged.
    case damaged(after: Int64)
    case exited(Exit)
    /// The helper runs but does not read: its socket is full.
    case blocked
    /// The recorder stops while the camera is opened or started.
    case interrupted

    /// True if the helper failed, not the camera. Such a helper would probably fail again soon.
    package var isFaultOfHelper: Bool {
        switch self {
        case .refused, .interrupted: false
        default: true
        }
    }

    /// Returns the end as an error.
    ///
    /// - Parameters:
    ///   - action: The failed action with its object, such as "lost the camera imx708".
    ///   - camera: libcamera's identifier of the camera.
    package func error(_ action: String, camera: String) -> MediaError {
        switch self {
        case .refused(let failure): return failure.error(action, camera: camera)
        case .hung(let nanoseconds):
            return MediaError(.deviceLost, action, reason: "no frame for \(Self.seconds(nanoseconds)) s")
        case .damaged(let nanoseconds):
            return MediaError(
                .deviceLost, action, reason: "only damaged frames for \(Self.seconds(nanoseconds)) s")
        case .slow(let step, let nanoseconds):
            return MediaError(
                .deviceLost, action,
                reason: "its helper did not \(step.rawValue) within \(Self.seconds(nanoseconds)) s")
        case .invalidMessage(.version(let version)):
            return MediaError(
                .unsupported, action, reason: "its helper is invalid: \(MessageFault.version(version))",
                wayOut: "install recorder and recorder-libcamera of the same version")
        case .invalidMessage(let fault): return invalid(action, "\(fault)")
        case .invalidBuffer(let fault): return invalid(action, "\(fault)")
        case .unexpectedMessage(let name): return invalid(action, "it sent \(name) out of turn")
        case .invalidFrame(let buffer): return invalid(action, "it sent an invalid frame in buffer \(buffer)")
        case .flooded: return invalid(action, "it sent more messages than a camera needs")
        case .exited(.status(let status)):
            return MediaError(
                .deviceLost, action, reason: "its helper ended", underlying: .other("exit status", status))
        case .exited(.signal(let signal)):
            return MediaError(
                .deviceLost, action, reason: "its helper was killed", underlying: .other("signal", signal))
        case .exited(.unknown): return MediaError(.deviceLost, action, reason: "its helper closed the connection")
        case .blocked: return MediaError(.deviceLost, action, reason: "its helper does not read its messages")
        case .interrupted: return MediaError(.cancelled, action, reason: "the recorder stops")
        }
    }

    private func invalid(_ action: String, _ reason: String) -> MediaError {
        MediaError(.deviceLost, action, reason: "its helper is invalid: \(reason)")
    }

    private static func seconds(_ nanoseconds: Int64) -> Int64 { (nanoseconds + 500_000_000) / 1_000_000_000 }
}

extension HelperFailure {
    /// Returns the failure as an error.
    fileprivate func error(_ action: String, camera: String) -> MediaError {
        let code: MediaError.Code
        var wayOut = ""
        switch cause {
        case .notFound:
            code = .notFound
            wayOut = "if another program uses the camera, libcamera hides it: end that program"
        case .busy:
            code = .busy
            wayOut = "end the program that uses \(camera)"
        case .notPermitted:
            code = .notPermitted
            wayOut = "add the user to the group video"
        case .unsuitable: code = .deviceUnsuitable
        case .lost: code = .deviceLost
        case .failed: code = .ioFailure
        case .invalidControl: code = .invalidSettings
        }
        return MediaError(
            code, action, reason: reason.isEmpty ? "libcamera gave no reason" : reason,
            underlying: errno == 0 ? nil : .errno(errno), wayOut: wayOut)
    }
}
