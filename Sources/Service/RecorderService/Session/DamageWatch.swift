import AssetIO
import MediaTypes

/// Decides when a camera is rejected, because none of its frames can be recorded. A pure value.
///
/// A source itself notices frames that its driver calls damaged. It does not notice frames that cannot be decoded, or
/// that are unsuitable for the track.
struct DamageWatch {
    /// The time, in nanoseconds, for which all frames must be damaged.
    static let patience: Int64 = 10_000_000_000
    /// The minimum number of damaged frames.
    static let fewest: Int64 = 3

    private var since: Int64?
    private var count: Int64 = 0
    /// The reason for the latest rejection; nil once the camera is back.
    private(set) var rejection: MediaError?

    /// Returns the reason why frames are damaged if the camera is to be rejected now; nil otherwise.
    ///
    /// - Parameter damage: The damaged frames since the last intact one; nil if there are none.
    mutating func look(_ damage: DamagedSamples?, at now: Int64) -> MediaError? {
        guard let damage else {
            since = nil
            return nil
        }
        // Fewer frames than before follow an intact frame that this watch has not seen. No new frame arrives while the
        // recording is paused.
        if damage.count < count { since = nil }
        let isNew = since == nil || damage.count > count
        count = damage.count
        let since = since ?? now
        self.since = since
        guard isNew, damage.count >= Self.fewest, now - since >= Self.patience else { return nil }
        self.since = nil
        return damage.error
    }

    /// Returns the error of a camera that is rejected.
    ///
    /// - Parameters:
    ///   - camera: The description of the camera.
    ///   - error: The reason why its frames are damaged.
    mutating func reject(_ camera: String, _ error: MediaError) -> MediaError {
        let rejection = MediaError(
            .deviceLost, "cannot record \(camera)",
            reason: "no frame could be used for \(Self.patience / 1_000_000_000) s: \(error.action): \(error.reason)",
            underlying: error.underlying, wayOut: error.wayOut)
        self.rejection = rejection
        return rejection
    }

    /// Records that the camera is back.
    mutating func recordReturn() { rejection = nil }
}
