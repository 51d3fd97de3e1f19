import Dispatch
public import Foundation
public import MediaTypes
import RealTime

/// Makes images from frames of an asset. Modeled on AVFoundation's `AVAssetImageGenerator`.
///
/// One image is made at a time, on the generator's own thread. The file and the decoder stay open for the next image.
/// All calls are safe from any thread.
public final class FrameGenerator: Sendable {
    public let asset: Asset
    /// The source track; nil for the first enabled video track, or the first one if all are disabled.
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
        /// A number that increases with every cancellation. Requests that were made with another number are cancelled.
        var generation = 0
        var worker: StillWorker?
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "recorder.frame-generator")
    /// The queue for the program's callbacks, which may request more images meanwhile.
    let callbacks = DispatchQueue(label: "recorder.frame-generator.callbacks")

    /// Creates a generator without accessing the file. A missing file or track fails when an image is requested.
    public init(asset: Asset, track: AssetTrack? = nil) {
        self.asset = asset
        self.track = track
    }

    // MARK: Settings. A request uses the settings at the time of its call.

    /// The maximum size of images. Larger images are scaled down to fit inside, with their aspect ratio kept. Images
    /// are never scaled up. A side that is 0 sets no limit; both sides are 0 by default.
    public var maximumSize: CGSize {
        get { state.withLock { $0.settings.maximumSize } }
        set { state.withLock { $0.settings.maximumSize = newValue } }
    }

    /// True if images are rotated by the track's transform. The default is true, unlike in AVFoundation.
    public var appliesPreferredTrackTransform: Bool {
        get { state.withLock { $0.settings.appliesPreferredTrackTransform } }
        set { state.withLock { $0.settings.appliesPreferredTrackTransform = newValue } }
    }

    /// The maximum time by which an image may be earlier than requested. Infinite by default, as in AVFoundation. Then
    /// the nearest keyframe before the requested time is used, and no other frame is decoded. If both tolerances are
    /// zero, the image is exactly the frame shown at the requested time.
    public var requestedTimeToleranceBefore: MediaTime {
        get { state.withLock { $0.settings.toleranceBefore } }
        set { state.withLock { $0.settings.toleranceBefore = newValue } }
    }

    /// The maximum time by which an image may be later than requested. It is used if there is no keyframe near enough
    /// before the requested time.
    public var requestedTimeToleranceAfter: MediaTime {
        get { state.withLock { $0.settings.toleranceAfter } }
        set { state.withLock { $0.settings.toleranceAfter = newValue } }
    }

    /// The pixel format of the images; nil for the format nearest to the stored one, which needs no conversion.
    public var pixelFormat: PixelFormat? {
        get { state.withLock { $0.settings.pixelFormat } }
        set { state.withLock { $0.settings.pixelFormat = newValue } }
    }

    // MARK: Images

    /// Returns the frame that is shown at a time, and its timestamp. For a time before the first frame, that is the
    /// first frame. For a time at or after the asset's end it is the last frame, if `requestedTimeToleranceBefore`
    /// reaches back to it. So a series of images over the full duration can end with the last frame.
    ///
    /// - Throws: `unsupported` for an asset without video; `invalidSettings` for a time before 0 or past the end plus
    ///   the tolerance; `cancelled` after `cancelAllImageGeneration` or if the task is cancelled; the errors of
    ///   reading. Requests for other images may still succeed.
    public func image(at time: MediaTime) async throws(MediaError) -> (image: PixelBuffer, actualTime: MediaTime) {
        let (settings, generation) = terms
        return try await image(at: time, settings, generation)
    }

    /// Returns images for several times, in the order of the times. Each one is made when it is requested, so only one
    /// is in memory. Ascending times are fastest.
    ///
    /// Every time gets exactly one result, even after cancellation.
    public func images(for times: [MediaTime]) -> Images {
        let (settings, generation) = terms
        return Images(generator: self, times: times, settings: settings, generation: generation)
    }

    /// Cancels every earlier request. Later ones are not affected.
    public func cancelAllImageGeneration() { state.withLock { $0.generation += 1 } }

    func isCancelled(_ generation: Int) -> Bool { state.withLock { $0.generation != generation } }

    func image(
        at time: MediaTime, _ settings: Settings, _ generation: Int
    ) async throws(MediaError) -> (image: PixelBuffer, actualTime: MediaTime) {
        let result = await queue.cancellableResult { isCancelled in
            self.work(time, settings) { isCancelled() || self.isCancelled(generation) }
        }
        let (image, actualTime) = try result.get()
        return (image, actualTime)
    }

    /// Returns the image for a time. Blocks the calling thread.
    func imageBlocking(
        at time: MediaTime, _ settings: Settings, _ generation: Int
    ) throws(MediaError) -> (image: PixelBuffer, actualTime: MediaTime) {
        let result = queue.sync { work(time, settings) { isCancelled(generation) } }
        let (image, actualTime) = try result.get()
        return (image, actualTime)
    }

    /// The settings and the generation for a request that is made now.
    var terms: (settings: Settings, generation: Int) { state.withLock { ($0.settings, $0.generation) } }

    private func chosenTrack(_ action: String, _ isCancelled: () -> Bool) throws(MediaError) -> AssetTrack {
        var first = track
        if first == nil {
            let all = try asset.loadNow(.tracks, isCancelled: isCancelled)
            first = all.presented(.video)
        }
        guard let track = first else {
            throw MediaError(.unsupported, action, reason: "it has no video track")
        }
        guard track.mediaType == .video, track.assetID == asset.id else {
            throw MediaError(.invalidSettings, action, reason: "track \(track.id) is not one of its video tracks")
        }
        guard track.formatDescription?.video != nil else {
            throw MediaError(
                .unsupported, action,
                reason: "the format of track \(track.id), \(track.codecName), is not supported by this build")
        }
        return track
    }

    /// Makes the image. Called on the queue.
    private func work(
        _ time: MediaTime, _ settings: Settings, isCancelled: () -> Bool
    ) -> Result<(PixelBuffer, MediaTime), MediaError> {
        let action = "cannot extract a frame from \(asset.origin.name)"
        do throws(MediaError) {
            guard time.isNumeric, time >= .zero else {
                throw MediaError(.invalidSettings, action, reason: "invalid time \(time.words)")
            }
            if isCancelled() { throw MediaError(.cancelled, action, reason: "it was cancelled") }
            let track = try chosenTrack(action, isCancelled)
            let worker = state.withLock { $0.worker } ?? StillWorker(asset: asset, track: track)
            state.withLock { $0.worker = worker }
            return .success(try worker.frame(at: time, settings, isCancelled: isCancelled))
        } catch {
            return .failure(error)
        }
    }
}
