import AssetIO
public import Foundation
import MediaTypes
import RealTime

/// A movie or sound file, or a composition. Making one reads nothing.
///
/// Properties that are read before they were loaded block their caller, on its own thread, while the file's header is read;
/// `load` suspends instead. Any thread may call.
open class AVAsset: NSObject, ReplacedByInitializer, @unchecked Sendable {
    // Unchecked: what changes is behind the lock, here and in those who inherit from it.
    private let fixed: Asset?
    private let state = Locked(State())

    private struct State {
        var tracks: [AVAssetTrack]?
        var loading = LoadingStates()
    }

    /// Makes an `AVURLAsset`, as AVFoundation does: `as? AVURLAsset` gives it.
    public convenience init(url: URL) {
        if Self.self == AVAsset.self {
            self.init(replacedBy: unsafeDowncast(AVURLAsset(url: url, options: nil), to: Self.self))
        } else {
            self.init(engine: Asset(url: url, prefersPreciseDurationAndTiming: false))
        }
    }

    /// - Parameter engine: nil: those who inherit say what it is.
    init(engine: Asset?) {
        fixed = engine
        super.init()
    }

    /// What is read.
    var engine: Asset { fixed ?? Asset(Composition()) }

    /// The tracks anew where they may change.
    var keepsTracks: Bool { true }

    /// As AVFoundation's synchronous properties have it, a failure is an empty answer; `statusOfValue` and `load` tell why.
    ///
    /// - Parameter key: the property that `statusOfValue` reports as loaded, or failed, from now on.
    func value<Value: Sendable>(_ property: AssetProperty<Value>, or fallback: Value, for key: String) -> Value {
        read(key) { try engine.loadNow(property) } ?? fallback
    }

    /// Reads a property for a caller who waits, and notes how it went.
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
    /// How pictures are to be turned before they are shown.
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
    /// Files are no live streams.
    open var minimumTimeOffsetFromLive: CMTime { .invalid }
    /// Movies that refer to others are not followed, wherever those are.
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

    /// What `tracks` gives, here and in those who inherit.
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

    /// The tracks for a caller who waits; notes how it went.
    func allTracks(for key: String) -> [AVAssetTrack] {
        read(key) { _ = try engine.loadNow(.tracks) }
        return allTracks()
    }

    func makeTrack(_ track: AssetTrack) -> AVAssetTrack { AVAssetTrack(track, of: self) }

    /// The first number that no track has.
    open func unusedTrackID() -> CMPersistentTrackID { (allTracks().map(\.trackID).max() ?? 0) + 1 }
    /// Tracks of which one is to be played: this engine knows of none.
    open var trackGroups: [AVAssetTrackGroup] { [] }

    // MARK: Loading

    /// Cancels what is being loaded; what was loaded stays.
    open func cancelLoading() { engine.cancelLoading() }

    var loading: LoadingStates { state.withLock { $0.loading } }

    func updateLoading(_ change: (inout LoadingStates) -> Void) { state.withLock { change(&$0.loading) } }
}

/// Lets an initializer give an object of a class that inherits from the one it is called on.
protocol ReplacedByInitializer {}

extension ReplacedByInitializer {
    init(replacedBy other: Self) { self = other }
}

/// Which media outside of the file may be read for it.
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

/// Tracks of which only one is meant to be played at a time.
open class AVAssetTrackGroup: NSObject, @unchecked Sendable {
    // Unchecked: constant.
    /// The numbers of the tracks.
    public let trackIDs: [NSNumber]
    init(trackIDs: [NSNumber]) { self.trackIDs = trackIDs }
}
