import Capture
import MediaTypes
import RealTime

/// The frames of one helper's camera: opens the camera, maps its buffers, and delivers its frames.
///
/// Created by the thread that opens the camera; run and then closed by the camera's own thread. If that thread never
/// started, the caller of `LibcameraCamera.stop` closes the stream.
final class LibcameraStream: @unchecked Sendable {
    // Unchecked: used by one thread at a time, in the order above, with CaptureThread's lock between them.

    /// Called if the helper ends before it is closed. The arguments are the reason, the error, and the nanoseconds from
    /// the first frame to the last one.
    typealias WhenEnded = @Sendable (SessionEnd, MediaError, Int64) -> Void

    let configuration: StreamConfiguration
    /// libcamera's version.
    let version: String

    private let connection: HelperConnection
    private let memory: FrameMemory
    private let format: FormatDescription
    private let camera: String
    /// Interrupts an opening or a start that waits for the helper.
    private let interruption: WakeUp?
    private let whenEnded: WhenEnded
    private let clock = MonotonicClock()
    /// The times of the first and the last frame, in nanoseconds.
    private var firstFrame: Int64?
    private var lastFrame: Int64 = 0

    /// Starts a helper and opens the camera. Blocks for at most 20 s.
    ///
    /// - Parameter controls: The controls to set before the first frame.
    init(
        _ request: StreamRequest, controls: [(name: String, value: Double)], launcher: HelperLauncher,
        interruption: WakeUp?, whenEnded: @escaping WhenEnded
    ) throws(MediaError) {
        let action = "cannot open the camera \(request.camera)"
        let settings = controls.map { RecorderMessage.set(control: $0.name, value: $0.value) }
        let messages = [RecorderMessage.open(request)] + settings
        guard messages.allSatisfy({ $0.encoded() != nil }) else {
            throw MediaError(
                .invalidSettings, action, reason: "libcamera has no such name, size, rate or value",
                wayOut: "`recorder devices --controls` lists the names of cameras and controls")
        }
        let connection = try HelperConnection(request, launcher: launcher, action)
        let opened: Opened
        do throws(SessionFailure) {
            opened = try Self.open(connection, until: interruption)
            for message in settings { try connection.mustSend(message) }
        } catch {
            let ended = error.end.error(action, camera: request.camera)
            connection.endProgram()
            whenEnded(error.end, ended, 0)
            throw ended
        }
        self.connection = connection
        configuration = opened.configuration
        memory = opened.memory
        version = connection.session.version
        format = .video(opened.configuration.videoFormat)
        camera = request.camera
        self.interruption = interruption
        self.whenEnded = whenEnded
    }

    /// The result of an opening.
    private struct Opened {
        let configuration: StreamConfiguration
        let memory: FrameMemory
    }

    /// Performs the steps of a session until the camera is open.
    private static func open(
        _ connection: HelperConnection, until interruption: WakeUp?
    ) throws(SessionFailure) -> Opened {
        var memory: FrameMemory?
        while true {
            guard let action = connection.next(stop: interruption) else { throw SessionFailure(end: .interrupted) }
            switch action {
            case .send(let message): try connection.mustSend(message)
            case .map(let index, let plan): memory = try map(index, plan, connection, memory)
            case .mapLast(let index, let plan):
                let complete = try map(index, plan, connection, memory)
                guard let configuration = connection.session.configuration else {
                    throw SessionFailure(end: .unexpectedMessage("a buffer"))
                }
                return Opened(configuration: configuration, memory: complete)
            case .end(let cause): throw SessionFailure(end: cause)
            default: break
            }
        }
    }

    private static func map(
        _ index: Int, _ plan: BufferPlan, _ connection: HelperConnection, _ known: FrameMemory?
    ) throws(SessionFailure) -> FrameMemory {
        guard let configuration = connection.session.configuration else {
            throw SessionFailure(end: .unexpectedMessage("a buffer"))
        }
        let memory =
            known
            ?? FrameMemory(
                configuration.videoFormat, stride: configuration.stride, byteCount: plan.planes[0].count)
        do throws(BufferFault) {
            memory.add(index, plan, try BufferMemory(index, plan, connection.takeDescriptors()))
        } catch {
            throw SessionFailure(end: .invalidBuffer(error))
        }
        return memory
    }

    /// Starts the camera. Blocks until it has started, for at most 10 s.
    func start() throws(MediaError) {
        let action = "cannot start the camera \(camera)"
        guard let message = connection.session.start(at: clock.nanoseconds) else {
            throw MediaError(.invalidState, action, reason: "it was started or stopped before")
        }
        do throws(SessionFailure) {
            try connection.mustSend(message)
            while connection.session.phase == .starting {
                guard let action = connection.next(stop: interruption) else {
                    throw SessionFailure(end: .interrupted)
                }
                if case .end(let cause) = action { throw SessionFailure(end: cause) }
            }
        } catch {
            throw end(error.end, action)
        }
    }

    /// Runs until `stop` fires or the camera fails. The caller closes the stream afterwards.
    func run(stop: WakeUp, receiver: (DeviceEvent) -> Void) {
        while let action = connection.next(stop: stop) {
            // Return buffers first. The more buffers the camera has, the less likely it is that the frame has to be
            // copied.
            var last = returnReleased()
            if case .nothing = last { last = perform(action, receiver) }
            if case .nothing = last { last = returnReleased() }
            guard case .end(let cause) = last else { continue }
            return receiver(.gone(end(cause, "lost the camera \(camera)")))
        }
    }

    /// Performs a step of the session.
    ///
    /// - Returns: The next step: the end, or nothing.
    private func perform(_ action: SessionAction, _ receiver: (DeviceEvent) -> Void) -> SessionAction {
        switch action {
        case .deliver(let frame): return deliver(frame, receiver)
        case .damaged(let frame):
            reportLoss(frame, receiver)
            receiver(.lost(count: 1, cause: .corrupt, near: frame.time))
            return giveBack(frame.buffer)
        case .giveBack(let buffer): return giveBack(buffer)
        case .end: return action
        // The other steps belong to an opening, or need no reaction.
        default: return .nothing
        }
    }

    /// Ends the helper. Lent frames stay valid. Idempotent.
    func close() { connection.close() }

    private func deliver(_ frame: CapturedFrame, _ receiver: (DeviceEvent) -> Void) -> SessionAction {
        lastFrame = clock.nanoseconds
        if firstFrame == nil { firstFrame = lastFrame }
        reportLoss(frame, receiver)
        let (content, isCopied) = memory.content(of: frame, queuedCount: connection.session.queuedCount)
        let next = isCopied ? giveBack(frame.buffer) : .nothing
        if let content {
            receiver(.sample(SampleBuffer(format: format, content: content, presentationTime: frame.time)))
        } else {
            receiver(.lost(count: 1, cause: .corrupt, near: frame.time))
        }
        return next
    }

    private func reportLoss(_ frame: CapturedFrame, _ receiver: (DeviceEvent) -> Void) {
        if frame.lost > 0 { receiver(.lost(count: frame.lost, cause: .device, near: frame.time)) }
    }

    /// Returns to the camera all buffers that their last users have released.
    private func returnReleased() -> SessionAction {
        var next = SessionAction.nothing
        memory.forEachReleased { buffer in
            if case .nothing = next { next = giveBack(buffer) }
        }
        return next
    }

    private func giveBack(_ buffer: Int) -> SessionAction {
        connection.send(connection.session.returned(buffer, at: clock.nanoseconds))
    }

    /// Ends the helper after a failure, and returns the error.
    private func end(_ cause: SessionEnd, _ action: String) -> MediaError {
        let error = cause.error(action, camera: camera)
        connection.endProgram()
        whenEnded(cause, error, firstFrame.map { lastFrame - $0 } ?? 0)
        return error
    }
}

/// The end of a session, as an error.
struct SessionFailure: Error {
    let end: SessionEnd
}

extension HelperConnection {
    /// Sends a message.
    ///
    /// - Throws: The end of the session, if the helper has ended or does not read.
    fileprivate func mustSend(_ message: RecorderMessage) throws(SessionFailure) {
        if case .end(let cause) = send(message) { throw SessionFailure(end: cause) }
    }
}
