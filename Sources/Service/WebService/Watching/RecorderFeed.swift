import MediaTypes
import NIOCore
import RealTime
import RecorderControl

/// Distributes one stream of one recorder to all its viewers. It requests the stream from the recorder once, and keeps
/// the stream open as long as there are viewers.
///
/// The newest GOP is kept in memory, and new viewers begin with it. The stream is requested again whenever it ends.
final class RecorderFeed: Sendable {
    /// The time for which the stream stays open without viewers. Pages are often reloaded, and then need it again.
    private static let linger = Duration.seconds(3)
    /// The maximum size of the GOP that is kept for new viewers, in bytes.
    private static let largestGOP = 16 << 20

    private struct State {
        var viewers: [String: Viewer] = [:]
        var task: Task<Void, Never>?
        var ending: Task<Void, Never>?
        /// The newest header, and the messages since the newest keyframe.
        var head: ByteBuffer?
        var gop: [ByteBuffer] = []
        var gopBytes = 0
        /// False if the GOP is too large, and only its keyframe is kept.
        var isGOPWhole = true
        /// The reason why there is no stream.
        var problem: ByteBuffer?
    }

    let number: UInt16
    private let stream: WatchedStream
    private let client: ControlClient
    private let state = Locked(State())

    init(_ client: ControlClient, of stream: WatchedStream, number: UInt16) {
        self.client = client
        self.stream = stream
        self.number = number
    }

    func add(_ viewer: Viewer) {
        state.withLock { state in
            guard state.viewers.updateValue(viewer, forKey: viewer.id) == nil else { return }
            state.ending?.cancel()
            state.ending = nil
            if let problem = state.problem { viewer.enqueue(problem, of: number, .state(.unavailable)) }
            if let head = state.head { viewer.begin(head, state.gop, isWhole: state.isGOPWhole, of: number) }
            if state.task == nil { state.task = Task { await run() } }
        }
    }

    func remove(_ viewer: Viewer) {
        state.withLock { state in
            guard state.viewers.removeValue(forKey: viewer.id) != nil else { return }
            viewer.forget(number)
            guard state.viewers.isEmpty, state.ending == nil else { return }
            state.ending = Task { [weak self] in
                try? await Task.sleep(for: Self.linger)
                guard !Task.isCancelled else { return }
                self?.endIfUnwatched()
            }
        }
    }

    private func endIfUnwatched() {
        state.withLock { state in
            guard state.viewers.isEmpty else { return }
            state.ending = nil
            state.task?.cancel()
            state.task = nil
            state.head = nil
            state.gop = []
            state.gopBytes = 0
            state.problem = nil
        }
    }

    // MARK: The recorder's stream

    private func run() async {
        var pause = Duration.milliseconds(250)
        while !Task.isCancelled {
            do {
                let source = try await client.stream(stream.path)
                // If the task is cancelled while it waits for frames, closing the stream ends the wait.
                try await withTaskCancellationHandler {
                    var splitter = FragmentSplitter()
                    let leftOut = source.headers.first(name: "Recorder-Left-Out")
                    while let bytes = await source.body.next() {
                        for piece in try splitter.feed(bytes) { enqueue(piece, leftOut: leftOut) }
                        pause = .milliseconds(250)
                    }
                } onCancel: {
                    source.close()
                }
                guard !Task.isCancelled else { return }
                lose("the recorder ended its stream")
            } catch let error as MediaError {
                // The command line's hint would not help a viewer.
                lose(
                    error.code == .notFound
                        ? "\(stream.name) is not running." : PublicWords.withoutPaths(error.description))
            } catch {
                lose("the recorder sends an invalid stream")
            }
            try? await Task.sleep(for: pause)
            pause = min(pause * 2, .seconds(2))
        }
    }

    private func enqueue(_ piece: FragmentSplitter.Piece, leftOut: String?) {
        state.withLock { state in
            guard !Task.isCancelled else { return }
            switch piece {
            case .head(let bytes, let codecs):
                let head = WatchMessage.head(of: number, stream, bytes, codecs: codecs, leftOut: leftOut)
                state.head = head
                state.gop = []
                state.gopBytes = 0
                state.problem = nil
                for viewer in state.viewers.values { viewer.enqueue(head, of: number, .head) }
            case .media(let bytes, let isKey):
                let message = WatchMessage.make(.media, of: number, bytes)
                if isKey {
                    (state.gop, state.gopBytes, state.isGOPWhole) = ([message], message.readableBytes, true)
                } else if state.isGOPWhole, !state.gop.isEmpty {
                    state.gopBytes += message.readableBytes
                    state.isGOPWhole = state.gopBytes <= Self.largestGOP
                    if state.isGOPWhole { state.gop.append(message) } else { state.gop = [state.gop[0]] }
                }
                for viewer in state.viewers.values { viewer.enqueue(message, of: number, .media(isKey: isKey)) }
            }
        }
    }

    private struct Problem: Encodable {
        let reason: String
        let name: String
        let stream: WatchedStream.Kind
    }

    /// Reports that there is no stream. The task that reads the stream calls this. The call has no effect once that
    /// task is cancelled, because a newer task may already read the stream.
    func lose(_ reason: String) {
        let facts = Problem(reason: reason, name: stream.name, stream: stream.kind)
        state.withLock { state in
            guard !Task.isCancelled else { return }
            let problem = WatchMessage.make(.unavailable, of: number, facts)
            state.problem = problem
            state.head = nil
            state.gop = []
            state.gopBytes = 0
            for viewer in state.viewers.values { viewer.enqueue(problem, of: number, .state(.unavailable)) }
        }
    }
}
