/// When a sample is shown, for how long, and when it is to be decoded.
public struct CMSampleTimingInfo: Sendable, Hashable {
    public var duration: CMTime
    public var presentationTimeStamp: CMTime
    /// Invalid where the samples come in the order of showing them.
    public var decodeTimeStamp: CMTime

    public init() { self.init(duration: .invalid, presentationTimeStamp: .invalid, decodeTimeStamp: .invalid) }
    public init(duration: CMTime, presentationTimeStamp: CMTime, decodeTimeStamp: CMTime) {
        self.duration = duration
        self.presentationTimeStamp = presentationTimeStamp
        self.decodeTimeStamp = decodeTimeStamp
    }

    public static let invalid = CMSampleTimingInfo()
}
