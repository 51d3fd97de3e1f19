import Glibc

/// What went wrong, with what, why, and the way out. The one error type of every public edge of this package.
public struct MediaError: Error, Sendable, Hashable {
    /// What kind of failure it is; stable, for programs.
    public enum Code: String, Sendable, Hashable, Codable, CaseIterable {
        /// A call in a state that does not allow it.
        case invalidState
        /// A setting that is missing, contradictory or out of range.
        case invalidSettings
        /// A sample that does not fit its track: format, time, order.
        case invalidSample
        /// The file, device or directory is not there.
        case notFound
        /// It is there, but somebody else uses it.
        case busy
        /// The operating system forbids it.
        case notPermitted
        /// The device is there but cannot do this.
        case deviceUnsuitable
        /// The device went away or its driver failed.
        case deviceLost
        /// The output exists already.
        case outputExists
        /// The output cannot be created.
        case cannotCreate
        /// The disk is full.
        case diskFull
        /// Reading or writing failed.
        case ioFailure
        /// The bytes are not what they should be.
        case corruptData
        /// This build has no such codec, format or container.
        case unsupported
        /// An encoder or decoder failed.
        case codecFailure
        /// It was cancelled.
        case cancelled
    }

    /// The raw code of the layer beneath, as it was given.
    public enum Underlying: Sendable, Hashable {
        case errno(Int32)
        case averror(Int32)
        case alsa(Int32)
        case other(String, Int32)
    }

    public let code: Code
    /// What was tried, with the thing's name: "cannot open /dev/video0".
    public let action: String
    /// Why it failed: "in use by another program".
    public let reason: String
    public let underlying: Underlying?
    /// What the reader can do about it; empty when nothing can be said.
    public let wayOut: String

    public init(_ code: Code, _ action: String, reason: String, underlying: Underlying? = nil, wayOut: String = "") {
        self.code = code
        self.action = action
        self.reason = reason
        self.underlying = underlying
        self.wayOut = wayOut
    }

    /// A failed system call: code and reason follow from the errno.
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
    /// One line: "cannot open /dev/video0: in use by another program (EBUSY); `fuser /dev/video0` shows which".
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
