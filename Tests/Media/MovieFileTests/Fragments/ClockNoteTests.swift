import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests that the clock notes of a growing recording survive a crash, and that they do not harm the media.
struct ClockNoteTests {
    private static func clock(_ looks: [Double], pauses: [Double] = []) -> RecordingClock {
        RecordingClock(
            boot: "b", start: 10, group: "stage",
            wall: looks.map { .init(at: $0, wall: 1_800_000_000 + $0, uncertainty: 0.01) },
            pauses: pauses.map { .init(time: $0, duration: 1) })
    }

    /// The clock notes that are written before some of the twelve fragments, which last half a second each.
    private static let notes = [
        0: clock([10]), 4: clock([12], pauses: [1.5]), 5: clock([], pauses: [2]), 9: clock([14.5, 14.6]),
    ]

    private func recording(_ notes: [Int: RecordingClock] = notes) throws -> (MemoryStorage, FragmentIndex) {
        let storage = MemoryStorage()
        let writer = MovieFileWriter(
            storage: storage, timeScale: 1_000_000, creationTime: 0, metadata: [Self.clock([10]).metadataItem],
            tracks: [SyntheticRecording.videoTrack(1)], sessionStart: .zero)
        for number in 0..<12 {
            let batch = (0..<5).map { SyntheticRecording.frame(Int64(number * 500 + $0 * 100), size: 300) }
            try writer.writeFragment(batch, clock: notes[number])
        }
        return (storage, writer.index)
    }

    /// The clock of a movie repaired after a crash, and the report of the repair.
    private func repaired(_ bytes: [UInt8]) throws -> (clock: RecordingClock?, report: MovieFinisher.Report) {
        let storage = MemoryStorage(bytes)
        let report = try MovieFinisher.finish(storage)
        #expect(try MovieFinisher.health(of: storage) == .whole)
        var atoms = try TopLevelAtoms(storage)
        var (position, clock): (UInt64, RecordingClock?) = (0, nil)
        while let atom = try atoms.header(at: position) {
            if atom.type == "moov", let moov = try atoms.contents(of: atom).flatMap({ Atom(parsing: $0) }) {
                let items = MovieMetadata.read(from: moov).filter { $0.key == MetadataItem.clockKey }
                #expect(items.count == 1)
                clock = RecordingClock(items)
            }
            position = atom.end
        }
        return (clock, report)
    }

    @Test func repair_clockNotesBeforeFragments_keepsEach() throws {
        let bytes = try recording().0.bytes
        let (clock, report) = try repaired(bytes)
        #expect(clock == Self.clock([10, 12, 14.5, 14.6], pauses: [1.5, 2]))
        #expect(report.sampleCounts[1] == 60 && report.abandonedBytes == 0 && !report.isDamaged)
        #expect(try MovieFinisher.clock(of: MemoryStorage(bytes)) == clock)
    }

    @Test func repair_truncatedAnywhere_keepsTheClockKnownThen() throws {
        let bytes = try recording().0.bytes
        let plain = try recording([:]).0.bytes
        var seen: Set<Int> = []
        for size in stride(from: plain.count / 3, to: bytes.count, by: 37) {
            let (clock, report) = try repaired(Array(bytes[..<size]))
            #expect(!report.isDamaged, "\(size)")
            let known = try #require(clock)
            #expect(known.wall.first?.at == 10 && known.wall.map(\.at) == known.wall.map(\.at).sorted())
            seen.insert(known.wall.count)
        }
        #expect(seen == [1, 2, 4])
    }

    @Test func index_clockNotesBetweenFragments_leadsPastThem() throws {
        let (storage, index) = try recording()
        let walked = MemoryStorage(storage.bytes)
        let facts = FinishingInfo(metadata: [Self.clock([10, 20]).metadataItem])
        var indexed = facts
        indexed.index = index
        try MovieFinisher.finish(walked, facts: facts)
        try MovieFinisher.finish(storage, facts: indexed)
        #expect(walked.bytes == storage.bytes)
        // The index also leads from fragment to fragment without a search.
        var cursor = try FragmentCursor(
            TopLevelAtoms(MemoryStorage(try recording().0.bytes)), from: #require(try firstFragment()), index: index)
        for _ in 0..<12 {
            guard case .fragment(let fragment) = try cursor.next() else {
                Issue.record("the index is taken for broken")
                return
            }
            #expect(fragment.isKnownWhole)
        }
    }

    private func firstFragment() throws -> UInt64? {
        var atoms = try TopLevelAtoms(try recording().0)
        var position: UInt64 = 0
        while let atom = try atoms.header(at: position) {
            if atom.type == "moof" { return position }
            position = atom.end
        }
        return nil
    }

    @Test func repair_damageNearClockNotes_losesNoOtherMedia() throws {
        let bytes = try recording().0.bytes
        let plain = try recording([:]).0.bytes
        var (atoms, position) = (try TopLevelAtoms(MemoryStorage(bytes)), UInt64(0))
        var number = 0
        while let atom = try atoms.header(at: position) {
            position = atom.end
            guard atom.type == "moof" else { continue }
            number += 1
            // Only the fragment header is damaged: its copy follows it, also where a note does.
            var damaged = bytes
            for place in Int(atom.offset) + 8..<Int(atom.end) { damaged[place] = 0xA5 }
            let (clock, report) = try repaired(damaged)
            #expect(number == 12 || report.sampleCounts[1] == 60, "\(number) \(report)")
            #expect(clock?.wall.map(\.at).first == 10)
        }
        #expect(number == 12 && bytes.count > plain.count)
        // A damaged note is ignored, and does not affect anything else.
        var torn = bytes
        let signature = Array("rcfk".utf8)
        let place = try #require(torn.indices.dropLast(4).first { Array(torn[$0..<$0 + 4]) == signature })
        torn[place + 20] ^= 1
        let (clock, report) = try repaired(torn)
        #expect(clock?.wall.map(\.at) == [10, 12, 14.5, 14.6] && report.sampleCounts[1] == 60 && !report.isDamaged)
    }
}
