public import MediaTypes
import RealTime

/// Reads the samples of one asset, stored or decoded. The model is AVFoundation's `AVAssetReader`.
///
/// For work that may wait; it does not read in real time. All calls are safe from any thread.
public final class AssetReader: Sendable {
    /// What can be chosen until reading starts.
    public struct Configuration: Sendable, Hashable {
        /// Samples outside are not given. A frame belongs to the range by its time; audio is cut to the sample. Where the range
        /// begins inside a frame, that frame comes first when it is decoded, with the start of the range as its time.
        public var timeRange = TimeRange(start: .zero, end: .positiveInfinity)
        /// Goes on after damage: pictures from the next key frame, sound from the next packet. What is missing leaves a gap
        /// in the times, and is told by `damagedTimeRanges`. false: damage fails the reader, with its place.
        ///
        /// After the first damaged picture a track is decoded picture by picture, which is slower on several processors.
        public var skipsDamagedMedia = false
    }

    private struct State {
        var configuration = Configuration()
        var outputs: [any AssetReaderOutput] = []
    }

    public let asset: Asset
    private let core = ReaderCore()
    private let state = Locked(State())

    /// - Throws: `unsupported` for an asset that is no file, and for a live source; `notFound`, `notPermitted`,
    ///   `corruptData` for an empty file.
    public init(asset: Asset) throws(MediaError) {
        try asset.requireFile()
        self.asset = asset
    }

    public var status: AssetReaderStatus { core.status }
    /// Why the reader failed; set exactly when `status` is `failed`.
    public var error: MediaError? { core.reading.error }
    public var outputs: [any AssetReaderOutput] { state.withLock { $0.outputs } }
    public var timeRange: TimeRange { state.withLock { $0.configuration.timeRange } }
    public var skipsDamagedMedia: Bool { state.withLock { $0.configuration.skipsDamagedMedia } }
    /// What was left out up to now by all outputs, with `skipsDamagedMedia`; complete once the outputs have ended.
    public var damagedTimeRanges: [DamagedTimeRange] {
        let log = DamageLog()
        for damage in outputs.flatMap(\.damagedTimeRanges) { log.add(damage) }
        return log.ranges
    }

    /// Changes what can be chosen.
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

    /// Whether `add` would take the output: it has no reader, its track is of this asset, and reading has not started.
    public func canAdd(_ output: any AssetReaderOutput) -> Bool { fault(output) == nil }

    /// - Throws: `invalidState` once reading has started and for an output that has a reader, `invalidSettings` for a track
    ///   of another asset.
    public func add(_ output: any AssetReaderOutput) throws(MediaError) {
        if let fault = fault(output) { throw fault }
        guard output.core.bind(core) else { throw Self.taken }
        state.withLock { $0.outputs.append(output) }
    }

    /// Opens the file once for every output. Blocks while headers are read.
    ///
    /// - Throws: `invalidState` without outputs and a second time; what opening the file or a decoder throws, and then the
    ///   reader has failed.
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

    /// Ends reading; outputs give nil from now on. A read that is on its way in another thread ends first. Does nothing
    /// after the end.
    public func cancelReading() {
        core.cancel()
        if core.status == .cancelled { for output in outputs { output.core.close() } }
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
                    .invalidSettings, "cannot add an output", reason: "track \(track.id) is of another asset")
            }
            guard track.formatDescription != nil else {
                return MediaError(
                    .unsupported, "cannot add an output",
                    reason: "the format of track \(track.id), \(track.codecName), is unknown to this build")
            }
        }
        return nil
    }
}
