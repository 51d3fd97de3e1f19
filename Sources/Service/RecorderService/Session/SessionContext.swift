import Logging
import NetworkCapture
import RecorderStorage

/// The values that every part of a session shares. None of them is replaced while the session lives.
struct SessionContext: Sendable {
    /// The configuration at the start. `SessionState.settings` is the current one.
    let configuration: RecordingConfiguration
    let foundations: SessionFoundations
    let log: Logger
    let hooks: HookRunner?
    /// Changes the camera's frames before anything else sees them.
    let stage: CameraStage
    let latencies = SessionLatencies()
    /// Returns the packets of a network camera so far; nil for other cameras.
    let reception: @Sendable () -> ReceptionFigures?
}
