import AssetIO
import MediaTypes
import RealTime

/// The state that a composition and its tracks share. It contains the library's `Composition`, a value that each edit
/// replaces.
///
/// Any thread may read, and sees the composition either before or after an edit. Only one thread at a time may edit.
final class CompositionCore: Sendable {
    private struct State {
        var composition = Composition()
        /// An asset of the current composition; nil until first used.
        var asset: Asset?
        var extras: [Int: CompositionTrackExtras] = [:]
    }

    private let state: Locked<State>

    init(_ composition: Composition = Composition(), extras: [Int: CompositionTrackExtras] = [:]) {
        state = Locked(State(composition: composition, extras: extras))
    }

    /// A copy of the current state. Edits of the copy and of the original do not affect each other.
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

    /// Returns the library's track; nil for an empty track.
    func assetTrack(_ id: Int) -> AssetTrack? {
        let (asset, composition) = (asset, composition)
        return composition.assetTrack(id, of: asset)
    }

    /// - Throws: the error of `change`; the composition is then unchanged.
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

/// Properties of a composition's track that the library does not use.
struct CompositionTrackExtras: Sendable {
    var naturalTimeScale: CMTimeScale?
    var preferredVolume: Float = 1
    var associations: [String: [CMPersistentTrackID]] = [:]
}
