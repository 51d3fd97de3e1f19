public import Foundation
package import MediaTypes

public let AVFoundationErrorDomain = "AVFoundationErrorDomain"
public let AVErrorMediaTypeKey = "AVErrorMediaTypeKey"
public let AVErrorTimeKey = "AVErrorTimeKey"
public let AVErrorFileSizeKey = "AVErrorFileSizeKey"
public let AVErrorFileTypeKey = "AVErrorFileTypeKey"
public let AVErrorPersistentTrackIDKey = "AVErrorPersistentTrackIDKey"
public let AVErrorMediaSubTypeKey = "AVErrorMediaSubTypeKey"
public let AVErrorPresentationTimeStampKey = "AVErrorPresentationTimeStampKey"
public let AVErrorPIDKey = "AVErrorPIDKey"
public let AVErrorRecordingSuccessfullyFinishedKey = "AVErrorRecordingSuccessfullyFinishedKey"

/// An error with AVFoundation's code. Cast `as NSError`, it has AVFoundation's domain and code, and this library's
/// text. Its underlying error (`NSUnderlyingErrorKey`) is the library's own error, with the raw code.
public struct AVError: Error, CustomNSError, LocalizedError, Sendable, Hashable {
    public let code: Code
    /// The library's own error.
    let cause: MediaError?

    /// The user info that a program set.
    let said: Said

    /// - Parameter userInfo: the same dictionary as an `NSError` has.
    public init(_ code: Code, userInfo: [String: Any] = [:]) {
        self.code = code
        cause = nil
        said = Said(userInfo)
    }

    package init(_ error: MediaError) {
        code = Code(error)
        cause = error
        said = Said([:])
    }

    /// Creates an error with more values for `userInfo`.
    ///
    /// - Parameter code: the code, or nil for the usual code of the library's error.
    package init(_ error: MediaError, code: Code?, userInfo: [String: Any]) {
        self.code = code ?? Code(error)
        cause = error
        said = Said(userInfo)
    }

    /// Creates an error with a code other than the usual one for the library's error.
    package init(_ code: Code, _ error: MediaError) {
        self.code = code
        cause = error
        said = Said([:])
    }

    public static var errorDomain: String { AVFoundationErrorDomain }
    public var errorCode: Int { code.rawValue }

    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: localizedDescription]
        info.merge(said.words as? [String: Any] ?? [:]) { _, word in word }
        guard let error = cause else { return info }
        info[NSLocalizedFailureReasonErrorKey] = error.reason
        if !error.wayOut.isEmpty { info[NSLocalizedRecoverySuggestionErrorKey] = error.wayOut }
        info[NSUnderlyingErrorKey] = error
        return info
    }

    public var userInfo: [String: Any] { errorUserInfo }
    public var errorDescription: String? {
        cause?.description ?? word(NSLocalizedDescriptionKey) ?? "AVFoundation error \(code.rawValue)"
    }
    public var localizedDescription: String { errorDescription ?? "" }
    public var failureReason: String? { cause?.reason ?? word(NSLocalizedFailureReasonErrorKey) }
    public var recoverySuggestion: String? {
        cause.flatMap { $0.wayOut.isEmpty ? nil : $0.wayOut } ?? word(NSLocalizedRecoverySuggestionErrorKey)
    }
    private func word(_ key: String) -> String? { said.words[key] as? String }

    struct Said: @unchecked Sendable, Hashable {
        // Unchecked: the dictionary never changes.
        let words: NSDictionary
        init(_ words: [String: Any]) { self.words = words as NSDictionary }
    }
}

extension AVError: CustomStringConvertible, CustomDebugStringConvertible {
    /// One line for logs: the text, and the code with its name.
    public var description: String { "\(localizedDescription) (\(AVFoundationErrorDomain) \(code.rawValue), \(code))" }
    public var debugDescription: String { description }
}
