import MediaTypes
import RealTime

/// A writer fed by readers, each track on its own serial queue, with one completion: how a movie is made from another.
///
/// The writer has started and has its session. Whatever happens the writer has ended when `run` returns, and nobody
/// works for it any more.
final class Transcode: Sendable {
    private struct State {
        var running: Int
        var failure: MediaError?
        var isCancelled = false
    }

    private let writer: AssetWriter
    private let tracks: [TranscodeTrack]
    private let state: Locked<State>
    private let done = Latch()

    init(writer: AssetWriter, tracks: [TranscodeTrack]) {
        self.writer = writer
        self.tracks = tracks
        state = Locked(State(running: tracks.count))
        if tracks.isEmpty { done.open() }
    }

    /// The time that every track has reached.
    var time: MediaTime { tracks.map(\.time).min() ?? .zero }

    /// The tracks that appended nothing, or nothing that lasts beyond `start`, by their places.
    func emptyTracks(from start: MediaTime) -> [Int] {
        tracks.indices.filter { index in tracks[index].mediaEnd.map { $0 <= start } ?? true }
    }

    /// Blocks the calling thread, which is none of Swift's pool.
    ///
    /// - Parameters:
    ///   - end: cuts the presentation; nil: it ends with the last sample.
    ///   - chapters: titles, for a writer that writes chapters; those that begin behind the media are left out.
    /// - Throws: what failed first, `cancelled` after `cancel`; the output is gone then.
    func run(endingAt end: MediaTime?, chapters: [AssetChapter] = []) throws(MediaError) {
        for track in tracks { track.start { self.ended($0) } }
        // A cancellation that came before the tracks were there.
        if state.withLock({ $0.isCancelled }) { cancelTracks() }
        done.waitBlocking()
        do throws(MediaError) {
            let (failure, isCancelled) = state.withLock { ($0.failure, $0.isCancelled) }
            if let failure { throw failure }
            // A cancelled source may just end, and its track with it: what was written then is not the whole film.
            if isCancelled { throw ExportState.cancellation }
            try addChapters(chapters)
            if let end { try writer.endSession(atSourceTime: end) }
            try writer.finishWritingBlocking()
        } catch {
            writer.cancelWriting()
            writer.removeWhatIsLeft()
            throw error
        }
    }

    /// A source may hold less than its header says, so titles come when the media is there.
    private func addChapters(_ chapters: [AssetChapter]) throws(MediaError) {
        guard let end = tracks.compactMap(\.mediaEnd).max() else { return }
        var last = MediaTime.negativeInfinity
        for chapter in chapters.sorted(by: { $0.timeRange.start < $1.timeRange.start }) {
            let start = chapter.timeRange.start
            guard start < end, start > last else { continue }
            try writer.addChapter(chapter.title, at: start)
            last = start
        }
    }

    /// Any thread, any time. Does nothing once the writer finishes.
    func cancel() {
        state.withLock { $0.isCancelled = true }
        cancelTracks()
    }

    private func cancelTracks() { for track in tracks { track.cancel() } }

    private func ended(_ error: MediaError?) {
        let (isLast, isFirstFailure) = state.withLock { state in
            state.running -= 1
            let isFirstFailure = error != nil && state.failure == nil
            // What goes wrong because its reader was cancelled is no failure of its own.
            if isFirstFailure { state.failure = state.isCancelled ? ExportState.cancellation : error }
            return (state.running == 0, isFirstFailure)
        }
        if isFirstFailure { cancelTracks() }
        if isLast { done.open() }
    }
}
