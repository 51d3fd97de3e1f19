import Foundation
import MediaTypes

/// Errors of Apple's audio classes: a Core Audio code, with the library's error as the underlying error.
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

    /// Runs a closure. If it throws, throws the error in the form that Apple's classes use.
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
        // The codes of Mac OS for file errors: `dskFulErr` (disk full) and `ioErr` (input or output).
        case .diskFull: -34
        case .ioFailure: -36
        default: kAudioFileUnspecifiedError
        }
    }
}
