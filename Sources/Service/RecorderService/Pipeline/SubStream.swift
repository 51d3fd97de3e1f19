import AssetIO
import MediaTypes
import RealTime
import RecorderControl
import RecorderStorage
import Synchronization

/// The sub-stream: a small stream of the recorded frames, encoded only while viewers watch it.
///
/// The encoder of the sub-stream has its own thread, with a lower priority than the threads of the recording. `offer`
/// is for the camera's thread and never waits. If the encoder is not ready for a frame, that frame is missing in the
/// sub-stream only. Everything else can be called from any thread.
final class SubStream: Sendable {
    /// Opens an encoder for frames of a format. Called on separate threads.
    typealias Maker = @Sendable (FormatDescription, any PacketSink) throws(MediaError) -> any EncoderGeneration

    /// The figures for the status.
    struct Figures: Sendable, Equatable {
        var viewers = 0
        /// The number of frames that were left out because too many frames waited for the encoder.
        var dropped: Int64 = 0
        var isEncoding = false
    }

    private struct State {
        var pace: FramePace
        /// The open encoder, and the format of its frames.
        var encoder: (generation: any EncoderGeneration, format: FormatDescription)?
        /// True while an encoder is being opened.
        var isOpening = false
        /// The number of the current encoder, which is open or being opened. A new number ends all earlier encoders.
        var number = 0
        var unwatchedSince: Int64?
        var failure: (error: MediaError, retryAt: Int64)?
        var dropped: Int64 = 0
        var isFinished = false
        /// The time from which on frames have the current masks; nil if the masks have not changed.
        var masksChangedAt: MediaTime?
        /// True until the first frame is offered after the change. Only that frame may still have the former masks.
        var mayBeFormer = false

        /// Returns true if the frame that is being offered has former masks. `time` is the time of this frame.
        mutating func isFormer(_ time: MediaTime) -> Bool {
            defer { mayBeFormer = false }
            return mayBeFormer && masksChangedAt.map { time < $0 } ?? false
        }

        /// Ends the current encoder, even if it is still being opened. Returns the encoder if it is open.
        mutating func release() -> (any EncoderGeneration)? {
            defer { encoder = nil }
            number += 1
            isOpening = false
            return encoder?.generation
        }
    }

    /// The maximum number of frames that wait for the encoder.
    static let mostWaiting = 2
    /// The time without viewers after which the encoder ends, in nanoseconds. It is long enough for reloading a page.
    static let linger: Int64 = 3_000_000_000
    /// The time between a failure and the next attempt to open an encoder, in nanoseconds.
    static let patience: Int64 = 10_000_000_000

    let settings: SubstreamSettings
    private let feed = LiveFeed()
    private let state: Locked<State>
    /// The number of the encoder whose packets are sent.
    private let current = Atomic(0)
    private let clock: any HostClock
    private let make: Maker
    private let report: @Sendable (MediaError) -> Void

    /// - Parameter report: Gets the error of an encoder that cannot be opened or that failed.
    init(
        _ settings: SubstreamSettings, clock: any HostClock, make: @escaping Maker,
        report: @escaping @Sendable (MediaError) -> Void
    ) {
        self.settings = settings
        self.clock = clock
        self.make = make
        self.report = report
        state = Locked(State(pace: FramePace(settings.frameRate)))
    }

    // MARK: The camera's thread

    private enum Step {
        case none
        case append(any EncoderGeneration)
        case open(Int, former: (any EncoderGeneration)?)
    }

    /// Offers a recorded frame. Without viewers, this only reads one atomic value.
    func offer(_ frame: SampleBuffer) {
        guard feed.isWatched else { return }
        let now = clock.nanoseconds
        let step = state.withLock { state -> Step in
            let time = frame.presentationTime
            guard !state.isFormer(time), !state.isFinished, !state.isOpening, state.pace.takes(time) else {
                return .none
            }
            if let encoder = state.encoder, encoder.format == frame.format { return .append(encoder.generation) }
            if let failure = state.failure, now < failure.retryAt { return .none }
            // A camera that reconnected with another format gets another encoder.
            let former = state.release()
            state.isOpening = true
            return .open(state.number, former: former)
        }
        switch step {
        case .none: break
        case .append(let encoder):
            if encoder.queueDepth < Self.mostWaiting {
                encoder.append(frame)
            } else {
                state.withLock { $0.dropped += 1 }
            }
        case .open(let number, let former):
            former?.markAsFinished()
            open(frame.format, number, from: frame.presentationTime)
        }
    }

    // MARK: The encoder

    private func open(_ format: FormatDescription, _ number: Int, from start: MediaTime) {
        current.store(number, ordering: .releasing)
        let make = make
        let sink = SubStreamSink { [weak self] packet in
            self?.receive(packet, number)
        } ended: { [weak self] error in
            self?.ended(number, error)
        }
        Task { [weak self] in
            let made = await blockingCall("open-substream") {
                Result<any EncoderGeneration, MediaError> { () throws(MediaError) -> any EncoderGeneration in
                    try SubStream.started(make(format, sink), sink, from: start)
                }
            }
            guard let self else {
                if case .success(let encoder) = made { encoder.markAsFinished() }
                return
            }
            opened(made, format, number)
        }
    }

    private static func started(
        _ encoder: any EncoderGeneration, _ sink: SubStreamSink, from start: MediaTime
    ) throws(MediaError) -> any EncoderGeneration {
        sink.connect(encoder)
        do throws(MediaError) {
            try encoder.start(at: start) { NamedThread.stepBack(as: "sub-encode") }
        } catch {
            sink.disconnect()
            throw error
        }
        return encoder
    }

    private func opened(_ made: Result<any EncoderGeneration, MediaError>, _ format: FormatDescription, _ number: Int) {
        switch made {
        case .failure(let error): failed(number, error)
        case .success(let encoder):
            let isWanted = state.withLock { state in
                guard state.number == number, state.isOpening else { return false }
                state.encoder = (encoder, format)
                state.isOpening = false
                state.failure = nil
                state.pace.restart()
                return true
            }
            if !isWanted { encoder.markAsFinished() }
        }
    }

    private func receive(_ packet: SampleBuffer, _ number: Int) {
        // An encoder that was replaced may still have packets.
        guard current.load(ordering: .acquiring) == number else { return }
        feed.accept(packet)
    }

    private func ended(_ number: Int, _ error: MediaError?) {
        guard let error else { return }
        failed(number, error)
    }

    private func failed(_ number: Int, _ error: MediaError) {
        let retryAt = clock.nanoseconds + Self.patience
        let isNews = state.withLock { state in
            guard state.number == number else { return false }
            _ = state.release()
            state.failure = (error, retryAt)
            return true
        }
        guard isNews else { return }
        report(error)
        // Viewers then request the stream again, and get the error as the reason.
        feed.end()
    }

    // MARK: Viewers

    /// Adds a viewer. Its first packet is a keyframe, encoded from the next frame that has the current masks. Frames
    /// with former masks may still be in the encoder.
    ///
    /// - Parameters:
    ///   - limit: Maximum bytes that may wait for the viewer.
    ///   - wallClock: Same as for `LiveWatcher`.
    /// - Throws: the error of an encoder that failed recently.
    func watch(
        limit: Int, wallClock: @escaping @Sendable (MediaTime) -> Double?
    ) throws(MediaError) -> (watch: LiveWatch, formats: [FormatDescription]) {
        let now = clock.nanoseconds
        let (encoder, failure, masked) = state.withLock { state in
            state.pace.restart()
            return (state.encoder?.generation, state.failure, state.masksChangedAt)
        }
        if let failure, now < failure.retryAt { throw failure.error }
        let watcher = LiveWatcher(limit: limit, hasVideo: true, from: masked, wallClock: wallClock)
        feed.add(watcher)
        encoder?.requestKeyframe(at: masked ?? .zero)
        return (LiveWatch(watcher, of: feed), [encoder?.format].compactMap(\.self))
    }

    /// Handles a change of masks. A viewer that begins later gets no frame from before `time`.
    func masksChanged(at time: MediaTime) {
        state.withLock { state in
            state.masksChangedAt = time
            state.mayBeFormer = true
        }
    }

    /// Ends the encoder if there were no viewers for some time. Called about twice a second.
    func tick(at now: Int64) {
        let isWatched = feed.isWatched
        let encoder = state.withLock { state -> (any EncoderGeneration)? in
            guard !isWatched, state.encoder != nil || state.isOpening else {
                state.unwatchedSince = nil
                return nil
            }
            let since = state.unwatchedSince ?? now
            state.unwatchedSince = since
            guard now - since >= Self.linger else { return nil }
            state.unwatchedSince = nil
            return state.release()
        }
        encoder?.markAsFinished()
    }

    /// Ends the encoder and all viewers.
    func finish() {
        let encoder = state.withLock { state in
            state.isFinished = true
            return state.release()
        }
        encoder?.markAsFinished()
        feed.end()
    }

    var figures: Figures {
        let viewers = feed.watcherCount
        return state.withLock { state in
            Figures(viewers: viewers, dropped: state.dropped, isEncoding: state.encoder != nil)
        }
    }
}
