import MediaTypes
import RealTime

/// The encoder of one track, between the admitted samples and the sink. `run` performs all work of the track, on the
/// track's thread. `perform` performs one piece of work. Only one thread at a time may call.
final class EncodingStage {
    private let encoder: any TrackEncoder
    private let admission: SharedAdmission
    private let sink: any PacketSink
    /// The sink's `accept`, stored so that no packet creates a closure.
    private let output: (SampleBuffer, Int64) -> Void
    private let latency: LatencyMeter?
    /// The number of samples that the encoder lost and that are counted already.
    private var countedLosses: Int64 = 0
    /// The number of damaged samples since the last intact one.
    private var damagedInRow: Int64 = 0

    /// - Parameter latency: a meter for the encoding time of each sample.
    init(_ encoder: any TrackEncoder, admission: SharedAdmission, sink: any PacketSink, latency: LatencyMeter? = nil) {
        self.encoder = encoder
        self.admission = admission
        self.sink = sink
        output = sink.accept
        self.latency = latency
    }

    /// Performs the track's work until the track ends. Blocks while there is nothing to do. The caller then calls
    /// `endTrack`, even after an error.
    func run() throws(MediaError) {
        while true {
            let (work, pressure) = admission.waitForWork()
            guard try perform(work, pressure: pressure) else { return }
        }
    }

    /// Performs one piece of work.
    ///
    /// - Parameter pressure: the part of the queue's budget that is in use after this work was taken.
    /// - Returns: true if there may be more work.
    func perform(_ work: Admission.Work, pressure: Double) throws(MediaError) -> Bool {
        switch work {
        case .stop: return false
        case .finish:
            try finish()
            return false
        case .endPass: try endPass()
        case .endSession:
            let cutBefore = encoder.cutSamples
            try encoder.endSession(output: output)
            recordLosses()
            recordAudio(cutBefore: cutBefore)
            sink.beginSession()
        case .sample(let sample):
            if encoder.watchesPressure, try encoder.keepUp(pressure: pressure, output: output) {
                admission.recordFacts(encoder.facts)
            }
            if let latency {
                try latency.measure { () throws(MediaError) in try encode(sample) }
            } else {
                try encode(sample)
            }
        }
        return true
    }

    /// Ends the track. Called once, when no work is left.
    func endTrack() {
        encoder.removeTemporaryFiles()
        sink.end(at: end)
    }

    /// The end of the last sample, if that is not the end of the last packet.
    private var end: MediaTime? {
        guard let lastFrameEnd = admission.lastFrameEnd else { return encoder.end }
        return max(encoder.end ?? lastFrameEnd, lastFrameEnd)
    }

    private func finish() throws(MediaError) {
        guard admission.isInLastPass else {
            guard admission.hasSamplesInPass else { return }
            throw MediaError(
                .invalidState, "cannot finish the \(admission.mediaType) track",
                reason: "its samples were appended only for the first pass, which stores nothing",
                wayOut: "append them again for each pass, until currentPassDescription is nil")
        }
        let cutBefore = encoder.cutSamples
        try encoder.finish(output: output)
        recordLosses()
        recordAudio(cutBefore: cutBefore)
        admission.recordAbsorbed(encoder.unaccountedSamples)
    }

    private func endPass() throws(MediaError) {
        if !admission.isInLastPass { try encoder.beginNextPass() }
        admission.beginNextPass()
    }

    private func encode(_ sample: SampleBuffer) throws(MediaError) {
        guard admission.isInLastPass else { return try encoder.encode(sample) { _, _ in } }
        let (cutBefore, repeatedBefore) = (encoder.cutSamples, encoder.repeatedSamples)
        do throws(MediaError) {
            try encoder.encode(sample, output: output)
            if damagedInRow > 0 {
                damagedInRow = 0
                admission.recordDamage(nil)
            }
        } catch {
            // An invalid sample of a live source is dropped and counted. Samples of a source that can wait are never
            // dropped.
            guard admission.traits.isRealTime, error.code == .corruptData || error.code == .invalidSample else {
                throw error
            }
            damagedInRow += 1
            // The reason is published before the count of drops, because an observer of that count looks for it.
            admission.recordDamage(DamagedSamples(count: damagedInRow, error: error))
            admission.recordDropped(sample.ledgerCount, cause: .corrupt)
        }
        if encoder.repeatedSamples != repeatedBefore {
            admission.recordDropped(encoder.repeatedSamples - repeatedBefore, cause: .repeated)
            sink.continues(at: sample.presentationTime)
        }
        recordLosses()
        recordAudio(cutBefore: cutBefore)
    }

    /// Counts the samples that the encoder has lost since the last call.
    private func recordLosses() {
        let lost = encoder.lostSamples
        guard lost != countedLosses else { return }
        // The cause is published before the count, because an observer that sees the count looks for the cause.
        admission.recordFacts(encoder.facts)
        admission.recordDropped(lost - countedLosses, cause: .encoder)
        countedLosses = lost
    }

    /// Publishes the gaps and the clock that the audio encoder has measured, and counts the samples that it cut.
    private func recordAudio(cutBefore: Int64) {
        guard admission.mediaType == .audio, !admission.traits.isPassthrough else { return }
        admission.recordFacts(encoder.facts)
        // The encoder has cut audio that a device delivered twice.
        if encoder.cutSamples != cutBefore { admission.recordDropped(encoder.cutSamples - cutBefore, cause: .corrupt) }
    }
}
