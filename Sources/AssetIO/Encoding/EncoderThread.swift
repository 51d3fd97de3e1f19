import MediaTypes
import MovieFile
import RealTime

/// Takes what encoder threads make.
protocol PacketReceiver: Sendable {
    /// Called by encoder threads. May block while what takes the packets is behind; `waiting` is told before and after.
    func push(_ packet: TrackSample, waiting: (Bool) -> Void)
    /// The track gives nothing more. Called once for each, by its encoder thread.
    func endTrack(_ index: Int)
}

/// Runs one track's encoder on a thread of its own, from the input's queue to the packet queue.
final class EncoderThread: @unchecked Sendable {
    // Unchecked: `encoding` is used by the one thread started in `start`, and by nobody else from then on, except for
    // `end`, which is read after `join`.
    private let encoding: any TrackEncoding
    private let core: TrackCore
    private let index: Int
    private let packets: any PacketReceiver
    private let thread = Locked<NamedThread?>(nil)
    private let latency: LatencyMeter?

    /// - Parameter latency: learns how long the encoder takes for a sample.
    init(
        index: Int, encoding: any TrackEncoding, core: TrackCore, packets: any PacketReceiver,
        latency: LatencyMeter? = nil
    ) {
        self.latency = latency
        self.index = index
        self.encoding = encoding
        self.core = core
        self.packets = packets
    }

    /// - Parameters:
    ///   - preparation: runs on the thread before anything else.
    ///   - failed: called on the thread when the track ends for an error.
    func start(
        after preparation: (@Sendable () -> Void)? = nil, failed: @escaping @Sendable (MediaError) -> Void
    ) throws(MediaError) {
        do {
            let started = try NamedThread("\(core.mediaType)-encode") {
                preparation?()
                self.run(failed: failed)
            }
            thread.withLock { $0 = started }
        } catch {
            throw MediaError(errno: error.errno, "cannot start an encoder thread")
        }
    }

    func join() { thread.withLock { $0 }?.join() }

    /// Where the last real sample ends. Only after `join`.
    var end: MediaTime? { encoding.end }

    private func run(failed: (MediaError) -> Void) {
        defer {
            encoding.removeTemporaryFiles()
            packets.endTrack(index)
        }
        while true {
            do throws(MediaError) {
                switch core.nextWork() {
                case .stop: return
                case .finish: return try finish()
                case .endPass: try endPass()
                case .sample(let sample):
                    if let latency {
                        try latency.measure { () throws(MediaError) in try encode(sample) }
                    } else {
                        try encode(sample)
                    }
                }
            } catch {
                core.close(.encoder, error: error, isFileLost: false)
                return failed(error)
            }
        }
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
        guard core.mediaType == .audio else { return }
        core.noteSound(gaps: encoding.gaps, clock: encoding.clock)
        // Sound that a device delivered twice.
        if encoding.cutSamples != cutBefore { core.noteDropped(encoding.cutSamples - cutBefore, cause: .corrupt) }
    }

    private func push(_ packet: SampleBuffer, accountsFor count: Int64) {
        core.notePushed(count)
        packets.push(TrackSample(track: index, sample: packet, accountsFor: count), waiting: core.setWaitingForDisk)
    }
}
