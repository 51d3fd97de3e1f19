package import Capture
package import MediaTypes
import RealTime

/// Opens one camera behind libcamera as often as needed, each time with a new helper.
package final class ReconnectingLibcameraCamera: Sendable {
    private let request: StreamRequest
    private let controls: @Sendable () -> [(name: String, value: Double)]
    private let launcher: HelperLauncher
    private let clock = MonotonicClock()
    private let pause = Locked(HelperPause())
    private let interruption = WakeUp()

    /// - Parameter controls: Returns the values of the controls to set; called at each opening.
    package init(
        _ request: StreamRequest, controls: @escaping @Sendable () -> [(name: String, value: Double)] = { [] },
        launcher: HelperLauncher
    ) {
        self.request = request
        self.controls = controls
        self.launcher = launcher
    }

    /// Starts a helper and opens the camera. Blocks for at most 20 s.
    ///
    /// - Throws: The last failure, without starting a helper, if it is too early for another helper.
    package func open() throws(MediaError) -> any CaptureSource {
        // Capture only these properties, so that the closure does not retain this object.
        let (pause, clock) = (self.pause, self.clock)
        let now = clock.nanoseconds
        if let refusal = pause.withLock({ $0.refusal(at: now) }) { throw refusal }
        return try LibcameraCamera(
            request, controls: controls(), launcher: launcher, interruption: interruption
        ) { cause, error, streamed in
            let now = clock.nanoseconds
            pause.withLock { $0.ended(cause, error, streamed: streamed, at: now) }
        }
    }

    /// Interrupts an opening or a start that waits for its helper, and refuses further ones. Does not block.
    package func interrupt() { interruption.fire() }
}
