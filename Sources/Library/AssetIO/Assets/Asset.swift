import Demuxing
import Dispatch
public import Foundation
public import MediaTypes
import RealTime

/// A movie or audio file, or a composition, whose properties are loaded on demand. Modeled on AVFoundation's `AVAsset`.
///
/// Creating an asset accesses no file. Any thread may call.
public final class Asset: Sendable {
    /// The source of the asset.
    enum Origin: Sendable {
        case file(URL)
        case composition(Composition)

        /// The name for messages.
        var name: String {
            switch self {
            case .file(let url): url.path
            case .composition: "the composition"
            }
        }
    }

    let origin: Origin
    /// True to measure durations if the file has no index. Measuring requires reading the entire file.
    public let prefersPreciseDurationAndTiming: Bool
    /// True to measure durations only if the file states none, such as a live recording of a browser.
    private let measuresUnknownDuration: Bool
    let id = UUID()

    private enum Progress {
        case loading, loaded
        case failed(MediaError)
        case cancelled
    }

    private struct State {
        var progress: [String: Progress] = [:]
        /// The facts from the header, and the facts from measuring.
        var header: AssetProperties?
        var measured: AssetProperties?
        /// A number that increases with every `cancelLoading`: loads that began with a lower number are cancelled.
        var generation = 0
    }

    private let state = Locked(State())
    let queue = DispatchQueue(label: "recorder.asset")

    public init(url: URL, prefersPreciseDurationAndTiming: Bool = false) {
        origin = .file(url)
        self.prefersPreciseDurationAndTiming = prefersPreciseDurationAndTiming
        measuresUnknownDuration = false
    }

    /// Creates an asset that measures durations if the file states none. Measuring requires reading the entire file;
    /// damaged parts are skipped.
    package init(measuringUnknownDurationOf url: URL) {
        origin = .file(url)
        prefersPreciseDurationAndTiming = false
        measuresUnknownDuration = true
    }

    /// Creates an asset of the composition's present state. Editing the composition later does not change the asset.
    public init(_ composition: Composition) {
        origin = .composition(composition)
        prefersPreciseDurationAndTiming = true
        measuresUnknownDuration = false
    }

    /// The file's URL; nil for a composition.
    public var url: URL? {
        if case .file(let url) = origin { url } else { nil }
    }

    /// Loads a property, or returns it immediately if it is loaded. A load that failed or was cancelled is tried again.
    ///
    /// - Throws: `unsupported` for a URL that is not a file and for a live source; `notFound`; `notPermitted`;
    ///   `corruptData` for a file that is damaged or not a movie; `cancelled` after `cancelLoading` or if the task is
    ///   cancelled.
    public func load<Value>(_ property: AssetProperty<Value>) async throws(MediaError) -> Value {
        let generation = begin(property.key)
        let result = await queue.cancellableResult { isCancelled in
            self.facts(property.key, isMeasured: property.isMeasured) { isCancelled() || self.isCancelled(generation) }
        }
        return property.read(try result.get())
    }

    public func load<First, Second>(
        _ first: AssetProperty<First>, _ second: AssetProperty<Second>
    ) async throws(MediaError) -> (First, Second) {
        (try await load(first), try await load(second))
    }

    public func load<First, Second, Third>(
        _ first: AssetProperty<First>, _ second: AssetProperty<Second>, _ third: AssetProperty<Third>
    ) async throws(MediaError) -> (First, Second, Third) {
        (try await load(first), try await load(second), try await load(third))
    }

    /// Returns the loading status of a property. Never waits.
    public func status<Value>(of property: AssetProperty<Value>) -> AssetPropertyStatus<Value> {
        let (progress, facts) = state.withLock { state in
            (state.progress[property.key], needsMeasuring(property.isMeasured) ? state.measured : state.header)
        }
        switch progress {
        case nil: return .unknown
        case .loading: return .loading
        case .loaded: return facts.map { .loaded(property.read($0)) } ?? .unknown
        case .failed(let error): return .failed(error)
        case .cancelled: return .cancelled
        }
    }

    /// Cancels current loads. Loaded properties stay.
    public func cancelLoading() { state.withLock { $0.generation += 1 } }

    public func tracks(withMediaType type: MediaType) async throws(MediaError) -> [AssetTrack] {
        try await load(.tracks).filter { $0.mediaType == type }
    }

    public func tracks(
        withMediaCharacteristic characteristic: MediaCharacteristic
    ) async throws(MediaError) -> [AssetTrack] {
        try await load(.tracks).filter { $0.hasMediaCharacteristic(characteristic) }
    }

    /// Checks that the asset is a regular file that is not empty. Does not read the file, and does not wait for the
    /// writer of a FIFO. For a composition, checks all its assets.
    ///
    /// - Throws: the reason why this check fails.
    func requireFile() throws(MediaError) {
        switch origin {
        case .composition(let composition): for asset in composition.assets { try asset.requireFile() }
        case .file(let url):
            guard url.isFileURL else {
                throw MediaError(
                    .unsupported, "cannot read \(url)", reason: "it is not a file but a “\(url.scheme ?? "")” URL",
                    wayOut: "download or record it first")
            }
            try MovieDemuxer.requireFile(url.path)
        }
    }

    private func read(isMeasured: Bool, _ isCancelled: () -> Bool) throws(MediaError) -> AssetProperties {
        switch origin {
        case .file(let url):
            try requireFile()
            return try AssetProperties(
                path: url.path, assetID: id,
                measuring: !isMeasured ? .never : measuresUnknownDuration ? .ifUnknown : .always,
                isCancelled: isCancelled)
        case .composition(let composition): return AssetProperties(composition, assetID: id)
        }
    }

    /// Begins a load and returns its generation.
    func begin(_ key: String) -> Int {
        state.withLock { state in
            if case .loaded = state.progress[key] {} else { state.progress[key] = .loading }
            return state.generation
        }
    }

    func isCancelled(_ generation: Int) -> Bool { state.withLock { $0.generation } != generation }

    private func needsMeasuring(_ isMeasured: Bool) -> Bool {
        isMeasured && (prefersPreciseDurationAndTiming || measuresUnknownDuration)
    }

    /// Returns the facts, and loads them first if needed. Called on the queue, which runs one load at a time, so that
    /// the file is read only once.
    func facts(
        _ key: String, isMeasured: Bool, isCancelled: () -> Bool
    ) -> Result<AssetProperties, MediaError> {
        let measures = needsMeasuring(isMeasured)
        do throws(MediaError) {
            if isCancelled() {
                throw MediaError(.cancelled, "cannot load \(key) of \(origin.name)", reason: "it was cancelled")
            }
            var facts = state.withLock { measures ? $0.measured : $0.header }
            if facts == nil {
                facts = try read(isMeasured: measures, isCancelled)
            }
            guard let facts else { throw MediaError(.ioFailure, "cannot load \(key)", reason: "nothing was read") }
            state.withLock { state in
                if measures { state.measured = facts }
                state.header = state.header ?? facts
                state.progress[key] = .loaded
            }
            return .success(facts)
        } catch {
            state.withLock { $0.progress[key] = error.code == .cancelled ? .cancelled : .failed(error) }
            return .failure(error)
        }
    }
}
