import AssetIO
public import Foundation
import MediaTypes
import RealTime

/// Reads the samples of an asset, stored or decoded. Safe to use from any thread.
open class AVAssetReader: NSObject, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    public enum Status: Int, Sendable {
        case unknown = 0
        case reading = 1
        case completed = 2
        case failed = 3
        case cancelled = 4
    }

    private struct State {
        var timeRange = CMTimeRange(start: .zero, duration: .positiveInfinity)
        var outputs: [AVAssetReaderOutput] = []
        /// The error of an invalid call that was not passed to the library's reader.
        var fault: MediaError?
    }

    public let asset: AVAsset
    private let engine: AssetReader
    private let state = Locked(State())

    /// - Throws: an error for an asset that is not in a file.
    public init(asset: AVAsset) throws {
        self.asset = asset
        do {
            engine = try AssetReader(asset: asset.engine)
        } catch {
            throw AVError(error)
        }
        super.init()
    }

    open var status: Status {
        if state.withLock({ $0.fault }) != nil { return .failed }
        switch engine.status {
        case .unknown: return .unknown
        case .reading: return .reading
        case .completed: return .completed
        case .failed: return .failed
        case .cancelled: return .cancelled
        }
    }

    /// The error; nil unless `status` is `failed`.
    open var error: (any Error)? {
        (state.withLock { $0.fault } ?? engine.error).map { AVError($0) }
    }

    /// The time range whose samples are read. Changing it after reading has started makes the reader fail.
    open var timeRange: CMTimeRange {
        get { state.withLock { $0.timeRange } }
        set {
            guard engine.status == .unknown else {
                return fail(Self.late("timeRange"))
            }
            state.withLock { $0.timeRange = newValue }
        }
    }

    open var outputs: [AVAssetReaderOutput] { state.withLock { $0.outputs } }

    open func canAdd(_ output: AVAssetReaderOutput) -> Bool {
        engine.status == .unknown && output.fault == nil && output.reader == nil
            && output.sourceTracks.allSatisfy { $0.engine?.formatDescription != nil && $0.asset === asset }
    }

    /// Adds an output. If the output cannot be added, the reader fails with an error that says why.
    open func add(_ output: AVAssetReaderOutput) {
        if let fault = output.fault { return fail(fault) }
        guard canAdd(output), output.bind(to: self) else {
            return fail(
                MediaError(
                    .invalidState, "cannot add an output",
                    reason: "it already belongs to a reader, its track is of another asset, or reading has started",
                    wayOut: "check canAdd first"))
        }
        state.withLock { $0.outputs.append(output) }
    }

    /// Opens the file and starts reading. Blocks while the file's header is read.
    @discardableResult
    open func startReading() -> Bool {
        guard state.withLock({ $0.fault }) == nil else { return false }
        let (outputs, range) = state.withLock { ($0.outputs, $0.timeRange) }
        guard engine.status == .unknown else {
            fail(MediaError(.invalidState, "cannot start reading", reason: "it was already started"))
            return false
        }
        do throws(MediaError) {
            let start = range.start.isNumeric ? range.start.media : .zero
            let end = range.end.isNumeric ? range.end.media : .positiveInfinity
            try engine.configure { configuration in
                configuration.timeRange =
                    end.isNumeric
                    ? TimeRange(start: start, end: end) : TimeRange(start: start, duration: .positiveInfinity)
            }
            for output in outputs { try engine.add(output.open()) }
            try engine.startReading()
            return true
        } catch {
            fail(error)
            return false
        }
    }

    open func cancelReading() { engine.cancelReading() }

    func fail(_ error: MediaError) {
        state.withLock { $0.fault = $0.fault ?? error }
        engine.cancelReading()
    }

    static func late(_ name: String) -> MediaError {
        MediaError(.invalidState, "cannot change \(name)", reason: "reading has started already")
    }
}
