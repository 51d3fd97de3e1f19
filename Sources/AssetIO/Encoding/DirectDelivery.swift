import MediaTypes
import MovieFile
import RealTime

/// Brings a live track's packets to the packet queue on the thread that appends them: packets that only pass through take
/// less time than waking another thread would.
///
/// Nothing here waits. While the packet queue is full, packets stay in the input's queue, whose budget bounds them; the file's
/// thread looks again when there is room. A lock is held for a packet at a time, so that a capture thread never waits for
/// more than that.
final class DirectDelivery: TrackDelivery {
    private struct Turn: @unchecked Sendable {
        // Unchecked: the stage is touched only under the lock that holds this value.
        let stage: EncodingStage
        var isOver = false
        var isWaiting = false
    }

    private let turn: Locked<Turn>
    private let core: TrackCore
    private let packets: any PacketReceiver
    private let failed = Locked<(@Sendable (MediaError) -> Void)?>(nil)

    /// - Parameter stage: one that may not wait: another track's packet may have taken the room that was seen here.
    init(_ stage: EncodingStage, core: TrackCore, packets: any PacketReceiver) {
        turn = Locked(Turn(stage: stage))
        self.core = core
        self.packets = packets
    }

    func start(failed: @escaping @Sendable (MediaError) -> Void) {
        self.failed.withLock { $0 = failed }
        core.deliver(by: self)
        lookAgain()
    }

    func lookAgain() {
        var hasDelivered = false
        // With no lock held: whoever waits for room may append at once.
        defer { if hasDelivered { core.lookAgain() } }
        while true {
            do throws(MediaError) {
                guard try deliverOne() else { return }
                hasDelivered = true
            } catch {
                // Comes back here, and finds that it is over.
                core.close(.encoder, error: error, isFileLost: false)
                failed.withLock { $0 }?(error)
            }
        }
    }

    /// - Returns: whether there may be more.
    private func deliverOne() throws(MediaError) -> Bool {
        try turn.withLock { turn throws(MediaError) in
            guard !turn.isOver else { return false }
            // What is given up needs no room.
            let isWaiting = !packets.hasRoom && !core.isGivenUp
            if isWaiting != turn.isWaiting { core.setWaitingForDisk(isWaiting) }
            turn.isWaiting = isWaiting
            if isWaiting { return false }
            guard let work = core.takeWork() else { return false }
            if try turn.stage.perform(work) { return true }
            turn.isOver = true
            turn.stage.close()
            core.deliver(by: nil)
            return false
        }
    }

    /// There is no thread to wait for: the track has ended when its last packet was appended.
    func join() {}

    var end: MediaTime? { turn.withLock { $0.stage.end } }
}
