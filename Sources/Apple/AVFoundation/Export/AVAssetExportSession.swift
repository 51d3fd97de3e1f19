import AssetIO
import Dispatch
public import Foundation
import MediaTypes
import RealTime

/// Exports an asset to a movie file with a preset.
///
/// A session exports only once. Its properties may be set before the export, by one thread at a time. If one is set
/// during the export, the export fails for that reason. All other members may be called from any thread.
open class AVAssetExportSession: NSObject, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock.
    public enum Status: Int, Sendable {
        case unknown = 0
        case waiting = 1
        case exporting = 2
        case completed = 3
        case failed = 4
        case cancelled = 5
    }

    public let asset: AVAsset
    public let presetName: String
    let entry: ExportPresetTable.Entry
    private let state = Locked(AVExportState())
    /// The observers of `states`.
    let watchers = ExportWatchers()

    /// - Returns: nil for an unknown preset, and for a preset that the library does not support: alpha, ProRes 4444 and
    ///   spatial video.
    public init?(asset: AVAsset, presetName: String) {
        guard let entry = ExportPresetTable.entry(presetName) else { return nil }
        self.asset = asset
        self.presetName = presetName
        self.entry = entry
    }

    // MARK: Configuration

    open var outputURL: URL? {
        get { read(\.outputURL) }
        set { set("outputURL") { $0.outputURL = newValue } }
    }
    /// The file type. If nil, the extension of `outputURL` determines it.
    open var outputFileType: AVFileType? {
        get { read(\.outputFileType) }
        set { set("outputFileType") { $0.outputFileType = newValue } }
    }
    /// The exported time range. The default is from 0 to the end. If the range extends beyond the asset's end, it is
    /// shortened.
    open var timeRange: CMTimeRange {
        get { read(\.timeRange) }
        set { set("timeRange") { $0.timeRange = newValue } }
    }
    /// The metadata. If nil, the asset's metadata is used.
    open var metadata: [AVMetadataItem]? {
        get { read(\.metadata) }
        set {
            let copies = newValue?.compactMap { $0.copy() as? AVMetadataItem }
            set("metadata") { $0.metadata = copies }
        }
    }
    /// The filter for the asset's metadata, used if `metadata` is nil.
    open var metadataItemFilter: AVMetadataItemFilter? {
        get { read(\.metadataItemFilter) }
        set { set("metadataItemFilter") { $0.metadataItemFilter = newValue } }
    }
    /// The maximum size of the file in bytes; 0 means unlimited.
    open var fileLengthLimit: Int64 {
        get { read(\.fileLengthLimit) }
        set { set("fileLengthLimit") { $0.fileLengthLimit = newValue } }
    }
    /// True if the header is stored before the media.
    open var shouldOptimizeForNetworkUse: Bool {
        get { read(\.shouldOptimizeForNetworkUse) }
        set { set("shouldOptimizeForNetworkUse") { $0.shouldOptimizeForNetworkUse = newValue } }
    }
    /// The volumes with which the enabled audio tracks are mixed to one track. If nil, the audio tracks are not mixed.
    /// The passthrough preset ignores it.
    open var audioMix: AVAudioMix? {
        get { read(\.audioMix) }
        set {
            let copy = newValue?.copy() as? AVAudioMix
            set("audioMix") { $0.audioMix = copy }
        }
    }
    /// The value is stored, but has no effect, because this library always changes the pitch of audio with its speed.
    open var audioTimePitchAlgorithm: AVAudioTimePitchAlgorithm {
        get { read(\.audioTimePitchAlgorithm) }
        set { set("audioTimePitchAlgorithm") { $0.audioTimePitchAlgorithm = newValue } }
    }
    /// The composition of the video tracks. If nil, the first enabled track is shown. The passthrough preset ignores it.
    open var videoComposition: AVVideoComposition? {
        get { read(\.videoComposition) }
        set {
            let copy = newValue?.copy() as? AVVideoComposition
            set("videoComposition") { $0.videoComposition = copy }
        }
    }
    /// The directory for temporary files; nil means the directory of the output.
    open var directoryForTemporaryFiles: URL? {
        get { read(\.directoryForTemporaryFiles) }
        set { set("directoryForTemporaryFiles") { $0.directoryForTemporaryFiles = newValue } }
    }
    /// True to encode video in two passes if it has a bit rate.
    open var canPerformMultiplePassesOverSourceMediaData: Bool {
        get { read(\.canPerformMultiplePasses) }
        set { set("canPerformMultiplePassesOverSourceMediaData") { $0.canPerformMultiplePasses = newValue } }
    }
    /// The value is stored, but has no effect: exports always run in parallel.
    open var allowsParallelizedExport: Bool {
        get { read(\.allowsParallelizedExport) }
        set { set("allowsParallelizedExport") { $0.allowsParallelizedExport = newValue } }
    }

    // MARK: State

    open var status: Status { state.withLock { $0.status } }
    /// The error; nil unless `status` is `failed` or `cancelled`.
    open var error: (any Error)? { state.withLock { $0.error } }
    /// The finished part, 0 to 1.
    open var progress: Float {
        let (status, engine) = state.withLock { ($0.status, $0.engine) }
        return status == .completed ? 1 : Float(engine?.progress ?? 0)
    }

    // MARK: Exporting

    /// Starts the export and returns immediately.
    ///
    /// - Parameter handler: called exactly once, on a thread of the export, never from within this call. At that time,
    ///   `status` and `error` are final. A second export is refused without changing the session, but its handler is
    ///   called too.
    @preconcurrency
    open func exportAsynchronously(completionHandler handler: @escaping @Sendable () -> Void) {
        start { _ in handler() }
    }

    /// Exports the movie, and returns when the export has ended. `status` and `error` then contain the result.
    open func export() async {
        await withCheckedContinuation { continuation in start { _ in continuation.resume() } }
    }

    /// Exports the movie, and returns after it is finalized. Cancelling the task cancels the export.
    ///
    /// - Throws: `AVError` if the export fails. A failed export leaves no file, and does not change an existing file.
    open func export(
        to url: URL, as fileType: AVFileType, isolation: isolated (any Actor)? = #isolation
    ) async throws {
        let error: AVError? = await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<AVError?, Never>) in
                start(to: (url, fileType)) { continuation.resume(returning: $0) }
                if Task.isCancelled { cancelExport() }
            }
        } onCancel: {
            cancelExport()
        }
        if let error { throw error }
    }

    /// Cancels the export: its status becomes `cancelled`, and no file is left. Does nothing before the export has
    /// started and after it has ended. Never blocks.
    open func cancelExport() { state.withLock { $0.cancel() }?.cancelExport() }

    // MARK: Internals

    private func read<Value>(_ path: KeyPath<SessionSettings, Value>) -> Value {
        state.withLock { $0.settings[keyPath: path] }
    }

    private func set(_ name: String, _ change: (inout SessionSettings) -> Void) {
        let engine: ExportSession? = state.withLock { state in
            switch state.status {
            case .unknown:
                change(&state.settings)
                return nil
            case .waiting, .exporting:
                if state.fault == nil {
                    state.fault = MediaError(
                        .invalidState, "cannot set \(name)", reason: "exporting has started already",
                        wayOut: "set it before the export")
                }
                return state.cancel()
            case .completed, .failed, .cancelled: return nil
            }
        }
        engine?.cancelExport()
    }

    /// The current settings.
    var settings: SessionSettings { state.withLock { $0.settings } }

    /// - Parameters:
    ///   - target: the URL and the type that replace `outputURL` and `outputFileType`; nil to use these.
    ///   - handler: called exactly once, with nil or the error.
    private func start(to target: (URL, AVFileType)? = nil, _ handler: @escaping @Sendable (AVError?) -> Void) {
        let refusal: AVError? = state.withLock { state in
            guard state.status == .unknown else {
                return AVError(
                    .operationNotAllowed,
                    MediaError(
                        .invalidState, "cannot export", reason: "the session was already used",
                        wayOut: "create a new session")
                )
            }
            if let target { (state.settings.outputURL, state.settings.outputFileType) = target }
            state.status = .waiting
            return nil
        }
        if let refusal { return OffPool.queue.async { handler(refusal) } }
        watchers.record(.waiting)
        let (settings, source) = (settings, asset.engine)
        // The plan may have to wait for the asset's header, and the caller does not wait for that.
        OffPool.queue.async { [self] in
            do throws(MediaError) {
                let (engine, url, type) = try plan(settings, of: source)
                let isCancelled = state.withLock { state in
                    state.engine = engine
                    state.status = .exporting
                    return state.isCancelled
                }
                // Then `export` only reports the cancellation.
                if isCancelled { engine.cancelExport() }
                watchers.begin { engine.progress }
                engine.export(to: url, as: type) { [self] result in
                    handler(end(result))
                }
            } catch {
                handler(end(.failure(error)))
            }
        }
    }

    private func end(_ result: Result<Void, MediaError>) -> AVError? {
        let error: AVError? = state.withLock { state in
            guard case .failure(let failure) = result else {
                state.status = .completed
                return nil
            }
            let cause = failure.code == .cancelled ? state.fault ?? failure : failure
            let error = AVError(cause)
            state.status = cause.code == .cancelled ? .cancelled : .failed
            state.error = error
            return error
        }
        watchers.end(isCompleted: error == nil)
        return error
    }

    /// Returns the library's export session for the settings. Waits until the asset's header is read, but only if there
    /// is a video composition, or if the metadata must be filtered.
    private func plan(
        _ settings: SessionSettings, of source: Asset
    ) throws(MediaError) -> (ExportSession, URL, FileType) {
        let action = "cannot export"
        guard let url = settings.outputURL else {
            throw MediaError(.invalidSettings, action, reason: "outputURL is not set")
        }
        guard let wanted = settings.fileType else {
            throw MediaError(
                .invalidSettings, action, reason: "outputFileType is not set, and “.\(url.pathExtension)” is unknown",
                wayOut: "set outputFileType to one of supportedFileTypes")
        }
        let type = try wanted.engine()
        guard entry.fileTypes.isEmpty || entry.fileTypes.contains(wanted) else {
            throw MediaError(
                .invalidSettings, action, reason: "preset \(presetName) does not support file type \(wanted.rawValue)",
                wayOut: "use one of supportedFileTypes")
        }
        return (try engine(settings, for: type, of: source), url, type)
    }

    /// - Parameter source: the asset; nil for the present state of `asset`, which may be a composition.
    func engine(
        _ settings: SessionSettings, for type: FileType, of source: Asset? = nil
    ) throws(MediaError) -> ExportSession {
        let source = source ?? asset.engine
        let engine = try ExportSession(asset: source, preset: entry.preset)
        let isPassthrough = entry.preset == .passthrough
        let composition: VideoComposition?
        if !isPassthrough, let drawing = settings.videoComposition {
            composition = try drawing.engine(for: try source.loadNow(.tracks))
        } else {
            composition = nil
        }
        let mix = isPassthrough ? nil : try settings.audioMix?.engine
        let metadata = metadata(settings, for: type)
        try engine.configure { configuration in
            if settings.timeRange.start != .zero || settings.timeRange.duration != .positiveInfinity {
                configuration.timeRange = settings.timeRange.media
            }
            configuration.metadata = metadata
            configuration.fileLengthLimit = settings.fileLengthLimit
            configuration.shouldOptimizeForNetworkUse = settings.shouldOptimizeForNetworkUse
            configuration.audioMix = mix
            configuration.leavesOutDisabledAlternates = true
            configuration.videoComposition = composition
            configuration.directoryForTemporaryFiles = settings.directoryForTemporaryFiles
            configuration.performsMultiPassEncodingIfSupported = settings.canPerformMultiplePasses
        }
        return engine
    }

    private func metadata(_ settings: SessionSettings, for type: FileType) -> [MetadataItem]? {
        if let items = settings.metadata { return AVMetadataItem.engine(items, for: type) }
        guard let filter = settings.metadataItemFilter else { return nil }
        return AVMetadataItem.engine(asset.metadata.filter(filter.passes), for: type)
    }
}

/// The settings of an export.
struct SessionSettings: @unchecked Sendable {
    // Unchecked: the objects in the settings are copies that never change.
    var outputURL: URL?
    var outputFileType: AVFileType?
    var timeRange = CMTimeRange(start: .zero, duration: .positiveInfinity)
    var metadata: [AVMetadataItem]?
    var metadataItemFilter: AVMetadataItemFilter?
    var fileLengthLimit: Int64 = 0
    var shouldOptimizeForNetworkUse = false
    var audioMix: AVAudioMix?
    var audioTimePitchAlgorithm = AVAudioTimePitchAlgorithm.varispeed
    var videoComposition: AVVideoComposition?
    var directoryForTemporaryFiles: URL?
    var canPerformMultiplePasses = false
    var allowsParallelizedExport = true

    /// The file type that was set. If none was set, the type for the extension of `outputURL`, or nil.
    var fileType: AVFileType? {
        if let outputFileType { return outputFileType }
        return outputURL.flatMap { FileType(fileExtension: $0.pathExtension) }.flatMap { AVFileType($0) }
    }
}

private struct AVExportState {
    var settings = SessionSettings()
    var status = AVAssetExportSession.Status.unknown
    var error: AVError?
    /// The error of a property that was set too late.
    var fault: MediaError?
    /// The library's export session; nil while the export waits for the asset's header.
    var engine: ExportSession?
    /// True if the export is to be cancelled once it has a session.
    var isCancelled = false

    /// Cancels an export that has not ended.
    ///
    /// - Returns: the library's session to cancel; nil if there is none, or none yet.
    mutating func cancel() -> ExportSession? {
        guard status == .waiting || status == .exporting else { return nil }
        isCancelled = true
        return engine
    }
}
