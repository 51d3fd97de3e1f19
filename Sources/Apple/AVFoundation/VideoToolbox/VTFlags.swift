/// Information about an encoded frame.
public struct VTEncodeInfoFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let asynchronous = VTEncodeInfoFlags(rawValue: 1)
    public static let frameDropped = VTEncodeInfoFlags(rawValue: 2)
}

/// Information about a decoded frame.
public struct VTDecodeInfoFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let asynchronous = VTDecodeInfoFlags(rawValue: 1)
    public static let frameDropped = VTDecodeInfoFlags(rawValue: 2)
    public static let imageBufferModifiable = VTDecodeInfoFlags(rawValue: 4)
}

/// Options for decoding a frame.
public struct VTDecodeFrameFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Allows the callback to run on another thread, after the call has returned.
    public static let _EnableAsynchronousDecompression = VTDecodeFrameFlags(rawValue: 1)
    /// Decodes a frame only because other frames need it. Its callback gets no image.
    public static let _DoNotOutputFrame = VTDecodeFrameFlags(rawValue: 2)
    /// Has no effect.
    public static let _1xRealTimePlayback = VTDecodeFrameFlags(rawValue: 4)
    /// Has no effect: frames are always returned in presentation order.
    public static let _EnableTemporalProcessing = VTDecodeFrameFlags(rawValue: 8)
}

/// The kind of a pass, if frames are encoded in several passes.
public struct VTCompressionSessionOptionFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let beginFinalPass = VTCompressionSessionOptionFlags(rawValue: 1)
}
