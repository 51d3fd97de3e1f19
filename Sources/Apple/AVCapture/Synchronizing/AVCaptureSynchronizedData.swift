public import AVFoundation
public import Foundation
import MediaTypes

extension AVCaptureOutput {
    /// The reason why a sample was dropped.
    public enum DataDroppedReason: Int, Sendable {
        /// The sample was not dropped.
        case none = 0
        /// A newer frame came before the delegate was ready.
        case lateData = 1
        /// Too many samples waited for the delegate.
        case outOfBuffers = 2
        /// The device lost samples before this time, or the frame could not be decoded.
        case discontinuity = 3
    }
}

extension AVCaptureOutput.DataDroppedReason {
    init(_ reason: WaitingSamples.Reason?) {
        switch reason {
        case nil: self = .none
        case .late: self = .lateData
        case .full: self = .outOfBuffers
        case .lost: self = .discontinuity
        }
    }
}

/// The data of one output in a synchronized collection. Immutable.
open class AVCaptureSynchronizedData: NSObject, @unchecked Sendable {
    // Unchecked: immutable.
    /// The time at which the data was captured, on the host clock.
    public let timestamp: CMTime

    init(timestamp: CMTime) {
        self.timestamp = timestamp
        super.init()
    }
}

/// A frame or a block of audio in a synchronized collection, or the report that it was dropped. Immutable.
open class AVCaptureSynchronizedSampleBufferData: AVCaptureSynchronizedData, @unchecked Sendable {
    // Unchecked: immutable.
    /// The sample. If it was dropped, the buffer has only its format and time.
    public let sampleBuffer: CMSampleBuffer
    public let droppedReason: AVCaptureOutput.DataDroppedReason

    init(_ item: SynchronizedPath.Item) {
        sampleBuffer = item.buffer
        droppedReason = AVCaptureOutput.DataDroppedReason(item.reason)
        super.init(timestamp: CMTime(item.time))
    }

    open var sampleBufferWasDropped: Bool { droppedReason != .none }
}

/// The data that several outputs captured at the same time. Immutable.
open class AVCaptureSynchronizedDataCollection: NSObject, @unchecked Sendable {
    // Unchecked: immutable.
    private let list: [(output: AVCaptureOutput, data: AVCaptureSynchronizedData)]

    init(_ list: [(output: AVCaptureOutput, data: AVCaptureSynchronizedData)]) {
        self.list = list
        super.init()
    }

    /// The number of outputs that have data in the collection.
    open var count: Int { list.count }

    /// Returns the data of an output; nil if it captured nothing at this time.
    open func synchronizedData(for captureOutput: AVCaptureOutput) -> AVCaptureSynchronizedData? {
        list.first { $0.output === captureOutput }?.data
    }

    open subscript(key: AVCaptureOutput) -> AVCaptureSynchronizedData? { synchronizedData(for: key) }

    fileprivate var all: [AVCaptureSynchronizedData] { list.map(\.data) }
}

extension AVCaptureSynchronizedDataCollection: Sequence {
    /// Returns the data of all outputs, in the order of the synchronizer's outputs.
    public func makeIterator() -> IndexingIterator<[AVCaptureSynchronizedData]> { all.makeIterator() }
}
