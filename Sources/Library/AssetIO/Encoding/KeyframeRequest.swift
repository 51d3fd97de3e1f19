import MediaTypes
import RealTime
import Synchronization

/// The requests for keyframes at given times. Any thread may add one; the encoder's thread carries it out.
final class KeyframeRequest: Sendable {
    /// The requested times, in any order. There is hardly ever more than one.
    private let due = Locked<[MediaTime]>([])
    /// True if there is a request. It is read for every frame, and is nearly always false.
    private let isAsked = Atomic(false)

    /// Makes the first frame at or after `time` a keyframe. This replaces earlier requests.
    func ask(at time: MediaTime) { wish { $0 = [time] } }

    /// Makes the first frame at or after `time` a keyframe, in addition to earlier requests.
    func askAlso(at time: MediaTime) { wish { $0.append(time) } }

    private func wish(_ change: (inout [MediaTime]) -> Void) {
        due.withLock { due in
            change(&due)
            isAsked.store(true, ordering: .relaxed)
        }
    }

    /// Returns true if the frame with this timestamp has to be a keyframe. Called once for each frame, in order.
    func isDue(at time: MediaTime) -> Bool {
        guard isAsked.load(ordering: .relaxed) else { return false }
        return due.withLock { due in
            let count = due.count
            due.removeAll { time >= $0 }
            isAsked.store(!due.isEmpty, ordering: .relaxed)
            return due.count < count
        }
    }
}
