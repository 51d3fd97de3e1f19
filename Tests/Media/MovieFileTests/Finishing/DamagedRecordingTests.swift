import Foundation
import Glibc
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests of damage in the middle of a recording: the media after it is found again.
@Suite struct DamagedRecordingTests {
    private static let (fragments, frames) = (12, 10)

    /// A recording with many small fragments of video and audio.
    private static func recording(copies: Bool = true, blockSize: Int = 1 << 20) throws -> [UInt8] {
        let storage = MemoryStorage()
        let writer = MovieFileWriter(
            storage: storage, timeScale: 1_000_000, creationTime: 0, metadata: [],
            tracks: [SyntheticRecording.videoTrack(), SyntheticRecording.audioTrack(2)], sessionStart: .zero,
            keepsIndex: copies)
        writer.index = FragmentIndex(blockSize: blockSize)
        for fragment in 0..<fragments {
            try writer.writeFragment(
                (0..<frames).flatMap { number in
                    let place = fragment * frames + number
                    return [
                        SyntheticRecording.frame(Int64(place) * 100, size: 400 + place % 3),
                        SyntheticRecording.audio(Int64(place) * 4800, track: 1),
                    ]
                })
        }
        return storage.bytes
    }

    private static func places(_ bytes: [UInt8]) throws -> [(offset: Int, headerSize: Int)] {
        try FinisherCrashTests.fragments(bytes)
    }

    /// - Parameter expected: the expected bytes of the repaired file; nil for the bytes as they are.
    private func repaired(_ bytes: [UInt8], leaving expected: [UInt8]? = nil) throws -> (
        storage: MemoryStorage, report: MovieFinisher.Report
    ) {
        let storage = MemoryStorage(bytes)
        let report = try MovieFinisher.finish(storage)
        #expect(storage.bytes.count >= bytes.count)
        // The content of the file stays, except for the header's first bytes.
        let isKept = storage.bytes[512..<bytes.count] == (expected ?? bytes)[512...]
        #expect(isKept)
        let once = storage.bytes
        #expect(try MovieFinisher.finish(storage).wasFinishedAlready && storage.bytes == once)
        return (storage, report)
    }

    /// The last fragment header has no copy. Its audio would become hours of timecode, or belong to no track.
    @Test(arguments: [4, 66] as [UInt8])
    func repair_damagedTrackNumberInLastFragment_keepsSamplesAndDuration(number: UInt8) throws {
        let original = Array(
            try Data(contentsOf: Project.file("Tests/Corpus/0.2.0-dev/unfinished.recording.mov")))
        let whole = MemoryStorage(original)
        let expected = try MovieFinisher.finish(whole)
        var damaged = original
        let place = try #require(damaged.lastRange(of: "tfhd"))
        try #require(damaged[place + 11] == 2)
        damaged[place + 11] = number
        let storage = MemoryStorage(damaged)
        let report = try MovieFinisher.finish(storage)
        #expect(report.duration == expected.duration, "\(String(describing: report.duration))")
        #expect(report.sampleCounts == expected.sampleCounts && report.lostSamples.isEmpty)
        #expect(report.isDamaged && !expected.isDamaged)
        let audio = { (bytes: [UInt8]) in try judge(bytes) { try Probe.decodedAudio($0, as: "s16le") } }
        #expect(try audio(storage.bytes) == audio(whole.bytes))
    }

    @Test(arguments: 0..<12)
    func repair_damagedFragmentHeader_usesItsCopy(fragment: Int) throws {
        let bytes = try Self.recording()
        let place = try Self.places(bytes)[fragment]
        for field in [4, 7, 12, 20, 30, 44, 60, place.headerSize - 3, place.headerSize + 1, place.headerSize + 5] {
            var damaged = bytes
            damaged[place.offset + field] ^= 0x11
            // The last fragment header has no copy. Media data that claim more than there is are corrected to the
            // actual size.
            let isLast = fragment == Self.fragments - 1
            let isLonger = isLast && field == place.headerSize + 1
            let report = try repaired(damaged, leaving: isLonger ? bytes : damaged).report
            #expect(
                report.sampleCounts[1] ?? 0 >= Int64((Self.fragments - (isLast ? 1 : 0)) * Self.frames), "\(field)")
            #expect(
                report.sampleCounts[2] ?? 0 >= Int64((Self.fragments - (isLast ? 1 : 0)) * Self.frames), "\(field)")
        }
    }

    @Test func repair_damagedFragmentWithoutCopy_reportsTheGap() throws {
        let bytes = try Self.recording(copies: false)
        var damaged = bytes
        damaged[try Self.places(bytes)[3].offset + 5] ^= 1
        let (storage, report) = try repaired(damaged)
        #expect(report.isDamaged && report.sampleCounts[1] == 110 && report.sampleCounts[2] == 110)
        #expect(report.gaps.count == 2)
        let gap = try #require(report.gaps.first { $0.track == 1 })
        #expect(abs(gap.start - 3) < 0.2 && abs(gap.end - 4) < 0.001)
        let moov = try finalHeader(of: storage)
        #expect(MovieMetadata.read(from: moov).contains { $0.key == MetadataItem.missingKey })
    }

    @Test func repair_damagedFragmentAndCopy_usesTheIndex() throws {
        let bytes = try Self.recording(blockSize: 1)
        let place = try Self.places(bytes)[3]
        var damaged = bytes
        damaged[place.offset + 5] ^= 1
        // The copy before the next fragment is damaged too.
        let next = try Self.places(bytes)[4].offset
        damaged[next - 20] ^= 1
        let report = try repaired(damaged).report
        #expect(report.sampleCounts[1] == 120 && report.sampleCounts[2] == 120 && report.gaps.isEmpty)
    }

    /// An index is trusted only if nothing else is left, and it may be damaged too.
    @Test(arguments: [1 << 20, 1 << 62, .max - 7, .max] as [UInt64])
    func repair_indexPointsPastTheEnd_neverTraps(place: UInt64) throws {
        let bytes = try Self.recording(blockSize: 1)
        let lost = try Self.places(bytes)[3]
        var damaged = bytes
        damaged[lost.offset + 5] ^= 1
        damaged[try Self.places(bytes)[4].offset - 20] ^= 1
        let entry = withUnsafeBytes(of: UInt64(lost.offset).bigEndian) { Array($0) }
        let entries = bytes.indices.filter { bytes[$0...].starts(with: entry) }
        #expect(entries.count == 2)
        for start in entries {
            withUnsafeBytes(of: place.bigEndian) { damaged.replaceSubrange(start..<(start + 8), with: $0) }
        }
        let report = try repaired(damaged).report
        #expect(report.sampleCounts[1] == 110 && report.sampleCounts[2] == 110 && report.isDamaged)
    }

    /// The leading header is stored again before the second, the fourth and the eighth fragment.
    @Test func repair_damagedLeadingHeader_usesItsCopies() throws {
        let bytes = try Self.recording()
        let places = try Self.places(bytes)
        let extends = try #require(bytes.indices.first { bytes[$0...].starts(with: "mvex".utf8) })
        var damaged = bytes
        damaged[extends] ^= 0x20
        for fragment in [1, 3] {
            damaged[places[fragment].offset - 4] ^= 0x55
            let report = try repaired(damaged).report
            #expect(report.sampleCounts == [1: 120, 2: 120] && report.gaps.isEmpty)
        }
        damaged[places[7].offset - 4] ^= 0x55
        let storage = MemoryStorage(damaged)
        #expect(throws: MediaError.self) { try MovieFinisher.finish(storage) }
        #expect(storage.bytes == damaged)
    }

    /// The content of a damaged copy is also found by its bytes.
    @Test(arguments: [1 << 20, 1])
    func repair_damagedCopyOfAFragmentHeader_isNotAFragment(blockSize: Int) throws {
        let bytes = try Self.recording(blockSize: blockSize)
        let places = try Self.places(bytes)
        let signatures = ["rcfc", "rcfx"].flatMap { name in
            bytes.indices.filter { bytes[$0...].starts(with: name.utf8) }
        }
        let starts = signatures.map { $0 - 8 }.filter { places[4].offset..<places[6].offset ~= $0 }
        #expect(starts.count == (blockSize == 1 ? 4 : 2))
        for start in starts {
            for damage in [start..<(start + 1), (start + 5)..<(start + 6), start..<(start + 12), start..<(start + 30)] {
                var damaged = bytes
                for index in damage { damaged[index] ^= 0x55 }
                let report = try repaired(damaged).report
                #expect(report.sampleCounts == [1: 120, 2: 120], "\(damage)")
                #expect(report.lostSamples.isEmpty && report.gaps.isEmpty, "\(damage)")
            }
        }
    }

    @Test func repair_lostFirstSector_keepsEverySample() throws {
        let bytes = try Recording.short.bytes()
        let whole = MemoryStorage(bytes)
        let expected = try MovieFinisher.finish(whole)
        for filling in [[UInt8](repeating: 0, count: 512), SyntheticMedia.noise(512)] {
            let storage = MemoryStorage(filling + bytes[512...])
            let report = try MovieFinisher.finish(storage)
            #expect(report.sampleCounts == expected.sampleCounts && report.gaps.isEmpty)
            #expect(storage.bytes[..<36] == whole.bytes[..<36])
            try judge(storage.bytes) { path in
                let probe = try Probe(path, decodes: true)
                #expect(probe.complaints == "" && probe.video?.frames == 90)
            }
        }
    }

    @Test func repair_swappedFragments_areShownInTimeOrder() throws {
        let bytes = try Self.recording()
        let places = try Self.places(bytes).map(\.offset)
        let swapped =
            bytes[..<places[4]] + bytes[places[6]..<places[7]] + bytes[places[5]..<places[6]]
            + bytes[places[4]..<places[5]] + bytes[places[7]...]
        let report = try repaired(Array(swapped)).report
        #expect(report.sampleCounts[1] == 120 && report.sampleCounts[2] == 120 && report.gaps.isEmpty)
        #expect(report.duration == (try MovieFinisher.finish(MemoryStorage(bytes))).duration)
    }

    @Test(arguments: [0, 100, -300])
    func repair_duplicatedFragments_areShownOnce(shift: Int) throws {
        let bytes = try Self.recording()
        let places = try Self.places(bytes).map(\.offset)
        let doubled = bytes[..<(places[6] + shift)] + bytes[(places[3] + shift)...]
        let report = try repaired(Array(doubled)).report
        #expect(report.sampleCounts[1] ?? 0 <= 120 && report.sampleCounts[1] ?? 0 >= 110)
        #expect(report.duration == (try MovieFinisher.finish(MemoryStorage(bytes))).duration)
    }

    @Test(arguments: [0, 250, 3000])
    func repair_missingBytes_keepsTheRest(length: Int) throws {
        let bytes = try Self.recording()
        let places = try Self.places(bytes)
        let start = places[4].offset + places[4].headerSize + 500
        let report = try repaired(Array(bytes[..<start] + bytes[(start + length)...])).report
        #expect(report.sampleCounts[1] ?? 0 >= 120 - Int64(10 * (1 + length / 3000)))
        if length > 0 { #expect(report.isDamaged && report.lostSamples[1] ?? 0 > 0) }
    }

    @Test func repair_unknownBytes_keepsThem() throws {
        let bytes = try Self.recording()
        let noise = SyntheticMedia.noise(5000)
        let middle = try Self.places(bytes)[5].offset
        var inside = bytes
        inside.insert(contentsOf: noise, at: middle)
        for damaged in [bytes + noise, inside] {
            let (storage, report) = try repaired(damaged)
            #expect(report.sampleCounts[1] == 120 && report.abandonedBytes == 5000)
            #expect(storage.bytes.count > damaged.count)
        }
    }

    @Test func repair_wrongMediaDataLength_findsEveryFragment() throws {
        let bytes = try Self.recording()
        let place = try Self.places(bytes)[2]
        // The length of a fragment's media data, up to the file's end and past it.
        for length in [UInt32(bytes.count - place.offset - place.headerSize), 1 << 24, 8] {
            var damaged = bytes
            withUnsafeBytes(of: length.bigEndian) {
                damaged.replaceSubrange(
                    (place.offset + place.headerSize)..<(place.offset + place.headerSize + 4), with: $0)
            }
            let report = try repaired(damaged).report
            #expect(report.sampleCounts[1] == 120 && report.sampleCounts[2] == 120)
        }
    }

    @Test func repair_fileOfAnotherProgram_isRefusedAndUnchanged() throws {
        let directory = try TemporaryDirectory()
        let path = directory.path("a.mp4")
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=2", "-c:v", "libx264", "-movflags",
            "frag_keyframe+empty_moov+default_base_moof+dash+global_sidx", path)
        #expect(made.status == 0, "\(made.errors)")
        var bytes = [UInt8](try Data(contentsOf: directory.file("a.mp4")))
        let first = bytes[..<4].reduce(0) { $0 << 8 | Int($1) }
        bytes.insert(contentsOf: [0, 0, 0, 8] + Array("free".utf8), at: first)
        let storage = MemoryStorage(bytes)
        let error = #expect(throws: MediaError.self) { try MovieFinisher.finish(storage) }
        #expect(error?.code == .corruptData && error?.reason.contains("another program") == true)
        #expect(storage.bytes == bytes && storage.writes.isEmpty)
    }

    /// A hole of a hundred gigabytes between the damage and the last fragment.
    @Test func repair_sparseFile_skipsHoles() throws {
        let bytes = try Self.recording()
        let places = try Self.places(bytes).map(\.offset)
        let directory = try TemporaryDirectory()
        let file = try DiskFile(path: directory.path("a.recording.mov"), mode: .create)
        try file.write(Array(bytes[..<places[6]]), at: 0)
        try file.write(Array(bytes[places[6]...]), at: 100 << 30)
        // Reads a hundredth of the hole, for comparison.
        let whole = ContinuousClock().measure {
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            let descriptor = open(directory.path("a.recording.mov"), O_RDONLY)
            defer { close(descriptor) }
            for part in 0..<1024 { _ = pread(descriptor, &buffer, buffer.count, (50 << 30) + part << 20) }
        }
        let took = try ContinuousClock().measure {
            let report = try MovieFinisher.finish(file)
            #expect(report.sampleCounts[1] == 120 && report.gaps.isEmpty)
        }
        #expect(took < whole * 20, "\(took), and \(whole) for a hundredth of the hole")
    }

    /// Hostile samples, tracks and times never end the program, and an accepted file is a movie.
    @Test func repair_randomDamage_givesAMovieOrLeavesTheFile() throws {
        let bytes = try Self.recording()
        var dice = Dice(seed: 7)
        for _ in 0..<300 {
            let damaged = Mutation(&dice, size: bytes.count).applied(to: bytes)
            let storage = MemoryStorage(damaged)
            do {
                let report = try MovieFinisher.finish(storage)
                #expect(report.sampleCounts[1] ?? 0 <= 140)
                let once = storage.bytes
                #expect(try MovieFinisher.finish(storage).wasFinishedAlready && storage.bytes == once)
            } catch {
                #expect(storage.bytes == damaged)
            }
        }
    }
}

extension [UInt8] {
    /// The start of the last occurrence of a type.
    fileprivate func lastRange(of type: String) -> Int? {
        indices.dropLast(3).last { self[$0..<($0 + 4)].elementsEqual(type.utf8) }
    }
}
