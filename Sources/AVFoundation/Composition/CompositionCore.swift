import AssetIO
import MediaTypes
import RealTime

/// What a composition and its tracks share: the engine's value, which each edit replaces.
///
/// Any thread may read, and sees the composition before an edit or after it. Edits are for one thread at a time.
final class CompositionCore: Sendable {
    private struct State {
        var composition = Composition()
        /// Made of the composition as it is; nil until somebody asks.
        var asset: Asset?
        var extras: [Int: CompositionTrackExtras] = [:]
    }

    private let state: Locked<State>

    init(_ composition: Composition = Composition(), extras: [Int: CompositionTrackExtras] = [:]) {
        state = Locked(State(composition: composition, extras: extras))
    }

    /// As it is now; editing goes on by itself.
    var replica: CompositionCore { CompositionCore(composition, extras: state.withLock { $0.extras }) }

    var composition: Composition { state.withLock { $0.composition } }

    var asset: Asset {
        state.withLock { state in
            if let asset = state.asset { return asset }
            let asset = Asset(state.composition)
            state.asset = asset
            return asset
        }
    }

    /// nil for a track with nothing in it.
    func assetTrack(_ id: Int) -> AssetTrack? {
        let (asset, composition) = (asset, composition)
        return composition.assetTrack(id, of: asset)
    }

    /// - Throws: what the change throws, and then nothing has changed.
    func edit<Result>(_ change: (inout Composition) throws(MediaError) -> Result) throws(MediaError) -> Result {
        var changed = composition
        let result = try change(&changed)
        state.withLock { state in
            state.composition = changed
            state.asset = nil
        }
        return result
    }

    subscript(extrasOf id: Int) -> CompositionTrackExtras {
        get { state.withLock { $0.extras[id] ?? CompositionTrackExtras() } }
        set { state.withLock { $0.extras[id] = newValue } }
    }
}

/// What a composition's track says about itself that the engine has no use for.
struct CompositionTrackExtras: Sendable {
    var naturalTimeScale: CMTimeScale?
    var preferredVolume: Float = 1
    var associations: [String: [CMPersistentTrackID]] = [:]
}
