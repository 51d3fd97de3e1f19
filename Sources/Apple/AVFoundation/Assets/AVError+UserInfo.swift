import Foundation

/// Values of `userInfo` under AVFoundation's keys. This library's own errors contain text instead of these values.
extension AVError {
    public var mediaType: AVMediaType? { said(AVErrorMediaTypeKey).map { AVMediaType(rawValue: $0) } }
    public var mediaSubtypes: [Int]? { said(AVErrorMediaSubTypeKey) }
    public var fileType: AVFileType? { said(AVErrorFileTypeKey).map { AVFileType(rawValue: $0) } }
    public var persistentTrackID: CMPersistentTrackID? { (said(AVErrorPersistentTrackIDKey) as NSNumber?)?.int32Value }
    /// The size of the file in bytes; nil if the error does not contain it.
    public var fileSize: Int64? { (said(AVErrorFileSizeKey) as NSNumber?)?.int64Value }
    public var time: CMTime? { (said(AVErrorTimeKey) as NSValue?)?.timeValue }
    public var presentationTimeStamp: CMTime? { (said(AVErrorPresentationTimeStampKey) as NSValue?)?.timeValue }
    public var processID: Int? { (said(AVErrorPIDKey) as NSNumber?)?.intValue }
    /// True if the recording can be played although it ended with this error.
    public var recordingSuccessfullyFinished: Bool? {
        (said(AVErrorRecordingSuccessfullyFinishedKey) as NSNumber?)?.boolValue
    }

    private func said<Value>(_ key: String) -> Value? { said.words[key] as? Value }
}
