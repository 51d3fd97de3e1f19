import AVFoundation
import Capture
import Dispatch
import MediaTypes
import RealTime

/// The requests for photos that wait for the camera's next frame, on behalf of one output.
///
/// A request is answered with the next frame, or with the reason why none comes. Until then it retains the objects that
/// the answer needs.
final class PhotoRequests: CaptureSink {
    /// Called once, on the queue.
    typealias Answer = @Sendable (Result<SampleBuffer, AVError>) -> Void

    private struct State: Sendable {
        var waiting: [Answer] = []
        var isRunning = false
    }

    private let state = Locked(State())
    /// The queue on which frames are prepared and the program is called. The program may block it.
    private let queue = DispatchQueue(label: "recorder.photo-output")

    /// Requests the next frame. The request fails if the camera is removed from the session before that.
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

    /// Ends the requests for which no frame comes.
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
