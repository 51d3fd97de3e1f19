import AssetIO
public import Foundation
import MediaTypes
import RealTime

/// Makes single pictures of an asset. One is made at a time, on a thread of the generator's own. Any thread may call.
open class AVAssetImageGenerator: NSObject, @unchecked Sendable {
    // Unchecked: what changes is behind the lock or in the engine's generator, which has its own.
    /// What became of one request.
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

    /// Touches nothing: what is not there, or has no pictures, fails when a picture is asked for. A composition is taken as it
    /// is now.
    public init(asset: AVAsset) {
        self.asset = asset
        source = StillSource(asset.engine)
    }

    // MARK: What can be chosen; a request takes what holds when it is made

    /// Pictures are turned as the track asks for; false by default.
    open var appliesPreferredTrackTransform: Bool {
        get { source.generator.appliesPreferredTrackTransform }
        set { source.generator.appliesPreferredTrackTransform = newValue }
    }

    /// Pictures are made to fit inside, with their shape kept, and never larger than they are. A side that is 0 sets no
    /// limit; both are by default.
    open var maximumSize: CGSize {
        get { source.generator.maximumSize }
        set { source.generator.maximumSize = newValue }
    }

    /// Which part of the stored pictures is shown; nil: the clean aperture.
    open var apertureMode: ApertureMode? {
        get { state.withLock { $0.apertureMode } }
        set { state.withLock { $0.apertureMode = newValue } }
    }

    /// Pictures are always made in the range that the source has: kept, without effect.
    open var dynamicRangePolicy: DynamicRangePolicy {
        get { state.withLock { $0.dynamicRangePolicy } }
        set { state.withLock { $0.dynamicRangePolicy = newValue } }
    }

    /// How the video tracks are drawn into one picture; nil: the first track's pictures are made.
    open var videoComposition: AVVideoComposition? {
        get { state.withLock { $0.videoComposition } }
        set {
            let copy = newValue?.copy() as? AVVideoComposition
            state.withLock { $0.videoComposition = copy }
        }
    }

    /// How much earlier than asked for a picture may be. Infinite by default: the nearest key frame is taken. Zero in both
    /// tolerances: exactly the picture that is shown.
    open var requestedTimeToleranceBefore: CMTime {
        get { CMTime(source.generator.requestedTimeToleranceBefore) }
        set { source.generator.requestedTimeToleranceBefore = Self.tolerance(newValue) }
    }
    open var requestedTimeToleranceAfter: CMTime {
        get { CMTime(source.generator.requestedTimeToleranceAfter) }
        set { source.generator.requestedTimeToleranceAfter = Self.tolerance(newValue) }
    }

    /// What is no length sets no limit.
    private static func tolerance(_ time: CMTime) -> MediaTime {
        time.isNumeric && time >= .zero ? time.media : .positiveInfinity
    }

    // MARK: Pictures

    /// The picture that is shown at a time. Blocks the calling thread until it is there, and never waits for Swift's pool.
    ///
    /// - Parameter actualTime: gets the moment at which it is first shown.
    /// - Throws: `AVError`: `noImageAtTime` for a time outside and an asset without pictures, and what reading throws.
    open func copyCGImage(at requestedTime: CMTime, actualTime: UnsafeMutablePointer<CMTime>?) throws -> CGImage {
        do {
            let (image, time) = try source.image(at: requestedTime.media, terms)
            actualTime?.pointee = CMTime(time)
            return image
        } catch { throw Self.error(error) }
    }

    /// Pictures for several times, in their order. Returns at once.
    ///
    /// - Parameter handler: called exactly once for every time, one call after the other, on a thread of the generator's, with
    ///   the time that was asked for, the picture, its own time, what became of it, and why it failed.
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

    /// - Parameter handler: called exactly once, on a thread of the generator's.
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

    /// As `copyCGImage`, suspended. Cancelling the task cancels it.
    open func image(at time: CMTime) async throws -> (image: CGImage, actualTime: CMTime) {
        do {
            let (image, actualTime) = try await source.imageLater(at: time.media, terms)
            return (image, CMTime(actualTime))
        } catch { throw Self.error(error) }
    }

    /// Pictures for several times, in their order, each made when it is asked for.
    open func images(for times: [CMTime]) -> Images { Images(generator: self, times: times, terms: terms) }

    /// Cancels every request made before; each gets its result nevertheless.
    open func cancelAllCGImageGeneration() { source.cancelAll() }

    // MARK: Inside

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
    /// Which part of the stored pictures is shown.
    public struct ApertureMode: StringConstant {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let cleanAperture = Self("CleanAperture")
        public static let productionAperture = Self("ProductionAperture")
        /// Pixels are made square here nevertheless.
        public static let encodedPixels = Self("EncodedPixels")
    }

    public struct DynamicRangePolicy: StringConstant {
        public var rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let forceSDR = Self("ForceSDR")
        public static let matchSource = Self("MatchSource")
    }
}

public typealias AVAssetImageGeneratorCompletionHandler =
    @Sendable (CMTime, CGImage?, CMTime, AVAssetImageGenerator.Result, (any Error)?) -> Void
