import MediaTypes
import MovieFile
import RealTime

/// Runs one track's encoder on a thread of its own, from the input's queue to the packet queue.
final class EncoderThread: @unchecked Sendable {
    // Unchecked: `encoding` is used by the one thread started in `start`, and by nobody else from then on, except for
    // `end`, which is read after `join`.
    private let encoding: any TrackEncoding
    private let core: TrackCore
    private let index: Int
    private let packets: PacketQueue
    private let thread = Locked<NamedThread?>(nil)

    init(index: Int, encoding: any TrackEncoding, core: TrackCore, packets: PacketQueue) {
        self.index = index
        self.encoding = encoding
        self.core = core
        self.packets = packets
    }

    /// - Parameter failed: called on the thread when the track ends for an error.
    func start(failed: @escaping @Sendable (MediaError) -> Void) throws(MediaError) {
        do {
            let started = try NamedThread("\(core.mediaType)-encode") { self.run(failed: failed) }
            thread.withLock { $0 = started }
        } catch {
            throw MediaError(errno: error.errno, "cannot start an encoder thread")
        }
    }

    func join() { thread.withLock { $0 }?.join() }

    /// Where the last real sample ends. Only after `join`.
    var end: MediaTime? { encoding.end }

    private func run(failed: (MediaError) -> Void) {
        defer { packets.endTrack() }
        while true {
            do throws(MediaError) {
                switch core.nextWork() {
                case .stop: return
                case .finish:
                    try encoding.finish(output: push)
                    return core.noteAbsorbed(encoding.unaccountedSamples)
                case .sample(let sample): try encode(sample)
                }
            } catch {
                core.close(.encoder, error: error, isFileLost: false)
                return failed(error)
            }
        }
    }

    private func encode(_ sample: SampleBuffer) throws(MediaError) {
        let gapsBefore = encoding.gaps.count
        let cutBefore = encoding.cutSamples
        do throws(MediaError) {
            try encoding.encode(sample, output: push)
        } catch {
            // One bad sample is left out and counted; anything else ends the track.
            guard error.code == .corruptData || error.code == .invalidSample else { throw error }
            core.noteDropped(Int64(sample.sampleCount), cause: .corrupt)
        }
        if encoding.gaps.count != gapsBefore { core.noteGaps(encoding.gaps) }
        // Sound that a device delivered twice.
        if encoding.cutSamples != cutBefore { core.noteDropped(encoding.cutSamples - cutBefore, cause: .corrupt) }
    }

    private func push(_ packet: SampleBuffer, accountsFor count: Int64) {
        core.notePushed(count)
        packets.push(TrackSample(track: index, sample: packet, accountsFor: count), waiting: core.setWaitingForDisk)
    }
}
