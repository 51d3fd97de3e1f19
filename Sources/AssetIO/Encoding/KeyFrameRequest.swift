import MediaTypes
import RealTime

/// A wish for a key frame at some moment, from any thread to the one that encodes.
final class KeyFrameRequest: Sendable {
    private let due = Locked<MediaTime?>(nil)

    /// The first picture at or after `time` becomes a key frame. A wish replaces the one before it.
    func ask(at time: MediaTime) { due.withLock { $0 = time } }

    /// Whether the picture of this time is the one. Asked once for each, in order.
    func isDue(at time: MediaTime) -> Bool {
        due.withLock { due in
            guard let wanted = due, time >= wanted else { return false }
            due = nil
            return true
        }
    }
}
