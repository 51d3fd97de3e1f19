import Dispatch
public import Foundation
public import MediaTypes
import RealTime

/// Makes single pictures of an asset. The model is AVFoundation's `AVAssetImageGenerator`.
///
/// One picture is made at a time, on a thread of the generator's own, which keeps file and decoder open for the next. All
/// calls are safe from any thread.
public final class FrameGenerator: Sendable {
    public let asset: Asset
    /// Whose pictures are made; nil: those of the first video track.
    public let track: AssetTrack?

    struct Settings: Sendable {
        var maximumSize = CGSize.zero
        var appliesPreferredTrackTransform = true
        var toleranceBefore = MediaTime.positiveInfinity
        var toleranceAfter = MediaTime.positiveInfinity
        var pixelFormat: PixelFormat?
    }

    private struct State {
        var settings = Settings()
        /// Grows with every cancellation: what was asked for before is cancelled.
        var generation = 0
        var worker: StillWorker?
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "recorder.frame-generator")
    /// Calls of the program's, which may ask for more pictures meanwhile.
    let callbacks = DispatchQueue(label: "recorder.frame-generator.callbacks")

    /// Touches nothing: what is not there, or has no pictures, fails when a picture is asked for.
    public init(asset: Asset, track: AssetTrack? = nil) {
        self.asset = asset
        self.track = track
    }

    // MARK: What can be chosen; a request takes what holds when it is made

    /// Pictures are made to fit inside, with their shape kept, and never larger than they are. A side that is 0 sets no
    /// limit; both are by default.
    public var maximumSize: CGSize {
        get { state.withLock { $0.settings.maximumSize } }
        set { state.withLock { $0.settings.maximumSize = newValue } }
    }

    /// Pictures are turned as the track asks for. On by default, other than in AVFoundation.
    public var appliesPreferredTrackTransform: Bool {
        get { state.withLock { $0.settings.appliesPreferredTrackTransform } }
        set { state.withLock { $0.settings.appliesPreferredTrackTransform = newValue } }
    }

    /// How much earlier than asked for a picture may be. Infinite by default, as in AVFoundation: the nearest key frame
    /// before is taken, and nothing else is decoded. Zero in both tolerances: exactly the picture that is shown.
    public var requestedTimeToleranceBefore: MediaTime {
        get { state.withLock { $0.settings.toleranceBefore } }
        set { state.withLock { $0.settings.toleranceBefore = newValue } }
    }

    /// How much later than asked for a picture may be; used where there is no key frame near enough before.
    public var requestedTimeToleranceAfter: MediaTime {
        get { state.withLock { $0.settings.toleranceAfter } }
        set { state.withLock { $0.settings.toleranceAfter = newValue } }
    }

    /// The form of the pictures; nil: the nearest to what is stored, which costs no conversion.
    public var pixelFormat: PixelFormat? {
        get { state.withLock { $0.settings.pixelFormat } }
        set { state.withLock { $0.settings.pixelFormat = newValue } }
    }

    // MARK: Pictures

    /// The picture that is shown at a time, and when it is first shown. Before the first picture it is the first. From the
    /// asset's end on it is the last one, where the tolerance before reaches as far: so a series over the whole duration can
    /// end with it.
    ///
    /// - Throws: `unsupported` for an asset without pictures, `invalidSettings` for a time before 0 or past the end and the
    ///   tolerance,
    ///   `cancelled` after `cancelAllImageGeneration` or when the task is cancelled, and what reading throws. Other pictures may
    ///   still be had then.
    public func image(at time: MediaTime) async throws(MediaError) -> (image: PixelBuffer, actualTime: MediaTime) {
        let (settings, generation) = terms
        return try await image(at: time, settings, generation)
    }

    /// Pictures for several times, in the order of the times, each made when it is asked for: memory stays that of one. Times
    /// that ascend cost least.
    ///
    /// Every time gets exactly one result, also after cancellation.
    public func images(for times: [MediaTime]) -> Images {
        let (settings, generation) = terms
        return Images(generator: self, times: times, settings: settings, generation: generation)
    }

    /// Cancels every request made before; one made afterwards is none of them.
    public func cancelAllImageGeneration() { state.withLock { $0.generation += 1 } }

    func isCancelled(_ generation: Int) -> Bool { state.withLock { $0.generation != generation } }

    func image(
        at time: MediaTime, _ settings: Settings, _ generation: Int
    ) async throws(MediaError) -> (image: PixelBuffer, actualTime: MediaTime) {
        let token = Locked(false)
        let result: Result<(PixelBuffer, MediaTime), MediaError> = await withTaskCancellationHandler {
            await queue.result {
                self.work(time, settings) { token.withLock { $0 } || self.isCancelled(generation) }
            }
        } onCancel: {
            token.withLock { $0 = true }
        }
        let (image, actualTime) = try result.get()
        return (image, actualTime)
    }

    /// Blocks the calling thread.
    func imageBlocking(
        at time: MediaTime, _ settings: Settings, _ generation: Int
    ) throws(MediaError) -> (image: PixelBuffer, actualTime: MediaTime) {
        let result = queue.sync { work(time, settings) { isCancelled(generation) } }
        let (image, actualTime) = try result.get()
        return (image, actualTime)
    }

    /// What holds for a request that is made now.
    var terms: (settings: Settings, generation: Int) { state.withLock { ($0.settings, $0.generation) } }

    private func chosenTrack(_ action: String, _ isCancelled: () -> Bool) throws(MediaError) -> AssetTrack {
        var first = track
        if first == nil {
            let all = try asset.loadBlocking(.tracks, isCancelled: isCancelled)
            first = all.first(where: { $0.mediaType == .video })
        }
        guard let track = first else {
            throw MediaError(.unsupported, action, reason: "it has no video track")
        }
        guard track.mediaType == .video, track.assetID == asset.id else {
            throw MediaError(.invalidSettings, action, reason: "track \(track.id) is no video track of it")
        }
        guard track.formatDescription?.video != nil else {
            throw MediaError(
                .unsupported, action, reason: "the format of track \(track.id), \(track.codecName), is unknown")
        }
        return track
    }

    /// On the queue.
    private func work(
        _ time: MediaTime, _ settings: Settings, isCancelled: () -> Bool
    ) -> Result<(PixelBuffer, MediaTime), MediaError> {
        let action = "cannot make a picture of \(asset.origin.name)"
        do throws(MediaError) {
            guard time.isNumeric, time >= .zero else {
                throw MediaError(.invalidSettings, action, reason: "\(time.words) is no time in it")
            }
            if isCancelled() { throw MediaError(.cancelled, action, reason: "it was cancelled") }
            let track = try chosenTrack(action, isCancelled)
            let worker = state.withLock { $0.worker } ?? StillWorker(asset: asset, track: track)
            state.withLock { $0.worker = worker }
            return .success(try worker.picture(at: time, settings, isCancelled: isCancelled))
        } catch {
            return .failure(error)
        }
    }
}
