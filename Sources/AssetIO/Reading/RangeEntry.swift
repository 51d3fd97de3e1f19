import MediaTypes

/// Where decoding of a range begins, and whether that was early enough. A plain value of whoever reads the track.
///
/// The picture of a key frame comes out of a decoder first. Where it does not, the decoder still recovers: of H.264 with
/// gradual refresh it shows nothing until the picture is whole (ITU-T H.264, D.2.8, recovery point). Then decoding must begin
/// with an earlier key frame.
struct RangeEntry {
    /// The key frame whose picture should come first.
    private var keyTime: MediaTime?
    private var mayRetreat = false
    private var retreat: MediaTime?
    private var distance = MediaTime(value: 1, timescale: 1000)

    /// Packets come from here on.
    mutating func begin(isFromBeginning: Bool) {
        (keyTime, retreat) = (nil, nil)
        mayRetreat = !isFromBeginning
    }

    /// A key frame goes into an empty decoder.
    mutating func decodes(_ time: MediaTime) {
        guard mayRetreat else { return }
        mayRetreat = false
        keyTime = time
    }

    /// A picture comes out.
    mutating func shows(_ time: MediaTime, rangeStart: MediaTime) {
        guard let keyTime else { return }
        self.keyTime = nil
        guard time > keyTime, time > rangeStart else { return }
        retreat = keyTime - distance
        distance = distance + distance + MediaTime(value: 1, timescale: 1)
    }

    /// Something is damaged: nothing is known.
    mutating func forget() { (keyTime, mayRetreat) = (nil, false) }

    /// Where to look for an earlier key frame, when this one was not enough.
    mutating func takeRetreat() -> MediaTime? { retreat.take() }
}
