import AVFoundation
import Capture
import Dispatch
import MediaTypes
import RealTime

/// The photo requests of one output that wait for the camera's next frame.
///
/// Each request is answered with the next frame, or with the reason why no frame comes. Until it is answered, the
/// request retains the objects that the answer needs.
final class PhotoRequests: CaptureSink {
    /// The function that answers a request. Called once, on the queue.
    typealias Answer = @Sendable (Result<SampleBuffer, AVError>) -> Void

    private struct State: Sendable {
        var waiting: [Answer] = []
        var isRunning = false
    }

    private let state = Locked(State())
    /// The queue on which frames are prepared and the program's handlers are called. A handler may block the queue.
    private let queue = DispatchQueue(label: "recorder.photo-output")

    /// Requests the next frame. The request fails if the camera is removed from the session before the frame comes.
    func add(to output: AVCaptureOutput, _ answer: @escaping Answer) {
        let isWaiting = state.withLock { state in
            guard state.isRunning else { return false }
            state.waiting.append(answer)
            return true
        }
        guard isWaiting else { return send(.failure(Self.notRunning), to: [answer]) }
        if !output.connections.contains(where: \.isActive) { refuseWithoutCamera() }
    }

    private func send(_ frame: Result<SampleBuffer, AVError>, to answers: [Answer]) {
        guard !answers.isEmpty else { return }
        queue.async { for answer in answers { answer(frame) } }
    }

    private func takeWaiting() -> [Answer] {
        state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
    }

    private static let notRunning = AVError(
        .sessionNotRunning,
        MediaError(
            .invalidState, "cannot capture a photo", reason: "the session is not running",
            wayOut: "call startRunning first"))

    // MARK: The session's side

    /// Ends all waiting requests with an error, because no frame will come.
    func refuseWithoutCamera() {
        let error = MediaError(
            .invalidState, "cannot capture a photo", reason: "the output is not connected to a camera",
            wayOut: "add a camera to the session, and enable its connection")
        send(.failure(AVError(error)), to: takeWaiting())
    }

    func sessionIsRunning(_ isRunning: Bool) {
        let left = state.withLock { state in
            state.isRunning = isRunning
            defer { if !isRunning { state.waiting = [] } }
            return isRunning ? [] : state.waiting
        }
        send(.failure(Self.notRunning), to: left)
    }

    func receive(_ event: DeviceEvent) {
        if case .sample(let frame) = event { send(.success(frame), to: takeWaiting()) }
    }
}
