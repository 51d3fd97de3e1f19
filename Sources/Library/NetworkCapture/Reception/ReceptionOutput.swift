package import MediaTypes

/// A result of a camera's packets.
package enum ReceptionOutput: Sendable {
    case sample(SampleBuffer)
    /// Video frames or audio frames that the camera sent but that cannot be delivered.
    case lost(MediaType, count: Int64, cause: DropCause, near: MediaTime)
    /// From now on the samples have a different format, which needs another encoder.
    case changed(MediaType)
    /// A deviation, in words for the log.
    case notice(String)
}

extension [ReceptionOutput] {
    /// Appends a loss if its count is above 0 and its time is known.
    mutating func lose(_ count: Int64, of type: MediaType, _ cause: DropCause, near time: MediaTime) {
        guard count > 0, time.isNumeric else { return }
        append(.lost(type, count: count, cause: cause, near: time))
    }
}
