import Logging
import RecorderStorage

/// The values that every part of a session shares. None of them is replaced while the session lives.
struct SessionContext: Sendable {
    /// The configuration at the start; `SessionState.settings` has what changed since.
    let configuration: RecordingConfiguration
    let foundations: SessionFoundations
    let log: Logger
    let hooks: HookRunner?
    let latencies = SessionLatencies()
}
