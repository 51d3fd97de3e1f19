import AssetIO
public import Foundation
import MediaTypes
import RealTime

/// A movie or sound file, or a composition. Making one reads nothing.
///
/// Properties that are read before they were loaded block their caller, on its own thread, while the file's header is read;
/// `load` suspends instead. Any thread may call.
open class AVAsset: NSObject, @unchecked Sendable {
    // Unchecked: what changes is behind the lock, here and in those who inherit from it.
    private let fixed: Asset?
    private let state = Locked(State())

    private struct State {
        var tracks: [AVAssetTrack]?
        var loading = LoadingStates()
    }

    public convenience init(url: URL) { self.init(engine: Asset(url: url, prefersPreciseDurationAndTiming: false)) }

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
    func value<Value: Sendable>(_ property: AssetProperty<Value>, or fallback: Value) -> Value {
        (try? engine.loadNow(property)) ?? fallback
    }

    open var duration: CMTime { CMTime(value(.duration, or: .invalid)) }
    open var preferredRate: Float { 1 }
    open var preferredVolume: Float { 1 }
    /// How pictures are to be turned before they are shown.
    open var preferredTransform: CGAffineTransform {
        allTracks().first { $0.mediaType == .video }?.preferredTransform ?? .identity
    }
    open var naturalSize: CGSize { allTracks().first { $0.mediaType == .video }?.naturalSize ?? .zero }
    open var providesPreciseDurationAndTiming: Bool { value(.providesPreciseDurationAndTiming, or: false) }
    open var overallDurationHint: CMTime { .invalid }
    open var canContainFragments: Bool { false }
    open var containsFragments: Bool { false }

    // MARK: Usability

    open var isReadable: Bool { value(.isReadable, or: false) }
    open var isPlayable: Bool { isReadable }
    open var isExportable: Bool { isReadable }
    open var isComposable: Bool { isReadable }
    open var hasProtectedContent: Bool { false }
    open var isCompatibleWithAirPlayVideo: Bool { false }

    // MARK: Tracks

    /// What `tracks` gives, here and in those who inherit.
    func allTracks() -> [AVAssetTrack] {
        let kept = keepsTracks ? state.withLock { $0.tracks } : nil
        if let kept { return kept }
        let made = value(.tracks, or: []).map { makeTrack($0) }
        guard keepsTracks, !made.isEmpty else { return made }
        return state.withLock { state in
            if let tracks = state.tracks { return tracks }
            state.tracks = made
            return made
        }
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

public typealias CMPersistentTrackID = Int32
public let kCMPersistentTrackID_Invalid: CMPersistentTrackID = 0

/// Tracks of which only one is meant to be played at a time.
open class AVAssetTrackGroup: NSObject, @unchecked Sendable {
    // Unchecked: constant.
    /// The numbers of the tracks.
    public let trackIDs: [NSNumber]
    init(trackIDs: [NSNumber]) { self.trackIDs = trackIDs }
}

public let AVURLAssetPreferPreciseDurationAndTimingKey = "AVURLAssetPreferPreciseDurationAndTimingKey"
public let AVURLAssetReferenceRestrictionsKey = "AVURLAssetReferenceRestrictionsKey"
public let AVURLAssetAllowsCellularAccessKey = "AVURLAssetAllowsCellularAccessKey"
public let AVURLAssetOverrideMIMETypeKey = "AVURLAssetOverrideMIMETypeKey"

/// An asset in a file. Addresses with other schemes can be named, and fail when they are read.
open class AVURLAsset: AVAsset, @unchecked Sendable {
    // Unchecked: constant.
    public let url: URL

    /// - Parameter options: `AVURLAssetPreferPreciseDurationAndTimingKey` is looked at.
    public init(url: URL, options: [String: Any]? = nil) {
        self.url = url
        let precise = (options?[AVURLAssetPreferPreciseDurationAndTimingKey] as? NSNumber)?.boolValue ?? false
        super.init(engine: Asset(url: url, prefersPreciseDurationAndTiming: precise))
    }

    open class func audiovisualTypes() -> [AVFileType] { [.mov, .mp4, .m4v, .m4a, .wav, .aiff, .mp3, .ac3] }
    open class func audiovisualMIMETypes() -> [String] {
        [
            "video/quicktime", "video/mp4", "video/x-m4v", "audio/mp4", "audio/x-m4a", "audio/wav", "audio/aiff",
            "audio/mpeg",
        ]
    }
    open class func isPlayableExtendedMIMEType(_ extendedMIMEType: String) -> Bool {
        let kind = extendedMIMEType.split(separator: ";").first.map { $0.trimmingCharacters(in: .whitespaces) } ?? ""
        return audiovisualMIMETypes().contains(kind.lowercased())
    }

    override open func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? AVURLAsset else { return false }
        return other === self
    }
}
