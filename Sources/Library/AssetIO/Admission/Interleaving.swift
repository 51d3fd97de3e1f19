import MediaTypes

/// The progress of each pull source, and which of them may continue. A pure value.
///
/// A file plays well if samples that are presented together are stored together. A source that can wait is therefore
/// held back once it is ahead of the slowest unfinished source by more than the window. Progress counts appended
/// samples, not the encoder's output, so an encoder with a look-ahead holds back no other track. The slowest source is
/// never held back, so at least one source can always continue. Live sources and sparse ones (titles, timecodes) do not
/// take part, so their silence holds back no other track.
struct Interleaving: Sendable {
    private struct Track {
        var takesPart: Bool
        var progress: MediaTime
        var isHeld = false
    }

    /// The upper limit of the window. Within a fragment a track's samples are stored together anyway, so a window
    /// shorter than a fragment gains nothing in the file. A longer window needs more memory. Fragments longer than a
    /// second do not widen the window.
    static let widestWindow = MediaTime(value: 1, timescale: 1)

    let window: MediaTime
    private var tracks: [Track]

    /// - Parameters:
    ///   - fragmentInterval: the longest time range that one fragment holds.
    ///   - takesPart: for each track, true if it is a pull source of audio or video.
    init(fragmentInterval: MediaTime, takesPart: [Bool]) {
        window = min(fragmentInterval, Self.widestWindow)
        tracks = takesPart.map { Track(takesPart: $0, progress: .negativeInfinity) }
    }

    /// Begins the session. Sets the progress of all tracks to the session's start.
    mutating func begin(at start: MediaTime) {
        for index in tracks.indices { (tracks[index].progress, tracks[index].isHeld) = (start, false) }
    }

    /// Returns true if a track may continue.
    func mayContinue(_ index: Int) -> Bool { !tracks[index].isHeld }

    /// Records that a track has reached `time`. Returns true if another track may continue because of that.
    mutating func advance(_ index: Int, to time: MediaTime) -> Bool {
        guard tracks[index].takesPart, time > tracks[index].progress else { return false }
        let wasSlowest = tracks[index].progress == slowest
        tracks[index].progress = time
        guard let slowest else { return false }
        tracks[index].isHeld = time - slowest > window
        return wasSlowest && free(slowest)
    }

    /// Ends a track, so that it no longer holds back other tracks. Returns true if another track may continue because
    /// of that.
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

    /// The progress of the slowest unfinished track; nil if none takes part.
    private var slowest: MediaTime? {
        var result: MediaTime?
        for track in tracks where track.takesPart { result = min(result ?? track.progress, track.progress) }
        return result
    }
}
