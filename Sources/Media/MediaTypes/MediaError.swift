import Glibc

/// An error: the failed action with its object, the reason, and advice on how to fix it. The only error type in this
/// package's public interface.
public struct MediaError: Error, Sendable, Hashable {
    /// The kind of failure; stable, for programs.
    public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
        /// A call in a state that does not allow it.
        case invalidState
        /// A setting that is missing, contradictory or out of range.
        case invalidSettings
        /// A sample that does not fit its track: format, time, order.
        case invalidSample
        /// The file, device or directory does not exist.
        case notFound
        /// The file, device or directory exists, but another program uses it.
        case busy
        /// The operating system forbids the operation.
        case notPermitted
        /// The device exists but does not support the request.
        case deviceUnsuitable
        /// The device disconnected or its driver failed.
        case deviceLost
        /// The output exists already.
        case outputExists
        /// The output cannot be created.
        case cannotCreate
        /// The disk is full.
        case diskFull
        /// Reading or writing failed.
        case ioFailure
        /// The bytes are invalid.
        case corruptData
        /// This build does not support the codec, format or container.
        case unsupported
        /// An encoder or decoder failed.
        case codecFailure
        /// The operation was cancelled.
        case cancelled
    }

    /// The unchanged raw code of the underlying layer.
    public enum Underlying: Sendable, Hashable {
        case errno(Int32)
        case averror(Int32)
        case alsa(Int32)
        case other(String, Int32)
    }

    public let code: Code
    /// The attempted action, with the name of its object: "cannot open /dev/video0".
    public let action: String
    /// The reason for the failure: "in use by another program".
    public let reason: String
    public let underlying: Underlying?
    /// Advice on how to fix it; empty if none is known.
    public let wayOut: String

    public init(_ code: Code, _ action: String, reason: String, underlying: Underlying? = nil, wayOut: String = "") {
        self.code = code
        self.action = action
        self.reason = reason
        self.underlying = underlying
        self.wayOut = wayOut
    }

    /// Creates the error for a failed system call; code and reason follow from the errno.
    public init(errno number: Int32, _ action: String, wayOut: String = "") {
        let code: Code
        switch number {
        case ENOENT, ENODEV, ENXIO: code = .notFound
        case EBUSY: code = .busy
        case EACCES, EPERM, EROFS: code = .notPermitted
        case EEXIST: code = .outputExists
        case ENOSPC, EDQUOT: code = .diskFull
        case EINVAL, ENOTTY: code = .unsupported
        default: code = .ioFailure
        }
        self.init(
            code, action, reason: String(cString: strerror(number)).lowercasedFirst, underlying: .errno(number),
            wayOut: wayOut)
    }
}

extension MediaError: CustomStringConvertible {
    /// The error on one line: "cannot open /dev/video0: in use by another program (EBUSY); `fuser /dev/video0` shows
    /// which".
    public var description: String {
        var line = "\(action): \(reason)"
        switch underlying {
        case .errno(let number): line += " (\(Self.errnoName(number)))"
        case .averror(let number): line += " (\(Self.averrorName(number)))"
        case .alsa(let number): line += " (ALSA \(Self.errnoName(abs(number))))"
        case .other(let name, let number): line += " (\(name) \(number))"
        case nil: break
        }
        return wayOut.isEmpty ? line : line + "; " + wayOut
    }
}

extension String {
    fileprivate var lowercasedFirst: String { prefix(1).lowercased() + dropFirst() }
}
