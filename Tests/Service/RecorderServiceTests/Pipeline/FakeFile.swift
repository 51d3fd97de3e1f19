import AssetIO
import MediaTypes
import RealTime

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// A file that remembers its packets. It reports by itself that it is open, has begun and is finalized, unless a test
/// reports the end.
final class FakeFile: RecordingFileSink {
    private struct State {
        var packets: [SampleBuffer] = []
        var chapters: [String] = []
        var end: MediaTime?
        var isCancelled = false
        var hasFailed = false
        var location: OutputLocation?
        var backlog: Int64 = 0
        var unwritten = UnwrittenPackets()
        var mirroredFiles: [MirroredFileStatus] = []
        /// The packets of each track that a failed file has written.
        var written: [MediaType: Int64] = [:]
    }

    let opening: RecordingFileOpening
    let plan: RecordingFile.Plan
    private let tellsEnd: Bool
    private let events: @Sendable (RecordingFileEvent) -> Void
    private let state = Locked(State())

    /// - Parameter tellsEnd: true to report by itself that the file is finalized.
    init(
        _ opening: RecordingFileOpening, _ plan: RecordingFile.Plan, tellsEnd: Bool = true,
        events: @escaping @Sendable (RecordingFileEvent) -> Void
    ) {
        self.opening = opening
        self.plan = plan
        self.tellsEnd = tellsEnd
        self.events = events
        do throws(MediaError) {
            let taken = Locked<OutputLocation?>(nil)
            try plan.place.take { location throws(MediaError) in taken.withLock { $0 = location } }
            state.withLock { state in state.location = taken.withLock { $0 } }
            events(.opened)
        } catch {
            fail(error)
        }
    }

    /// Ignores a packet of a format that the file lacks.
    func append(_ packet: SampleBuffer) {
        guard opening.stores(packet) else { return }
        let isFirst = state.withLock { state in
            let account = plan.accounts[packet.format.mediaType]
            account.enter(packet)
            state.unwritten.append(packet)
            guard !state.hasFailed else { return false }
            account.recordWritten(packet.ledgerCount)
            state.packets.append(packet)
            return state.packets.count == 1
        }
        if isFirst { events(.began) }
    }

    func addChapter(_ title: String, at time: MediaTime) {
        state.withLock { $0.chapters.append("\(title) \(time.ticks(in: 1000))") }
    }

    func finish(at end: MediaTime) {
        let isLost = state.withLock { state in
            state.end = end
            return state.hasFailed
        }
        if tellsEnd, !isLost { events(.finished) }
    }

    /// Sets the status of one of its mirrored files.
    func setStatus(_ index: Int, _ status: MirroredFileStatus) {
        state.withLock { state in
            while state.mirroredFiles.count <= index {
                state.mirroredFiles.append(MirroredFileStatus(condition: .complete, path: ""))
            }
            state.mirroredFiles[index] = status
        }
        events(.mirroredFile(index, status))
    }

    var mirroredFiles: [MirroredFileStatus] { state.withLock { $0.mirroredFiles } }

    func rest(all: Bool) -> UnwrittenRest {
        state.withLock { state in
            let rest = state.unwritten.rest(
                video: state.written[.video] ?? 0, audio: state.written[.audio] ?? 0, all: all)
            for (type, part) in rest.accounts { plan.accounts[type].release(part) }
            return rest
        }
    }

    /// Fails the file, and leaves its last `unwritten` packets out.
    func cutShort(_ error: MediaError, unwritten: Int) {
        state.withLock { state in
            state.hasFailed = true
            state.packets.removeLast(unwritten)
            for type in [MediaType.video, .audio] {
                let kept = state.packets.filter { $0.format.mediaType == type }.reduce(0) { $0 + $1.ledgerCount }
                // The rest was counted as written when it was appended.
                var lost = Ledger()
                lost.written = plan.accounts[type].written - kept
                plan.accounts[type].release(lost)
                state.written[type] = kept
            }
            plan.accounts.close()
            state.unwritten.trim(video: state.written[.video] ?? 0, audio: state.written[.audio] ?? 0)
        }
        events(.cutShort(error))
    }

    func discardEmpty() -> Bool {
        state.withLock { state in
            guard state.packets.isEmpty else { return false }
            state.isCancelled = true
            return true
        }
    }

    func cancel() { state.withLock { $0.isCancelled = true } }

    /// Reports that the file is finalized.
    func complete() { events(.finished) }

    /// Fails the file: nothing more can be written.
    func fail(_ error: MediaError) {
        state.withLock { $0.hasFailed = true }
        plan.accounts.close()
        events(.failed(error))
    }

    /// Sets the number of bytes that wait for the disk.
    func fallBehind(by bytes: Int64) { state.withLock { $0.backlog = bytes } }

    var end: MediaTime? { state.withLock { $0.end } }
    var bytesWritten: Int64 { state.withLock { $0.packets.reduce(0) { $0 + Int64($1.byteCount) } } }
    var backlog: Int64 { state.withLock { $0.backlog } }
    func ledger(_ mediaType: MediaType) -> Ledger { plan.accounts[mediaType].ledger }

    var packets: [SampleBuffer] { state.withLock { $0.packets } }
    var chapters: [String] { state.withLock { $0.chapters } }
    var isCancelled: Bool { state.withLock { $0.isCancelled } }
    var path: String? { state.withLock { $0.location?.path } }
    var isWhole: Bool { state.withLock { $0.end != nil && !$0.hasFailed } }

    /// The times of the packets of one type, in milliseconds.
    func times(_ type: MediaType) -> [Int64] {
        packets.filter { $0.format.mediaType == type }.map { $0.presentationTime.ticks(in: 1000) }
    }

    /// The times of the shown frames, in milliseconds.
    var shown: [Int64] {
        packets.filter { $0.format.mediaType == .video && $0.ledgerCount > 0 }.map {
            $0.presentationTime.ticks(in: 1000)
        }
    }
}

/// All files that a process has begun.
final class FakeFiles: Sendable {
    private let state = Locked((files: [FakeFile](), tellEnd: true))

    func make(
        _ opening: RecordingFileOpening, _ plan: RecordingFile.Plan,
        _ events: @escaping @Sendable (RecordingFileEvent) -> Void
    ) -> any RecordingFileSink {
        let file = FakeFile(opening, plan, tellsEnd: state.withLock { $0.tellEnd }, events: events)
        state.withLock { $0.files.append(file) }
        return file
    }

    /// Sets whether future files report by themselves that they are finalized.
    func tellEnd(_ tellEnd: Bool) { state.withLock { $0.tellEnd = tellEnd } }

    var all: [FakeFile] { state.withLock { $0.files } }
}
