import MediaTypes

/// Checks that the decoding of a range began early enough. A plain value that the track's reader owns.
///
/// A decoder normally returns the keyframe first. A decoder that returns a later frame first was still recovering: with
/// gradual refresh, an H.264 decoder returns no frame until one is complete (ITU-T H.264, D.2.8, recovery point).
/// Decoding must then begin with an earlier keyframe.
struct RangeEntry {
    /// The timestamp of the keyframe that should be returned first.
    private var keyTime: MediaTime?
    private var mayRetreat = false
    private var retreat: MediaTime?
    private var distance = MediaTime(value: 1, timescale: 1000)

    /// Records that packets are read from a new position.
    mutating func begin(isFromBeginning: Bool) {
        (keyTime, retreat) = (nil, nil)
        mayRetreat = !isFromBeginning
    }

    /// Records that a keyframe is sent to an empty decoder.
    mutating func decodes(_ time: MediaTime) {
        guard mayRetreat else { return }
        mayRetreat = false
        keyTime = time
    }

    /// Records that a frame was decoded.
    mutating func shows(_ time: MediaTime, rangeStart: MediaTime) {
        guard let keyTime else { return }
        self.keyTime = nil
        guard time > keyTime, time > rangeStart else { return }
        retreat = keyTime - distance
        distance = distance + distance + MediaTime(value: 1, timescale: 1)
    }

    /// Stops the check after damage.
    mutating func forget() { (keyTime, mayRetreat) = (nil, false) }

    /// Returns the time to seek to, so that decoding begins with an earlier keyframe; nil if that is not needed.
    mutating func takeRetreat() -> MediaTime? { retreat.take() }
}
