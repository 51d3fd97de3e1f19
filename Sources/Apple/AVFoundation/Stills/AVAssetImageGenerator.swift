import AssetIO
public import Foundation
import MediaTypes
import RealTime

/// Generates images of an asset, one at a time, on the generator's own thread. Safe to use from any thread.
open class AVAssetImageGenerator: NSObject, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock, or is in the library's generator, which has its own lock.
    /// The result of one request.
    public enum Result: Int, Sendable {
        case succeeded = 0
        case failed = 1
        case cancelled = 2
    }

    public let asset: AVAsset
    let source: StillSource
    private let state = Locked(State())

    private struct State {
        var apertureMode: ApertureMode?
        var videoComposition: AVVideoComposition?
        var dynamicRangePolicy = DynamicRangePolicy.forceSDR
    }

    /// Creates a generator. Nothing is read yet: if the file is missing or has no video, the first request for an image
    /// fails. If the asset is a composition, the generator keeps the composition's current state.
    public init(asset: AVAsset) {
        self.asset = asset
        source = StillSource(asset.engine)
    }

    // MARK: Options (a request uses the values at the time when it is made)

    /// Applies the track's transform to images; false by default.
    open var appliesPreferredTrackTransform: Bool {
        get { source.generator.appliesPreferredTrackTransform }
        set { source.generator.appliesPreferredTrackTransform = newValue }
    }

    /// The maximum size. Images are scaled to fit into it, keep their aspect ratio, and are never enlarged. A width or
    /// height of 0 means no limit. Both are 0 by default.
    open var maximumSize: CGSize {
        get { source.generator.maximumSize }
        set { source.generator.maximumSize = newValue }
    }

    /// The part of the stored frames that is shown; nil means the clean aperture.
    open var apertureMode: ApertureMode? {
        get { state.withLock { $0.apertureMode } }
        set { state.withLock { $0.apertureMode = newValue } }
    }

    /// The value is stored, but has no effect: images always have the source's dynamic range.
    open var dynamicRangePolicy: DynamicRangePolicy {
        get { state.withLock { $0.dynamicRangePolicy } }
        set { state.withLock { $0.dynamicRangePolicy = newValue } }
    }

    /// The composition of the video tracks. If nil, the first enabled track is used.
    open var videoComposition: AVVideoComposition? {
        get { state.withLock { $0.videoComposition } }
        set {
            let copy = newValue?.copy() as? AVVideoComposition
            state.withLock { $0.videoComposition = copy }
        }
    }

    /// The maximum time by which an image may be earlier than requested. By default it is infinite, so the nearest
    /// keyframe is used. If both tolerances are zero, the image is exactly the frame that is shown at the requested
    /// time.
    open var requestedTimeToleranceBefore: CMTime {
        get { CMTime(source.generator.requestedTimeToleranceBefore) }
        set { source.generator.requestedTimeToleranceBefore = Self.tolerance(newValue) }
    }
    open var requestedTimeToleranceAfter: CMTime {
        get { CMTime(source.generator.requestedTimeToleranceAfter) }
        set { source.generator.requestedTimeToleranceAfter = Self.tolerance(newValue) }
    }

    /// Returns the tolerance. A time that is not a valid duration means no limit.
    private static func tolerance(_ time: CMTime) -> MediaTime {
        time.isNumeric && time >= .zero ? time.media : .positiveInfinity
    }

    // MARK: Images

    /// Returns the image that is shown at a time. Blocks the calling thread until the image is ready. The work does not
    /// need Swift's thread pool.
    ///
    /// - Parameter actualTime: receives the time at which the image is first shown.
    /// - Throws: `AVError`: `noImageAtTime` for a time outside of the asset and for an asset without video, and the
    ///   errors of reading.
    open func copyCGImage(at requestedTime: CMTime, actualTime: UnsafeMutablePointer<CMTime>?) throws -> CGImage {
        do {
            let (image, time) = try source.image(at: requestedTime.media, terms)
            actualTime?.pointee = CMTime(time)
            return image
        } catch { throw Self.error(error) }
    }

    /// Generates one image for each requested time, in the order of the array. Returns immediately.
    ///
    /// - Parameter handler: called exactly once for each requested time, on the generator's thread, one call after the
    ///   other. It gets the requested time, the image, the image's actual time, the result and the error.
    @preconcurrency
    open func generateCGImagesAsynchronously(
        forTimes requestedTimes: [NSValue],
        completionHandler handler: @escaping @Sendable (CMTime, CGImage?, CMTime, Result, (any Error)?) -> Void
    ) {
        generate(requestedTimes.map(\.timeValue)) { time, outcome in
            switch outcome {
            case .success(let (image, actualTime)): handler(time, image, CMTime(actualTime), .succeeded, nil)
            case .failure(let error) where error.code == .cancelled:
                handler(time, nil, .invalid, .cancelled, Self.error(error))
            case .failure(let error): handler(time, nil, .invalid, .failed, Self.error(error))
            }
        }
    }

    /// - Parameter handler: called exactly once, on the generator's thread.
    @preconcurrency
    open func generateCGImageAsynchronously(
        for requestedTime: CMTime,
        completionHandler handler: @escaping @Sendable (CGImage?, CMTime, (any Error)?) -> Void
    ) {
        generate([requestedTime]) { _, outcome in
            switch outcome {
            case .success(let (image, actualTime)): handler(image, CMTime(actualTime), nil)
            case .failure(let error): handler(nil, .invalid, Self.error(error))
            }
        }
    }

    /// Returns the image that is shown at a time, like `copyCGImage`, but does not block a thread. Cancelling the task
    /// cancels the request.
    open func image(at time: CMTime) async throws -> (image: CGImage, actualTime: CMTime) {
        do {
            let (image, actualTime) = try await source.imageLater(at: time.media, terms)
            return (image, CMTime(actualTime))
        } catch { throw Self.error(error) }
    }

    /// Returns a sequence of one image for each time, in the order of the array. Each image is generated when the
    /// sequence is asked for it.
    open func images(for times: [CMTime]) -> Images { Images(generator: self, times: times, terms: terms) }

    /// Cancels all earlier requests. Each request's handler is still called, with the result `cancelled`.
    open func cancelAllCGImageGeneration() { source.cancelAll() }

    // MARK: Internals

    var terms: StillSource.Terms {
        let (aperture, composition) = state.withLock { ($0.apertureMode, $0.videoComposition) }
        return StillSource.Terms(
            cropsToCleanAperture: aperture == nil || aperture == .cleanAperture, composition: composition,
            generation: source.generation, settings: source.settings)
    }

    private func generate(
        _ times: [CMTime],
        _ handler: @escaping @Sendable (CMTime, Swift.Result<(CGImage, MediaTime), MediaError>) -> Void
    ) {
        let terms = terms
        source.callbacks.async { [self] in
            for time in times {
                let outcome = Swift.Result { () throws(MediaError) in try source.image(at: time.media, terms) }
                handler(time, outcome)
            }
        }
    }

    static func error(_ error: any Error) -> AVError {
        guard let error = error as? MediaError else { return AVError.of(error) }
        switch error.code {
        case .invalidSettings, .unsupported: return AVError(.noImageAtTime, error)
        default: return AVError(error)
        }
    }
}

extension AVAssetImageGenerator {
    /// The part of the stored frames that is shown.
    public struct ApertureMode: StringConstant {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let cleanAperture = Self("CleanAperture")
        public static let productionAperture = Self("ProductionAperture")
        /// The encoded pixels. This library converts them to square pixels.
        public static let encodedPixels = Self("EncodedPixels")
    }

    public struct DynamicRangePolicy: StringConstant {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let forceSDR = Self("ForceSDR")
        public static let matchSource = Self("MatchSource")
    }
}

@preconcurrency
public typealias AVAssetImageGeneratorCompletionHandler =
    @Sendable (CMTime, CGImage?, CMTime, AVAssetImageGenerator.Result, (any Error)?) -> Void
