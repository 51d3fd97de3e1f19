import DequeModule
import MediaTypes

extension LiveTrack {
    /// The encoders of a track, and the state of its device.
    struct State {
        /// The current encoder; nil while the device is disconnected, or while its encoder is being opened.
        var encoder: OpenEncoder?
        /// An encoder that was opened in advance.
        var next: OpenEncoder?
        /// The encoder that replaces the current one with the first sample at or after `time`.
        var successor: (encoder: OpenEncoder, time: MediaTime)?
        /// True if samples arrive while their encoder is still being opened.
        var isAwaited = false
        /// The samples that arrived while their encoder was being opened. The encoder gets them with the next sample.
        var waiting = RestingSamples()
        /// The samples that are kept while packets are not needed. `next` begins when the track wakes.
        var rest: Rest?
        var isDeviceAway = false
        /// The format for which an encoder is being opened.
        var opening: FormatDescription?
        var isStarted = false
        var isFinished = false
        var start = MediaTime.zero
        /// The time from which on frames have the current masks; nil if the masks have not changed.
        var masksChangedAt: MediaTime?
        var format: FormatDescription
        /// The encoders that have begun, and the ledger of the track's samples.
        var history = EncoderHistory()

        init(encoder: OpenEncoder, format: FormatDescription) {
            self.encoder = encoder
            self.format = format
        }

        /// Handles a sample without an encoder: keeps it if the encoder is being opened, and otherwise counts it as
        /// dropped.
        ///
        /// - Returns: true if samples were dropped.
        mutating func wait(_ sample: SampleBuffer) -> Bool {
            let lost = isAwaited ? waiting.append(sample, isAwaited: true) : sample.ledgerCount
            if lost > 0 { history.lose(lost, .encoder) }
            return lost > 0
        }

        /// Removes the samples that wait for their encoder. Without an encoder, they are counted as dropped by the
        /// device, because the reason is its absence.
        ///
        /// - Returns: the samples for the encoder.
        mutating func takeWaiting() -> Deque<SampleBuffer> {
            let samples = waiting.samples
            waiting.removeAll()
            guard encoder == nil else { return samples }
            for sample in samples { history.lose(sample.ledgerCount, .device) }
            return []
        }

        /// Keeps a sample of a track that rests.
        ///
        /// - Returns: The first samples for the encoder, if `next` has become `encoder`; nil if the track continues to
        ///   rest.
        mutating func keep(_ sample: SampleBuffer) -> Deque<SampleBuffer>? {
            guard var rest else { return nil }
            // A frame with former masks is not kept. It does not count as dropped, because packets are not needed yet.
            if !rest.isOver, let masksChangedAt, sample.presentationTime < masksChangedAt { return nil }
            // Without this, the array of samples would have two owners and would be copied.
            self.rest = nil
            let removed = rest.samples.append(sample, isAwaited: rest.isOver)
            if rest.isOver, removed > 0 { history.lose(removed, .encoder) }
            guard rest.isOver, let ready = next else {
                self.rest = rest
                return nil
            }
            (encoder, next) = (ready, nil)
            return rest.samples.samples
        }
    }

    struct Rest {
        var samples = RestingSamples()
        /// True if packets are needed again, so that encoding resumes with the next sample.
        var isOver = false
    }
}
