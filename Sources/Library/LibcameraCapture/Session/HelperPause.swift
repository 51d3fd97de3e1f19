package import MediaTypes

/// Decides when another helper is started after one failed. A plain value; times are nanoseconds of the monotonic
/// clock.
///
/// A camera's keeper tries again every two seconds. Each helper costs a process and a search for cameras. So after
/// helpers that fail by themselves, the next one is started after 1, 2, 4 … 30 s. The absence of the camera causes no
/// pause. If a helper delivered frames for ten seconds, the next one is started at once, because libcamera itself ends
/// the process when a camera is unplugged.
package struct HelperPause: Sendable {
    package static let shortest: Int64 = 1_000_000_000
    package static let longest: Int64 = 30_000_000_000
    package static let steadyTime: Int64 = 10_000_000_000

    private var failures: Int64 = 0
    private var end: Int64 = .min
    private var error: MediaError?

    package init() {}

    /// Returns the last failure while another helper must not be started yet; nil once it may be started.
    package func refusal(at now: Int64) -> MediaError? { now < end ? error : nil }

    /// Records the end of a session.
    ///
    /// - Parameters:
    ///   - error: The end as it was reported.
    ///   - streamed: The nanoseconds from the first to the last frame of the session.
    package mutating func ended(_ cause: SessionEnd, _ error: MediaError, streamed: Int64, at now: Int64) {
        guard streamed < Self.steadyTime else {
            self = HelperPause()
            return
        }
        guard cause.isFaultOfHelper else { return }
        end = now + min(Self.longest, Self.shortest << min(failures, 8))
        failures += 1
        self.error = error
    }
}
