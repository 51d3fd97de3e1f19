import MediaTypes
import RealTime

/// Feeds a writer from readers. Each track has its own serial queue, and all tracks share one completion. Every export
/// uses it.
///
/// The writer must have started, and its session must have begun. When `run` returns, the writer has ended in every
/// case, and no thread works for it any more.
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

    /// Returns the indices of the tracks that appended no media after `start`.
    func emptyTracks(from start: MediaTime) -> [Int] {
        tracks.indices.filter { index in tracks[index].mediaEnd.map { $0 <= start } ?? true }
    }

    /// Runs the transcode until it has ended. Blocks the calling thread, which must not be from Swift's pool.
    ///
    /// - Parameters:
    ///   - end: the end of the presentation; nil if it ends with the last sample.
    ///   - chapters: the chapters, for a writer with a chapter track. Chapters that begin after the media are left out.
    /// - Throws: the first error, `cancelled` after `cancel`; the output is then removed.
    func run(endingAt end: MediaTime?, chapters: [AssetChapter] = []) throws(MediaError) {
        for track in tracks { track.start { self.ended($0) } }
        // The run may have been cancelled before the tracks were started.
        if state.withLock({ $0.isCancelled }) { cancelTracks() }
        done.waitBlocking()
        do throws(MediaError) {
            let (failure, isCancelled) = state.withLock { ($0.failure, $0.isCancelled) }
            if let failure { throw failure }
            // A cancelled source may simply end without an error, and its track ends too. The written file is then
            // incomplete.
            if isCancelled { throw Self.cancellation }
            try addChapters(chapters)
            if let end { try writer.endSession(atSourceTime: end) }
            try writer.finishWritingNow()
        } catch {
            writer.cancelWriting()
            writer.removeWhatIsLeft()
            throw error
        }
    }

    /// Adds the chapters last, because a source may contain less than its header states.
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

    /// Cancels the run. Thread-safe. Does nothing once the writer finishes.
    func cancel() {
        state.withLock { $0.isCancelled = true }
        cancelTracks()
    }

    private func cancelTracks() { for track in tracks { track.cancel() } }

    /// The error of a cancelled export.
    static var cancellation: MediaError {
        MediaError(.cancelled, "cannot export", reason: "it was cancelled")
    }

    private func ended(_ error: MediaError?) {
        let (isLast, isFirstFailure) = state.withLock { state in
            state.running -= 1
            let isFirstFailure = error != nil && state.failure == nil
            // An error that follows from cancelling the reader is reported as a cancellation.
            if isFirstFailure { state.failure = state.isCancelled ? Self.cancellation : error }
            return (state.running == 0, isFirstFailure)
        }
        if isFirstFailure { cancelTracks() }
        if isLast { done.open() }
    }
}
