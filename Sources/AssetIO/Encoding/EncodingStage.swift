import MediaTypes
import MovieFile
import RealTime

/// One track's encoder between the input's queue and the packet queue: does one piece of work after the other. For one
/// thread at a time.
final class EncodingStage {
    private let encoding: any TrackEncoding
    private let core: TrackCore
    private let index: Int
    private let packets: any PacketReceiver
    private let mayWait: Bool
    private let latency: LatencyMeter?

    /// - Parameters:
    ///   - mayWait: the thread that performs the work may be held up while the disk is behind.
    ///   - latency: learns how long the encoder takes for a sample.
    init(
        index: Int, encoding: any TrackEncoding, core: TrackCore, packets: any PacketReceiver,
        mayWait: Bool = true, latency: LatencyMeter? = nil
    ) {
        self.index = index
        self.encoding = encoding
        self.core = core
        self.packets = packets
        self.mayWait = mayWait
        self.latency = latency
    }

    var end: MediaTime? { encoding.end }

    /// - Returns: whether there may be more.
    func perform(_ work: TrackState.Work) throws(MediaError) -> Bool {
        switch work {
        case .stop: return false
        case .finish:
            try finish()
            return false
        case .endPass: try endPass()
        case .sample(let sample):
            if encoding.watchesPressure, try encoding.keepUp(pressure: core.queueFill, output: push) {
                core.noteEffort(encoding.effort)
            }
            if let latency {
                try latency.measure { () throws(MediaError) in try encode(sample) }
            } else {
                try encode(sample)
            }
        }
        return true
    }

    /// Once, when there is nothing more to perform.
    func close() {
        encoding.removeTemporaryFiles()
        packets.endTrack(index)
    }

    private func finish() throws(MediaError) {
        guard core.isInLastPass else {
            guard core.hasSamplesInPass else { return }
            throw MediaError(
                .invalidState, "cannot finish the \(core.mediaType) track",
                reason: "it was given for its first pass only, of which nothing is stored",
                wayOut: "give it again until currentPassDescription is nil")
        }
        let cutBefore = encoding.cutSamples
        try encoding.finish(output: push)
        noteSound(cutBefore: cutBefore)
        core.noteAbsorbed(encoding.unaccountedSamples)
    }

    private func endPass() throws(MediaError) {
        if !core.isInLastPass { try encoding.beginNextPass() }
        core.beginNextPass()
    }

    private func encode(_ sample: SampleBuffer) throws(MediaError) {
        guard core.isInLastPass else { return try encoding.encode(sample) { _, _ in } }
        let cutBefore = encoding.cutSamples
        do throws(MediaError) {
            try encoding.encode(sample, output: push)
        } catch {
            // One bad sample of a live source is left out and counted. From a source that can wait nothing is left out.
            guard core.traits.isRealTime, error.code == .corruptData || error.code == .invalidSample else {
                throw error
            }
            core.noteDropped(sample.ledgerCount, cause: .corrupt)
        }
        noteSound(cutBefore: cutBefore)
    }

    /// What encoding has found out about the sound.
    private func noteSound(cutBefore: Int64) {
        guard core.mediaType == .audio, !core.traits.isPassthrough else { return }
        core.noteSound(gaps: encoding.gaps, clock: encoding.clock)
        // Sound that a device delivered twice.
        if encoding.cutSamples != cutBefore { core.noteDropped(encoding.cutSamples - cutBefore, cause: .corrupt) }
    }

    private func push(_ packet: SampleBuffer, accountsFor count: Int64) {
        core.notePushed(count)
        packets.push(
            TrackSample(track: index, sample: packet, accountsFor: count), mayWait: mayWait,
            waiting: core.setWaitingForDisk)
    }
}
