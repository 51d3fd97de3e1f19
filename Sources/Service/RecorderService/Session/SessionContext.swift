import Logging
import NetworkCapture
import RecorderStorage

/// The values that all parts of a session share. They stay the same until the session ends.
struct SessionContext: Sendable {
    /// The configuration at the start. `SessionState.settings` is the current one.
    let configuration: RecordingConfiguration
    let foundations: SessionFoundations
    let log: Logger
    let hooks: HookRunner?
    /// Changes the camera's frames before they are recorded or shown.
    let stage: CameraStage
    let latencies = SessionLatencies()
    /// Returns the packets of a network camera so far; nil for other cameras.
    let reception: @Sendable () -> ReceptionFigures?
}
