import Foundation
import MediaTypes

/// Errors of Apple's audio classes: Core Audio's code, with the engine's error as the underlying one.
enum AudioError {
    static let domain = "com.apple.coreaudio.avfaudio"

    static func make(_ error: MediaError) -> NSError {
        var info: [String: Any] = [
            NSLocalizedDescriptionKey: error.description, NSLocalizedFailureReasonErrorKey: error.reason,
            NSUnderlyingErrorKey: error,
        ]
        if !error.wayOut.isEmpty { info[NSLocalizedRecoverySuggestionErrorKey] = error.wayOut }
        return NSError(domain: domain, code: Int(status(error)), userInfo: info)
    }

    /// Runs a closure, and throws its error in the form that Apple's classes throw.
    static func converting<Result>(_ body: () throws(MediaError) -> Result) throws -> Result {
        do throws(MediaError) { return try body() } catch { throw make(error) }
    }

    /// Returns Core Audio's code for an error.
    static func status(_ error: MediaError) -> OSStatus {
        switch error.code {
        case .invalidState: kAudioFileOperationNotSupportedError
        case .invalidSettings: kAudioFileUnsupportedDataFormatError
        case .invalidSample: kAudio_ParamError
        case .notFound: kAudioFileFileNotFoundError
        case .notPermitted, .outputExists: kAudioFilePermissionsError
        case .corruptData: kAudioFileInvalidFileError
        case .unsupported: kAudioFileUnsupportedFileTypeError
        // The classic codes of the file system: disk full, and input or output.
        case .diskFull: -34
        case .ioFailure: -36
        default: kAudioFileUnspecifiedError
        }
    }
}
