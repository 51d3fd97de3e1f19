public import MediaTypes
import RealTime

/// Reads the samples of one asset, stored or decoded. Modeled on AVFoundation's `AVAssetReader`.
///
/// It is for work that may wait, and does not read in real time. All calls are safe from any thread.
public final class AssetReader: Sendable {
    /// The settings that can be changed until reading starts.
    public struct Configuration: Sendable, Hashable {
        /// The time range to read. A frame belongs to the range if its timestamp does. Audio is cut exactly, to the
        /// audio frame. If the range begins inside a frame, decoded frames begin with that frame, with the start of the
        /// range as its timestamp.
        public var timeRange = TimeRange(start: .zero, end: .positiveInfinity)
        /// True to continue after damage: video from the next keyframe, audio from the next packet. Missing samples
        /// leave a gap in the times and are listed in `damagedTimeRanges`. If false, damage fails the reader, and the
        /// error states the position.
        ///
        /// After the first damaged frame, a track is decoded one frame at a time. This is slower on a machine with
        /// several processors.
        public var skipsDamagedMedia = false
    }

    private struct State {
        var configuration = Configuration()
        var outputs: [any AssetReaderOutput] = []
    }

    public let asset: Asset
    private let core = ReaderCore()
    private let state = Locked(State())

    /// Creates a reader.
    ///
    /// - Throws: `unsupported` for an asset that is not a file, and for a live source; `notFound`; `notPermitted`;
    ///   `corruptData` for an empty file.
    public init(asset: Asset) throws(MediaError) {
        try asset.requireFile()
        self.asset = asset
    }

    public var status: AssetReaderStatus { core.status }
    /// The error of the reader; set exactly if `status` is `failed`.
    public var error: MediaError? { core.reading.error }
    public var outputs: [any AssetReaderOutput] { state.withLock { $0.outputs } }
    public var timeRange: TimeRange { state.withLock { $0.configuration.timeRange } }
    public var skipsDamagedMedia: Bool { state.withLock { $0.configuration.skipsDamagedMedia } }
    /// The damaged time ranges that the outputs have left out until now, if `skipsDamagedMedia` is set. The list is
    /// complete once the outputs have ended.
    public var damagedTimeRanges: [DamagedTimeRange] {
        let log = DamageLog()
        for damage in outputs.flatMap(\.damagedTimeRanges) { log.add(damage) }
        return log.ranges
    }

    /// Changes the configuration.
    ///
    /// - Throws: `invalidState` once reading has started, `invalidSettings` for a time range that is empty.
    public func configure(_ change: (inout Configuration) -> Void) throws(MediaError) {
        try core.requireUnstarted("cannot configure the reader")
        let isGood = state.withLock { state in
            var configuration = state.configuration
            change(&configuration)
            guard !configuration.timeRange.isEmpty, configuration.timeRange.start.isNumeric else { return false }
            state.configuration = configuration
            return true
        }
        if !isGood {
            throw MediaError(.invalidSettings, "cannot configure the reader", reason: "timeRange is empty")
        }
    }

    /// Returns true if `add` would accept the output. The output must not have a reader, its track must belong to this
    /// asset, and reading must not have started.
    public func canAdd(_ output: any AssetReaderOutput) -> Bool { fault(output) == nil }

    /// Adds an output.
    ///
    /// - Throws: `invalidState` once reading has started and for an output that has a reader; `invalidSettings` for a
    ///   track of a different asset; `unsupported` for a format unknown to this build.
    public func add(_ output: any AssetReaderOutput) throws(MediaError) {
        if let fault = fault(output) { throw fault }
        guard output.core.bind(core) else { throw Self.taken }
        state.withLock { $0.outputs.append(output) }
    }

    /// Opens the file once for every output. Blocks while headers are read.
    ///
    /// - Throws: `invalidState` without outputs and for a second call; the errors of opening the file or a decoder,
    ///   after which the reader has failed.
    public func startReading() throws(MediaError) {
        let (outputs, configuration) = state.withLock { ($0.outputs, $0.configuration) }
        try core.start(outputs: outputs.map { ObjectIdentifier($0.core) })
        do throws(MediaError) {
            for output in outputs {
                try output.core.open(
                    asset, timeRange: configuration.timeRange, skipsDamage: configuration.skipsDamagedMedia)
            }
        } catch {
            core.fail(error)
            throw error
        }
    }

    /// Ends reading; outputs return nil from now on. A read in progress on another thread completes first. Does nothing
    /// after the end.
    public func cancelReading() { cancel(waits: true) }

    /// Ends reading like `cancelReading`.
    ///
    /// - Parameter waits: true to wait for a read in progress on another thread; false to return at once.
    func cancel(waits: Bool) {
        core.cancel()
        if core.status == .cancelled { for output in outputs { output.core.close(waits: waits) } }
    }

    private static var taken: MediaError {
        MediaError(.invalidState, "cannot add an output", reason: "it belongs to a reader already")
    }

    private func fault(_ output: any AssetReaderOutput) -> MediaError? {
        do throws(MediaError) {
            try core.requireUnstarted("cannot add an output")
        } catch { return error }
        if output.core.isAdded { return Self.taken }
        for track in output.core.tracks {
            guard track.assetID == asset.id else {
                return MediaError(
                    .invalidSettings, "cannot add an output", reason: "track \(track.id) belongs to another asset")
            }
            guard track.formatDescription != nil else {
                return MediaError(
                    .unsupported, "cannot add an output",
                    reason: "the format of track \(track.id), \(track.codecName), is not supported by this build")
            }
        }
        return nil
    }
}
