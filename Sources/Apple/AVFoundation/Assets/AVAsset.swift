import AssetIO
public import Foundation
import MediaTypes
import RealTime

/// A movie or audio file, or a composition. Creating an asset does not read the file.
///
/// Reading a property that is not loaded yet blocks the calling thread while the file's header is read. `load` suspends
/// the task instead. Safe to use from any thread.
open class AVAsset: NSObject, NSCopying, ReplacedByInitializer, @unchecked Sendable {
    // Unchecked: mutable state is protected by the lock, here and in subclasses.
    private let fixed: Asset?
    private let state = Locked(State())

    private struct State {
        var tracks: [AVAssetTrack]?
        var loading = LoadingStates()
    }

    /// Creates an `AVURLAsset`, as on Apple's systems, so that `as? AVURLAsset` succeeds.
    public convenience init(url: URL) {
        if Self.self == AVAsset.self {
            self.init(replacedBy: unsafeDowncast(AVURLAsset(url: url, options: nil), to: Self.self))
        } else {
            self.init(engine: Asset(url: url, prefersPreciseDurationAndTiming: false))
        }
    }

    /// - Parameter engine: the library's asset; nil if the subclass provides it.
    init(engine: Asset?) {
        fixed = engine
        super.init()
    }

    /// The library's asset that this object wraps.
    var engine: Asset { fixed ?? Asset(Composition()) }

    /// True if the asset keeps its track objects. If false, they are created each time, because the tracks may change.
    var keepsTracks: Bool { true }

    /// Returns this object, because a file's asset does not change. A composition returns a copy of its current state.
    open func copy(with zone: NSZone?) -> Any { self }

    /// Reads a property synchronously. Like AVFoundation's synchronous properties, returns an empty value on failure.
    /// `statusOfValue` and `load` report the reason.
    ///
    /// - Parameter key: the name under which `statusOfValue` reports the property as loaded or failed afterwards.
    func value<Value: Sendable>(_ property: AssetProperty<Value>, or fallback: Value, for key: String) -> Value {
        read(key) { try engine.loadNow(property) } ?? fallback
    }

    /// Reads a property synchronously, and records that it was loaded or that loading failed.
    func read<Value>(_ key: String, _ body: () throws -> Value) -> Value? {
        do {
            let value = try body()
            updateLoading { $0.end(key, nil) }
            return value
        } catch {
            updateLoading { $0.end(key, AVError.of(error)) }
            return nil
        }
    }

    open var duration: CMTime { CMTime(value(.duration, or: .invalid, for: "duration")) }
    open var preferredRate: Float { 1 }
    open var preferredVolume: Float { 1 }
    /// The transform to apply to frames before they are shown.
    open var preferredTransform: CGAffineTransform {
        allTracks(for: "preferredTransform").first { $0.mediaType == .video }?.preferredTransform ?? .identity
    }
    open var naturalSize: CGSize {
        allTracks(for: "naturalSize").first { $0.mediaType == .video }?.naturalSize ?? .zero
    }
    open var providesPreciseDurationAndTiming: Bool {
        value(.providesPreciseDurationAndTiming, or: false, for: "providesPreciseDurationAndTiming")
    }
    open var overallDurationHint: CMTime { .invalid }
    open var canContainFragments: Bool { false }
    open var containsFragments: Bool { false }
    /// Always invalid: files are not live streams.
    open var minimumTimeOffsetFromLive: CMTime { .invalid }
    /// External media references in movies are never followed.
    open var referenceRestrictions: AVAssetReferenceRestrictions { .forbidAll }

    // MARK: Usability

    open var isReadable: Bool { isReadable(for: "readable") }
    open var isPlayable: Bool { isReadable(for: "playable") }
    open var isExportable: Bool { isReadable(for: "exportable") }
    open var isComposable: Bool { isReadable(for: "composable") }
    private func isReadable(for key: String) -> Bool { value(.isReadable, or: false, for: key) }
    open var hasProtectedContent: Bool { false }
    open var isCompatibleWithAirPlayVideo: Bool { false }

    // MARK: Tracks

    /// Returns the value of `tracks`. Subclasses override this function.
    func allTracks() -> [AVAssetTrack] {
        let kept = keepsTracks ? state.withLock { $0.tracks } : nil
        if let kept { return kept }
        let made = ((try? engine.loadNow(.tracks)) ?? []).map { makeTrack($0) }
        guard keepsTracks, !made.isEmpty else { return made }
        return state.withLock { state in
            if let tracks = state.tracks { return tracks }
            state.tracks = made
            return made
        }
    }

    /// Returns the tracks synchronously, and records that they were loaded or that loading failed.
    func allTracks(for key: String) -> [AVAssetTrack] {
        read(key) { _ = try engine.loadNow(.tracks) }
        return allTracks()
    }

    func makeTrack(_ track: AssetTrack) -> AVAssetTrack { AVAssetTrack(track, of: self) }

    /// Returns the largest track ID plus 1.
    open func unusedTrackID() -> CMPersistentTrackID { (allTracks().map(\.trackID).max() ?? 0) + 1 }
    /// The groups of alternative tracks. Always empty, because the library does not support them.
    open var trackGroups: [AVAssetTrackGroup] { [] }

    // MARK: Metadata

    /// The metadata. Blocks the calling thread while the file's header is read; empty if it cannot be read.
    open var metadata: [AVMetadataItem] { metadata(for: "metadata") }

    /// Returns the value of `metadata`. Subclasses override this function.
    func loadedMetadata() throws(MediaError) -> [AVMetadataItem] {
        let type = engine.url.flatMap { FileType(fileExtension: $0.pathExtension) } ?? .mov
        return AVMetadataItem.items(fromStored: try engine.loadNow(.metadata), of: type)
    }

    // MARK: Loading

    /// Cancels loading in progress; loaded values stay.
    open func cancelLoading() { engine.cancelLoading() }

    var loading: LoadingStates { state.withLock { $0.loading } }

    func updateLoading(_ change: (inout LoadingStates) -> Void) { state.withLock { change(&$0.loading) } }
}

/// A class whose initializer may return an object of a subclass.
protocol ReplacedByInitializer {}

extension ReplacedByInitializer {
    init(replacedBy other: Self) { self = other }
}

/// The kinds of external media that must not be read for an asset.
public struct AVAssetReferenceRestrictions: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let forbidRemoteReferenceToLocal = AVAssetReferenceRestrictions(rawValue: 1)
    public static let forbidLocalReferenceToRemote = AVAssetReferenceRestrictions(rawValue: 2)
    public static let forbidCrossSiteReference = AVAssetReferenceRestrictions(rawValue: 4)
    public static let forbidLocalReferenceToLocal = AVAssetReferenceRestrictions(rawValue: 8)
    public static let forbidAll = AVAssetReferenceRestrictions(rawValue: 0xFFFF)
}

public typealias CMPersistentTrackID = Int32
public let kCMPersistentTrackID_Invalid: CMPersistentTrackID = 0

/// A group of alternative tracks. Players play only one of them at a time.
open class AVAssetTrackGroup: NSObject, @unchecked Sendable {
    // Unchecked: constant.
    /// The track IDs.
    public let trackIDs: [NSNumber]
    init(trackIDs: [NSNumber]) { self.trackIDs = trackIDs }
}
