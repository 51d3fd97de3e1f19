import MediaTypes
import RealTime

/// The state that the thread of a network camera shares with the sources of its streams.
final class NetworkLink: Sendable {
    /// The streams of a camera that is open.
    struct Streams: Sendable {
        var video: FormatDescription
        /// nil if there is no audio, or none is wanted.
        var audio: FormatDescription?
        /// False while the camera has described its audio but not sent any.
        var hasAudioBegun = true
        /// The encoding that the camera sends, if its audio is decoded here; nil if it is delivered as it is.
        var decodedAudio: String?
        var frameRate: FrameRate?
        /// "TCP", "UDP" or "TLS".
        var transport: String
    }

    private enum Phase: Sendable {
        case opening
        case open(Streams)
        /// The thread has ended, or is about to. The error is nil if the thread was stopped.
        case ended(MediaError?)
    }

    private struct State: Sendable {
        var phase = Phase.opening
        /// The streams with a source. Once there are none, the thread ends.
        var users: Set<MediaType> = [.video]
    }

    private let state = Locked(State())
    let video = EventTap()
    let audio = EventTap()
    /// Fired once the thread has to end.
    let stopSignal = WakeUp()
    /// Fired when a stream was started, so that the samples that wait for it are delivered.
    let startSignal = WakeUp()

    var isUsable: Bool { stopSignal.isUsable && startSignal.isUsable }

    func tap(_ type: MediaType) -> EventTap { type == .audio ? audio : video }

    // MARK: The camera's thread

    func opened(_ streams: Streams) {
        state.withLock { if case .opening = $0.phase { $0.phase = .open(streams) } }
        state.broadcast()
    }

    /// Records that the first audio arrived, after the camera was opened.
    ///
    /// - Parameter encoding: as `Streams.decodedAudio`.
    func audioBegan(_ format: FormatDescription, decodedFrom encoding: String?) {
        state.withLock { state in
            guard case .open(var streams) = state.phase else { return }
            (streams.audio, streams.decodedAudio, streams.hasAudioBegun) = (format, encoding, true)
            state.phase = .open(streams)
        }
    }

    func ended(_ error: MediaError?) {
        state.withLock { $0.phase = .ended(error) }
        state.broadcast()
    }

    // MARK: The sources

    /// Blocks until the camera is open.
    ///
    /// - Throws: The reason why the camera could not be opened; `cancelled` if it was stopped.
    func waitUntilOpen() throws(MediaError) -> Streams {
        let result: Result<Streams, MediaError> = state.waiting { state -> Result<Streams, MediaError>? in
            switch state.phase {
            case .opening: return nil
            case .open(let streams): return .success(streams)
            case .ended(let error): return .failure(error ?? Self.stopped)
            }
        }
        return try result.get()
    }

    /// The error for a camera that was stopped.
    static let stopped = MediaError(.cancelled, "cannot open the camera", reason: "it was stopped")

    /// The streams of the camera; nil unless it is open.
    var streams: Streams? {
        state.withLock { state -> Streams? in
            if case .open(let streams) = state.phase { return streams }
            return nil
        }
    }

    /// The reason why the camera has ended; nil before that.
    var failure: MediaError? {
        state.withLock { state -> MediaError? in
            if case .ended(let error) = state.phase { return error ?? Self.stopped }
            return nil
        }
    }

    /// Adds a source for a stream. The thread runs at least until that source leaves.
    ///
    /// - Returns: False if the stream has a source already, or if the thread has to end.
    func join(_ type: MediaType) -> Bool {
        state.withLock { state -> Bool in
            guard case .open = state.phase, !state.users.isEmpty else { return false }
            return state.users.insert(type).inserted
        }
    }

    /// Removes the source of a stream. The thread ends after the last source was removed.
    ///
    /// - Parameter waits: True to wait until the thread has ended, if this was the last source.
    func leave(_ type: MediaType, waits: Bool) {
        let isLast = state.withLock { state -> Bool in
            state.users.remove(type)
            return state.users.isEmpty
        }
        guard isLast else { return }
        stopSignal.fire()
        guard waits else { return }
        _ = state.waiting { state -> Bool? in
            if case .ended = state.phase { return true }
            return nil
        }
    }
}
