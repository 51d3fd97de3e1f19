package import Capture
package import MediaTypes
import RTSP
import RealTime

/// Opens one network camera as often as needed, and the audio of its present connection.
package final class ReconnectingNetworkCamera: Sendable {
    private struct Notification: Sendable {
        let send: @Sendable () -> Void
    }

    private struct State {
        /// The present connection, which its keeper owns.
        weak var camera: NetworkCamera?
        /// The connection that is being opened.
        var opening: NetworkLink?
        var isStopped = false
        /// True once a source of the audio was returned.
        var hasReturnedAudio = false
        var pause = LoginPause()
        var whenOpen: Notification?
    }

    private let setup: NetworkCameraSetup
    private let resolver = NameResolver()
    private let clock = MonotonicClock()
    private let state = Locked(State())

    package init(_ setup: NetworkCameraSetup) { self.setup = setup }

    /// Connects. Blocks until the first keyframe has arrived, for half a minute at most.
    ///
    /// - Throws: The camera's last refusal, without connecting, if it is too early to send the same credentials again.
    package func open() throws(MediaError) -> any CaptureSource {
        let credentials = try setup.credentials()
        let now = clock.nanoseconds
        if let refusal = state.withLock({ $0.pause.refusal(of: credentials, at: now) }) { throw refusal }
        let link = NetworkLink()
        let isAllowed = state.withLock { state -> Bool in
            guard !state.isStopped else { return false }
            state.opening = link
            return true
        }
        guard isAllowed else { throw NetworkLink.stopped }
        defer { state.withLock { $0.opening = nil } }
        let camera: NetworkCamera
        do throws(MediaError) {
            camera = try NetworkCamera(setup, credentials, link: link, resolver: resolver)
        } catch {
            let now = clock.nanoseconds
            state.withLock { $0.pause.failed(error, with: credentials, at: now) }
            throw error
        }
        let notification = state.withLock { state -> Notification? in
            state.camera = camera
            state.pause.succeeded()
            return state.whenOpen
        }
        notification?.send()
        return camera
    }

    /// Returns the audio of the present connection. If the camera has described audio but not sent any yet, the first
    /// call returns a stand-in (`AwaitedAudio`), so that the audio can be awaited.
    ///
    /// - Throws: `notFound` without audio, or while the camera is disconnected.
    package func openAudio() throws(MediaError) -> any CaptureSource {
        let (present, isFirst) = state.withLock { ($0.camera, !$0.hasReturnedAudio) }
        guard let camera = present else {
            throw MediaError(
                .notFound, "cannot open the audio of \(setup.url.label)", reason: "the camera is disconnected")
        }
        let source: any CaptureSource
        if isFirst, let awaited = camera.awaitedAudio() { source = awaited } else { source = try camera.audio() }
        state.withLock { $0.hasReturnedAudio = true }
        return source
    }

    /// Calls a closure after each opening of the camera, so that its audio can be opened again.
    package func whenOpen(_ body: @escaping @Sendable () -> Void) {
        state.withLock { $0.whenOpen = Notification(send: body) }
    }

    /// Interrupts an opening that waits for the network, and refuses further ones. Does not block.
    package func interrupt() {
        let opening = state.withLock { state -> NetworkLink? in
            state.isStopped = true
            return state.opening
        }
        opening?.stopSignal.fire()
    }
}
