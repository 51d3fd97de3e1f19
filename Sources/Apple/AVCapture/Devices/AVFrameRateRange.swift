public import AVFoundation
public import Foundation
import MediaTypes

/// A range of frame rates that a camera supports in one format. If both ends are equal, it is a single rate. Immutable.
open class AVFrameRateRange: NSObject, @unchecked Sendable {
    // Unchecked: immutable.
    let span: RateSpan

    init(_ span: RateSpan) {
        self.span = span
        super.init()
    }

    open var minFrameRate: Float64 { span.slowest.framesPerSecond }
    open var maxFrameRate: Float64 { span.fastest.framesPerSecond }
    /// The time from one frame to the next at the highest rate.
    open var minFrameDuration: CMTime { CMTime(span.fastest.interval) }
    /// The time from one frame to the next at the lowest rate.
    open var maxFrameDuration: CMTime { CMTime(span.slowest.interval) }

    open override var description: String {
        span.slowest == span.fastest ? "\(span.slowest) fps" : "\(span.slowest)–\(span.fastest) fps"
    }
}
