import Foundation

/// Attachments of each sample, and of the entire buffer.
extension CMSampleBuffer {
    /// The attachments of one sample. Setting a value changes the sample.
    public struct PerSampleAttachmentsDictionary: Sequence {
        let dictionary: NSMutableDictionary

        public struct Key: RawRepresentable, Hashable, Sendable {
            public let rawValue: CFString
            public init(rawValue: CFString) { self.rawValue = rawValue }
            public static let notSync = Key(rawValue: kCMSampleAttachmentKey_NotSync)
            public static let partialSync = Key(rawValue: kCMSampleAttachmentKey_PartialSync)
            public static let hasRedundantCoding = Key(rawValue: kCMSampleAttachmentKey_HasRedundantCoding)
            public static let isDependedOnByOthers = Key(rawValue: kCMSampleAttachmentKey_IsDependedOnByOthers)
            public static let dependsOnOthers = Key(rawValue: kCMSampleAttachmentKey_DependsOnOthers)
            public static let earlierDisplayTimesAllowed = Key(
                rawValue: kCMSampleAttachmentKey_EarlierDisplayTimesAllowed)
            public static let displayImmediately = Key(rawValue: kCMSampleAttachmentKey_DisplayImmediately)
            public static let doNotDisplay = Key(rawValue: kCMSampleAttachmentKey_DoNotDisplay)
            public static let hevcSyncSampleNALUnitType = Key(
                rawValue: kCMSampleAttachmentKey_HEVCSyncSampleNALUnitType)
            public static let audioIndependentSampleDecoderRefreshCount = Key(
                rawValue: kCMSampleAttachmentKey_AudioIndependentSampleDecoderRefreshCount)
        }

        public subscript(key: Key) -> Any? {
            get { dictionary.object(forKey: key.rawValue as NSString) }
            nonmutating set {
                guard let newValue else { return dictionary.removeObject(forKey: key.rawValue as NSString) }
                dictionary.setObject(newValue, forKey: key.rawValue as NSString)
            }
        }

        public func makeIterator() -> AnyIterator<(key: Key, value: Any)> {
            var keys = dictionary.allKeys.compactMap { $0 as? String }.makeIterator()
            return AnyIterator {
                keys.next().flatMap { key in
                    dictionary.object(forKey: key as NSString).map { (Key(rawValue: key), $0) }
                }
            }
        }
    }

    /// One dictionary for each sample.
    public struct SampleAttachmentsArray: RandomAccessCollection {
        let all: [NSMutableDictionary]
        public var startIndex: Int { 0 }
        public var endIndex: Int { all.count }
        public subscript(index: Int) -> PerSampleAttachmentsDictionary {
            get { PerSampleAttachmentsDictionary(dictionary: all[index]) }
            nonmutating set {
                guard newValue.dictionary !== all[index] else { return }
                all[index].removeAllObjects()
                for (key, value) in newValue { all[index].setObject(value, forKey: key.rawValue as NSString) }
            }
        }
    }

    public var sampleAttachments: SampleAttachmentsArray {
        get { SampleAttachmentsArray(all: sampleAttachments(creates: true) ?? []) }
        set { if newValue.all.count == sampleAttachments.count { setSampleAttachments(newValue.all) } }
    }

    /// Keys of a buffer's attachments.
    public struct AttachmentKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: CFString
        public init(rawValue: CFString) { self.rawValue = rawValue }
        public static let resetDecoderBeforeDecoding = AttachmentKey(
            rawValue: kCMSampleBufferAttachmentKey_ResetDecoderBeforeDecoding)
        public static let drainAfterDecoding = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_DrainAfterDecoding)
        public static let trimDurationAtStart = AttachmentKey(
            rawValue: kCMSampleBufferAttachmentKey_TrimDurationAtStart)
        public static let trimDurationAtEnd = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_TrimDurationAtEnd)
        public static let speedMultiplier = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_SpeedMultiplier)
        public static let reverse = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_Reverse)
        public static let emptyMedia = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_EmptyMedia)
        public static let gradualDecoderRefresh = AttachmentKey(
            rawValue: kCMSampleBufferAttachmentKey_GradualDecoderRefresh)
        public static let droppedFrameReason = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_DroppedFrameReason)
        public static let forceKeyFrame = AttachmentKey(rawValue: kCMSampleBufferAttachmentKey_ForceKeyFrame)
    }
}

/// An object with attachments: a sample buffer or an image buffer.
public protocol CMAttachmentBearerProtocol: AnyObject {
    var attachments: CMAttachmentBearerAttachments { get set }
}

extension CMSampleBuffer: CMAttachmentBearerProtocol {}
extension CVPixelBuffer: CMAttachmentBearerProtocol {}

extension CMAttachmentBearerProtocol {
    public var attachments: CMAttachmentBearerAttachments {
        get { CMAttachmentBearerAttachments(bearer: self) }
        set {}  // the changes were already applied
    }
    public func propagateAttachments(to destination: some CMAttachmentBearerProtocol) {
        CMPropagateAttachments(self, destination: destination)
    }
}

/// The attachments of an object. Setting a value changes the object.
public struct CMAttachmentBearerAttachments {
    let bearer: AnyObject

    public enum Mode: CMAttachmentMode, Sendable {
        case shouldNotPropagate = 0
        case shouldPropagate = 1
    }

    public enum Value {
        case shouldNotPropagate(Any)
        case shouldPropagate(Any)

        public var value: Any {
            switch self {
            case .shouldNotPropagate(let value), .shouldPropagate(let value): value
            }
        }
        public var mode: Mode {
            if case .shouldPropagate = self { .shouldPropagate } else { .shouldNotPropagate }
        }
    }

    public subscript(key: String) -> Value? {
        get {
            var mode = kCMAttachmentMode_ShouldNotPropagate
            guard let value = CMGetAttachment(bearer, key: key, attachmentModeOut: &mode) else { return nil }
            return mode == kCMAttachmentMode_ShouldPropagate ? .shouldPropagate(value) : .shouldNotPropagate(value)
        }
        nonmutating set {
            CMSetAttachment(
                bearer, key: key, value: newValue.map { $0.value as AnyObject },
                attachmentMode: newValue?.mode.rawValue ?? kCMAttachmentMode_ShouldNotPropagate)
        }
    }
    public subscript(key: CMSampleBuffer.AttachmentKey) -> Value? {
        get { self[key.rawValue] }
        nonmutating set { self[key.rawValue] = newValue }
    }

    public var propagated: [String: Any] { all(.shouldPropagate) }
    public var nonPropagated: [String: Any] { all(.shouldNotPropagate) }
    private func all(_ mode: Mode) -> [String: Any] {
        CMCopyDictionaryOfAttachments(allocator: nil, target: bearer, attachmentMode: mode.rawValue) as? [String: Any]
            ?? [:]
    }

    public func removeAll() { CMRemoveAllAttachments(bearer) }
    public func merge(_ attachments: [String: Any], mode: Mode) {
        CMSetAttachments(bearer, attachments: attachments as NSDictionary, attachmentMode: mode.rawValue)
    }
}
