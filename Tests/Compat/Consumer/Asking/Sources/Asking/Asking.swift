#if canImport(AVFoundation)
    import AVFoundation

    public let canAsk = true

    /// Returns half of a time.
    public func half(of seconds: Double) -> Double {
        CMTimeMultiplyByFloat64(CMTime(seconds: seconds, preferredTimescale: 600), multiplier: 0.5).seconds
    }
#else
    public let canAsk = false

    public func half(of seconds: Double) -> Double { seconds / 2 }
#endif
