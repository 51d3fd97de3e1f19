import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

@Suite struct FinisherMemoryTests {
    /// A recording in fragments of a minute, with a few frames and audio packets in each.
    private func recording(hours: Int) throws -> MemoryStorage {
        let storage = MemoryStorage()
        let frames = (0..<25).map { SyntheticRecording.frame(Int64($0) * 2400, size: 3 + $0 % 5) }
        let packets = (0..<78).map { SyntheticRecording.audio(Int64($0) * 36_864, track: 1) }
        try SyntheticRecording.write(
            [SyntheticRecording.videoTrack(), SyntheticRecording.audioTrack(2)], [frames + packets], to: storage)
        // The first fragment is repeated, each time a minute later.
        var atoms = try TopLevelAtoms(storage)
        let start = Int(try #require(try atoms.header(at: 28)).end)
        let fragment = Array(storage.bytes[start...])
        let times = fragment.indices.dropLast(4).filter { Array(fragment[$0..<($0 + 4)]) == Array("tfdt".utf8) }
        #expect(times.count == 2)
        var bytes = storage.bytes
        bytes.reserveCapacity(bytes.count + hours * 60 * fragment.count)
        for number in 1..<(hours * 60) {
            let place = bytes.count
            bytes += fragment
            for (field, ticks) in zip(times, [60_000_000, 2_880_000] as [UInt64]) {
                var time = AtomWriter()
                time.u64(UInt64(number) * ticks)
                bytes.replaceSubrange((place + field + 8)..<(place + field + 16), with: time.bytes)
            }
        }
        return MemoryStorage(bytes)
    }

    @Test func finalize_longRecording_keepsBuffersSmall() throws {
        var sizes: [(read: Int, write: Int)] = []
        for hours in [10, 30] {
            let file = try recording(hours: hours)
            let counting = CountingStorage(file)
            let report = try MovieFinisher.finish(counting)
            #expect(report.sampleCounts == [1: Int64(hours * 60 * 25), 2: Int64(hours * 60 * 78)])
            #expect(abs((report.duration?.seconds ?? 0) - Double(hours) * 3600) < 3)
            sizes.append((counting.largestRead, counting.largestWrite))
        }
        for size in sizes { #expect(size.write <= 64 << 10 && size.read <= 64 << 10, "\(size)") }
    }
}
