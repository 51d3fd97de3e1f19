import MediaTypes
import RealTime

/// One track's encoder between the samples that were admitted and the sink: does one piece of work after the other. For one
/// thread at a time.
final class EncodingStage {
    private let encoding: any TrackEncoding
    private let track: TrackIntake
    private let sink: any PacketSink
    private let latency: LatencyMeter?

    /// - Parameter latency: learns how long the encoder takes for a sample.
    init(_ encoding: any TrackEncoding, track: TrackIntake, sink: any PacketSink, latency: LatencyMeter? = nil) {
        self.encoding = encoding
        self.track = track
        self.sink = sink
        self.latency = latency
    }

    /// - Parameter pressure: how much waits behind it, as a part of what may.
    /// - Returns: whether there may be more.
    func perform(_ work: TrackAdmission.Work, pressure: Double) throws(MediaError) -> Bool {
        switch work {
        case .stop: return false
        case .finish:
            try finish()
            return false
        case .endPass: try endPass()
        case .endSession:
            let cutBefore = encoding.cutSamples
            try encoding.endSession(output: push)
            noteSound(cutBefore: cutBefore)
            sink.beginSession(of: track)
        case .sample(let sample):
            if encoding.watchesPressure, try encoding.keepUp(pressure: pressure, output: push) {
                track.noteEffort(encoding.effort)
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
        sink.end(track, at: encoding.end)
    }

    private func finish() throws(MediaError) {
        guard track.isInLastPass else {
            guard track.hasSamplesInPass else { return }
            throw MediaError(
                .invalidState, "cannot finish the \(track.mediaType) track",
                reason: "it was given for its first pass only, of which nothing is stored",
                wayOut: "give it again until currentPassDescription is nil")
        }
        let cutBefore = encoding.cutSamples
        try encoding.finish(output: push)
        noteSound(cutBefore: cutBefore)
        track.noteAbsorbed(encoding.unaccountedSamples)
    }

    private func endPass() throws(MediaError) {
        if !track.isInLastPass { try encoding.beginNextPass() }
        track.beginNextPass()
    }

    private func encode(_ sample: SampleBuffer) throws(MediaError) {
        guard track.isInLastPass else { return try encoding.encode(sample) { _, _ in } }
        let cutBefore = encoding.cutSamples
        do throws(MediaError) {
            try encoding.encode(sample, output: push)
        } catch {
            // One bad sample of a live source is left out and counted. From a source that can wait nothing is left out.
            guard track.traits.isRealTime, error.code == .corruptData || error.code == .invalidSample else {
                throw error
            }
            track.noteDropped(sample.ledgerCount, cause: .corrupt)
        }
        noteSound(cutBefore: cutBefore)
    }

    /// What encoding has found out about the sound.
    private func noteSound(cutBefore: Int64) {
        guard track.mediaType == .audio, !track.traits.isPassthrough else { return }
        track.noteSound(gaps: encoding.gaps, clock: encoding.clock)
        // Sound that a device delivered twice.
        if encoding.cutSamples != cutBefore { track.noteDropped(encoding.cutSamples - cutBefore, cause: .corrupt) }
    }

    private func push(_ packet: SampleBuffer, accountsFor count: Int64) {
        sink.take(packet, accountsFor: count, of: track)
    }
}

/// Takes what one track makes: the muxer of a file, or whoever divides packets among files.
///
/// Called by one thread at a time.
protocol PacketSink: Sendable {
    /// Takes a packet and enters it into the track's account. May block while the disk is behind, where the sink says so.
    ///
    /// - Parameter count: how many captured samples it stands for.
    func take(_ packet: SampleBuffer, accountsFor count: Int64, of track: TrackIntake)
    /// What comes next of the track is of another session, behind a gap.
    func beginSession(of track: TrackIntake)
    /// The track gives nothing more. Called once.
    ///
    /// - Parameter end: where its last real sample ends, where that is not where its last packet does.
    func end(_ track: TrackIntake, at end: MediaTime?)
}

extension PacketSink {
    func beginSession(of track: TrackIntake) {}
}
