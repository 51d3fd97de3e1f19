import MediaTypes

/// How far each pull source has got, and which of them may go on. A pure value.
///
/// A file plays well when what is shown together stands together. A source that can wait is therefore held back once it is
/// ahead of the slowest unfinished one by more than the window. Progress is what was appended, not what an encoder gave
/// out: an encoder that looks ahead holds back nobody. The slowest source is never held back, so somebody can always go
/// on. Live sources and sparse ones, as titles and timecodes, take no part: their silence holds back nobody.
struct Interleaving: Sendable {
    private struct Track {
        var takesPart: Bool
        var progress: MediaTime
        var isHeld = false
    }

    /// Within a fragment a track's samples stand together anyway, so a window below a fragment's length gains nothing in
    /// the file; one above it lets memory grow. Fragments longer than a second do not widen it.
    static let widestWindow = MediaTime(value: 1, timescale: 1)

    let window: MediaTime
    private var tracks: [Track]

    /// - Parameters:
    ///   - fragmentInterval: the longest stretch that one fragment holds.
    ///   - takesPart: for each track, whether it is a pull source of sound or pictures.
    init(fragmentInterval: MediaTime, takesPart: [Bool]) {
        window = min(fragmentInterval, Self.widestWindow)
        tracks = takesPart.map { Track(takesPart: $0, progress: .negativeInfinity) }
    }

    /// The session begins: everybody stands at its start.
    mutating func begin(at start: MediaTime) {
        for index in tracks.indices { (tracks[index].progress, tracks[index].isHeld) = (start, false) }
    }

    /// Whether a track may go on.
    func isFree(_ index: Int) -> Bool { !tracks[index].isHeld }

    /// Takes note of what was appended. Returns whether others may go on because of it.
    mutating func advance(_ index: Int, to time: MediaTime) -> Bool {
        guard tracks[index].takesPart, time > tracks[index].progress else { return false }
        let wasSlowest = tracks[index].progress == slowest
        tracks[index].progress = time
        guard let slowest else { return false }
        tracks[index].isHeld = time - slowest > window
        return wasSlowest && free(slowest)
    }

    /// The track has ended: it holds back nobody any more. Returns whether others may go on because of it.
    mutating func release(_ index: Int) -> Bool {
        guard tracks[index].takesPart else { return false }
        tracks[index].takesPart = false
        tracks[index].isHeld = false
        return slowest.map { free($0) } ?? false
    }

    private mutating func free(_ slowest: MediaTime) -> Bool {
        var freesOthers = false
        for index in tracks.indices where tracks[index].isHeld && tracks[index].progress - slowest <= window {
            tracks[index].isHeld = false
            freesOthers = true
        }
        return freesOthers
    }

    /// Where the slowest unfinished track has got to; nil when none takes part.
    private var slowest: MediaTime? {
        var result: MediaTime?
        for track in tracks where track.takesPart { result = min(result ?? track.progress, track.progress) }
        return result
    }
}
