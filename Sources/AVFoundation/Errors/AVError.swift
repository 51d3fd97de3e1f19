public import Foundation
import MediaTypes

public let AVFoundationErrorDomain = "AVFoundationErrorDomain"
public let AVErrorMediaTypeKey = "AVErrorMediaTypeKey"
public let AVErrorTimeKey = "AVErrorTimeKey"
public let AVErrorFileSizeKey = "AVErrorFileSizeKey"
public let AVErrorFileTypeKey = "AVErrorFileTypeKey"
public let AVErrorPersistentTrackIDKey = "AVErrorPersistentTrackIDKey"

/// What went wrong, by AVFoundation's codes. `as NSError` it has AVFoundation's domain and code, our words, and beneath it
/// the engine's own error with its raw code (`NSUnderlyingErrorKey`).
public struct AVError: Error, CustomNSError, LocalizedError, Sendable, Hashable {
    public let code: Code
    /// What the engine said.
    let cause: MediaError?

    public init(_ code: Code) {
        self.code = code
        cause = nil
    }

    init(_ error: MediaError) {
        code = Code(error)
        cause = error
    }

    /// For what has no better code.
    init(_ code: Code, _ error: MediaError) {
        self.code = code
        cause = error
    }

    public static var errorDomain: String { AVFoundationErrorDomain }
    public var errorCode: Int { code.rawValue }

    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: localizedDescription]
        guard let error = cause else { return info }
        info[NSLocalizedFailureReasonErrorKey] = error.reason
        if !error.wayOut.isEmpty { info[NSLocalizedRecoverySuggestionErrorKey] = error.wayOut }
        info[NSUnderlyingErrorKey] = error
        return info
    }

    public var userInfo: [String: Any] { errorUserInfo }
    public var errorDescription: String? { cause?.description ?? "AVFoundation error \(code.rawValue)" }
    public var localizedDescription: String { errorDescription ?? "" }
    public var failureReason: String? { cause?.reason }
    public var recoverySuggestion: String? { cause.flatMap { $0.wayOut.isEmpty ? nil : $0.wayOut } }

}

extension AVError {
    /// The values are AVFoundation's.
    public enum Code: Int, Sendable {
        case unknown = -11800
        case outOfMemory = -11801
        case sessionNotRunning = -11803
        case deviceAlreadyUsedByAnotherSession = -11804
        case noDataCaptured = -11805
        case sessionConfigurationChanged = -11806
        case diskFull = -11807
        case deviceWasDisconnected = -11808
        case mediaChanged = -11809
        case maximumDurationReached = -11810
        case maximumFileSizeReached = -11811
        case mediaDiscontinuity = -11812
        case maximumNumberOfSamplesForFileFormatReached = -11813
        case deviceNotConnected = -11814
        case deviceInUseByAnotherApplication = -11815
        case deviceLockedForConfigurationByAnotherProcess = -11817
        case exportFailed = -11820
        case decodeFailed = -11821
        case invalidSourceMedia = -11822
        case fileAlreadyExists = -11823
        case compositionTrackSegmentsNotContiguous = -11824
        case invalidCompositionTrackSegmentDuration = -11825
        case invalidCompositionTrackSegmentSourceStartTime = -11826
        case invalidCompositionTrackSegmentSourceDuration = -11827
        case fileFormatNotRecognized = -11828
        case fileFailedToParse = -11829
        case contentIsProtected = -11831
        case noImageAtTime = -11832
        case decoderNotFound = -11833
        case encoderNotFound = -11834
        case contentIsNotAuthorized = -11835
        case applicationIsNotAuthorized = -11836
        case operationNotSupportedForAsset = -11838
        case decoderTemporarilyUnavailable = -11839
        case encoderTemporarilyUnavailable = -11840
        case invalidVideoComposition = -11841
        case referenceForbiddenByReferencePolicy = -11842
        case invalidOutputURLPathExtension = -11843
        case operationInterrupted = -11847
        case incompatibleAsset = -11848
        case failedToLoadMediaData = -11849
        case serverIncorrectlyConfigured = -11850
        case failedToParse = -11853
        case fileTypeDoesNotSupportSampleReferences = -11854
        case undecodableMediaData = -11855
        case invalidCompositorFailed = -11858
        case createContentKeyRequestFailed = -11860
        case unsupportedOutputSettings = -11861
        case operationNotAllowed = -11862
        case contentIsUnavailable = -11863
        case formatUnsupported = -11864
        case malformedDepth = -11865
        case contentNotUpdated = -11866
        case noLongerPlayable = -11867
        case noCompatibleAlternatesForExternalDisplay = -11868
        case noSourceTrack = -11869
        case externalPlaybackNotSupportedForAsset = -11870
        case operationNotSupportedForPreset = -11871
        case unsupportedDeviceActiveFormat = -11873
        case incorrectlyConfigured = -11875
        case segmentStartedWithNonSyncSample = -11876
        case operationCancelled = -11878

        init(_ error: MediaError) {
            switch error.code {
            case .invalidState: self = .operationNotAllowed
            case .invalidSettings: self = .unsupportedOutputSettings
            case .invalidSample: self = .formatUnsupported
            case .notFound: self = .contentIsUnavailable
            case .busy: self = .operationInterrupted
            case .notPermitted: self = .applicationIsNotAuthorized
            case .deviceUnsuitable: self = .unsupportedDeviceActiveFormat
            case .deviceLost: self = .deviceWasDisconnected
            case .outputExists: self = .fileAlreadyExists
            case .cannotCreate, .ioFailure: self = .unknown
            case .diskFull: self = .diskFull
            case .corruptData: self = .fileFailedToParse
            case .unsupported: self = .fileFormatNotRecognized
            case .codecFailure: self = .decodeFailed
            case .cancelled: self = .operationCancelled
            }
        }
    }

    public static let unknown = Code.unknown
    public static let diskFull = Code.diskFull
    public static let exportFailed = Code.exportFailed
    public static let decodeFailed = Code.decodeFailed
    public static let fileAlreadyExists = Code.fileAlreadyExists
    public static let fileFormatNotRecognized = Code.fileFormatNotRecognized
    public static let fileFailedToParse = Code.fileFailedToParse
    public static let noImageAtTime = Code.noImageAtTime
    public static let encoderNotFound = Code.encoderNotFound
    public static let decoderNotFound = Code.decoderNotFound
    public static let operationNotAllowed = Code.operationNotAllowed
    public static let operationCancelled = Code.operationCancelled
    public static let invalidSourceMedia = Code.invalidSourceMedia
    public static let unsupportedOutputSettings = Code.unsupportedOutputSettings
    public static let noSourceTrack = Code.noSourceTrack
    public static let operationNotSupportedForAsset = Code.operationNotSupportedForAsset
    public static let contentIsUnavailable = Code.contentIsUnavailable
}
