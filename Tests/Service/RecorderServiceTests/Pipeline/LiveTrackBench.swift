import FakeDevices
import MediaTypes
import RealTime

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// One track, a dispatcher and fake files.
final class LiveTrackBench: Sendable {
    let encoders = FakeEncoders()
    let files = FakeFiles()
    let failures = Locked<[MediaError]>([])
    let refusals = Locked<[MediaError]>([])
    /// The accounts of the first recording.
    let accounts = TrackAccounts()
    let dispatcher: PacketDispatcher
    let track: LiveTrack
    let format: FormatDescription

    init(starts: Bool = true) throws {
        let (encoders, files, failures, refusals) = (encoders, files, failures, refusals)
        format = FakeSource.camera().format
        dispatcher = PacketDispatcher(preRoll: nil) { opening, accounts, events in
            let place = RecordingFilePlace { _ throws(MediaError) in
                OutputLocation(path: "/test/\(opening.number).mov")
            }
            return files.make(opening, RecordingFile.Plan(place: place, accounts: accounts), events)
        } requestKeyframe: { _ in
        } notify: { _ in
        }
        track = try LiveTrack(
            format, dispatcher: dispatcher,
            make: { format, sink throws(MediaError) in try encoders.make(format, sink) },
            failed: { _, error in failures.withLock { $0.append(error) } },
            refused: { _, error in refusals.withLock { $0.append(error) } })
        dispatcher.begin(at: nil, limits: .none, accounts: accounts)
        if starts { begin() }
    }

    func begin() {
        track.announce()
        track.start(at: .zero)
    }

    func frames(_ times: some Sequence<Int>, width: Int = 64) {
        for time in times {
            let layout = PixelLayout(format: .nv12, width: width, height: 32)
            let pixels = PixelBuffer(
                layout: layout, data: MediaData([UInt8](repeating: 0, count: layout.byteCount)))
            track.append(SampleBuffer(pixels: pixels, presentationTime: milliseconds(time)))
        }
    }

    /// Returns true if every captured sample is in a file or counted as dropped, and the recording has the sum.
    var isExact: Bool {
        track.publishLosses()
        dispatcher.endNow()
        let account = accounts[track.mediaType]
        let sum = files.all.reduce(account.unassigned) { $0 + $1.ledger(track.mediaType) }
        return sum.captured == track.ledger.captured && sum.pending == 0 && track.ledger.pending == 0
            && sum == account.ledger
    }
}
