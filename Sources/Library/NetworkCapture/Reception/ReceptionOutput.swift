package import MediaTypes

/// A result of a camera's packets.
package enum ReceptionOutput: Sendable {
    case sample(SampleBuffer)
    /// Frames, or audio frames, that the camera sent and that cannot be delivered.
    case lost(MediaType, count: Int64, cause: DropCause, near: MediaTime)
    /// The samples have another format from now on, which needs another encoder.
    case changed(MediaType)
    /// A deviation, in words for the log.
    case notice(String)
}
