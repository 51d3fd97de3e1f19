import AssetIO
public import Foundation
import MediaTypes

/// The time ranges of samples to append in one of several passes.
public final class AVAssetWriterInputPassDescription: NSObject, Sendable {
    private let ranges: [TimeRange]
    init(_ description: PassDescription) { ranges = description.sourceTimeRanges }
    /// Values of `CMTimeRange`.
    public var sourceTimeRanges: [NSValue] { ranges.map { NSValue(timeRange: CMTimeRange($0)) } }
}

extension AVAssetWriterInput {
    public var performsMultiPassEncodingIfSupported: Bool {
        get { engine?.configuration.performsMultiPassEncodingIfSupported ?? false }
        set { configure { $0.performsMultiPassEncodingIfSupported = newValue } }
    }
    public var canPerformMultiplePasses: Bool { engine?.canPerformMultiplePasses ?? false }
    /// The current pass; nil if no more passes are needed.
    public var currentPassDescription: AVAssetWriterInputPassDescription? {
        engine?.currentPassDescription.map { AVAssetWriterInputPassDescription($0) }
    }
    /// Calls the block on the queue when a pass begins, and once when there is no further pass, or if a writer could not
    /// add the input.
    @preconcurrency
    public func respondToEachPassDescription(on queue: DispatchQueue, using block: @escaping @Sendable () -> Void) {
        do throws(MediaError) {
            try whenUsable { () throws(MediaError) in
                try engine?.respondToEachPassDescription(on: queue, using: block)
            } otherwise: {
                queue.async(execute: block)
            }
        } catch { writer?.fail(error) }
    }
    public func markCurrentPassAsFinished() {
        do throws(MediaError) { try engine?.markCurrentPassAsFinished() } catch { writer?.fail(error) }
    }
}
