import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

@Suite struct MovieFinisherTests {
    private let recording = Recording.short

    private func finished(_ bytes: [UInt8], facts: FinishingInfo = .init()) throws -> (
        MemoryStorage, MovieFinisher.Report
    ) {
        let storage = MemoryStorage(bytes)
        let report = try MovieFinisher.finish(storage, facts: facts)
        return (storage, report)
    }

    private func topLevelTypes(_ storage: any MovieStorage) throws -> [String] {
        var atoms = try TopLevelAtoms(storage)
        var types: [String] = []
        var position: UInt64 = 0
        while let atom = try atoms.header(at: position) {
            types.append(atom.type.description)
            position = atom.end
        }
        #expect(position == atoms.fileSize)
        return types
    }

    @Test func finalize_recording_givesAnOrdinaryMovie() throws {
        let (storage, report) = try finished(recording.bytes(), facts: recording.facts)
        #expect(try topLevelTypes(storage) == ["ftyp", "wide", "mdat", "moov"])
        #expect(report.sampleCounts[1] == 90 && report.abandonedBytes == 0 && !report.wasFinishedAlready)
        #expect(try MovieFinisher.health(of: storage) == .whole)
        try judge(storage.bytes) { path in
            let probe = try Probe(path, decodes: true)
            #expect(probe.complaints == "")
            #expect(probe.video?.frames == 90)
            #expect(probe.video?.codecName == "h264" && probe.audio?.codecName == "aac")
            #expect(abs(probe.format.seconds - 3) < 0.001)
            #expect(probe.video?.start == 0 && probe.audio?.start == 0)
        }
    }

    @Test func finalize_recording_doesNotMoveTheMedia() throws {
        let before = try recording.bytes()
        let (storage, _) = try finished(before)
        let changed = before.indices.filter { before[$0] != storage.bytes[$0] }
        #expect(changed.allSatisfy { (20..<36).contains($0) })
        // The new header after everything else, then one write of 16 bytes within the first sector.
        let last = try #require(storage.writes.last)
        #expect(last.offset == 20 && last.count == 16)
        #expect(storage.writes.dropLast().allSatisfy { $0.offset >= UInt64(before.count) })
        #expect(storage.syncCount == 2)
    }

    @Test func finalize_twice_changesNothing() throws {
        let (storage, _) = try finished(recording.bytes(), facts: recording.facts)
        let (once, writes) = (storage.bytes, storage.writes.count)
        let report = try MovieFinisher.finish(storage)
        #expect(report.wasFinishedAlready && storage.bytes == once && storage.writes.count == writes)
    }

    @Test func recording_notFinalized_isReadable() throws {
        let bytes = try recording.bytes()
        #expect(try MovieFinisher.health(of: MemoryStorage(bytes)) == .unfinished)
        try judge(bytes) { path in
            let probe = try Probe(path, decodes: true)
            #expect(probe.complaints == "" && probe.video?.frames == 90)
        }
    }

    @Test func finalize_recording_keepsEveryFrame() throws {
        let bytes = try recording.bytes()
        let (storage, _) = try finished(bytes)
        let before = try judge(bytes) { try Probe.brightness($0) }
        let after = try judge(storage.bytes) { try Probe.brightness($0) }
        #expect(before == after && after.count == 90)
    }

    /// A power cut at any moment of the recording.
    @Test func finalize_truncatedAnywhere_givesAMovie() throws {
        let bytes = try recording.bytes()
        let header = 28 + bytes[28..<32].reduce(0) { $0 << 8 | Int($1) }
        var lastCount: Int64 = 0
        for length in stride(from: 0, through: bytes.count, by: 512) {
            let storage = MemoryStorage(Array(bytes[..<length]))
            guard length >= header else {
                #expect(throws: MediaError.self) { try MovieFinisher.finish(storage) }
                #expect(storage.bytes == Array(bytes[..<length]))
                continue
            }
            guard let report = try? MovieFinisher.finish(storage) else {
                // Before the first sample there is nothing to keep.
                #expect(storage.bytes == Array(bytes[..<length]) && length < header + 4096 && lastCount == 0)
                continue
            }
            let count = report.sampleCounts[1] ?? 0
            #expect(count >= lastCount)
            lastCount = count
            let once = storage.bytes
            #expect(try MovieFinisher.finish(storage).wasFinishedAlready && storage.bytes == once)
            #expect(try topLevelTypes(storage) == ["ftyp", "wide", "mdat", "moov"])
            if length / 512 % 24 == 0 {
                try judge(once) { path in
                    let probe = try Probe(path, decodes: count > 0)
                    // Without any frame there is no video to check.
                    #expect(count == 0 || (probe.complaints == "" && probe.video?.frames == Int(count)))
                }
            }
        }
        #expect(lastCount >= 60)
    }

    @Test func finalize_truncatedEnd_isDroppedAndCounted() throws {
        let bytes = try recording.bytes()
        let (_, whole) = try finished(bytes)
        let (storage, report) = try finished(bytes.dropLast(1).map { $0 })
        #expect(report.abandonedBytes > 0 && (report.sampleCounts[1] ?? 0) <= whole.sampleCounts[1] ?? 0)
        #expect(storage.bytes.count < bytes.count + 8000)
        #expect(try judge(storage.bytes) { try Probe($0, decodes: true).complaints } == "")
        #expect(try MovieFinisher.health(of: MemoryStorage(Array(bytes.dropLast(1)))) == .torn)
    }

    @Test(arguments: ["zeros", "half a fragment", "half a header", "a false fragment", "noise", "an endless atom"])
    func finalize_bytesAtTheEnd_removesOnlyIncompleteAtoms(kind: String) throws {
        let bytes = try recording.bytes()
        let tail: [UInt8]
        switch kind {
        case "zeros": tail = [UInt8](repeating: 0, count: 70_000)
        case "noise": tail = SyntheticMedia.noise(70_000)
        case "half a fragment":
            let moof = AtomWriter.build("moof") { moof in
                moof.fullAtom("mfhd") { $0.u32(9) }
                moof.atom("traf") { $0.zeros(60) }
            }
            tail = Array(moof.prefix(50))
        case "half a header":
            tail = Array(AtomWriter.build("moov") { $0.fullAtom("mvhd", version: 1) { $0.zeros(100) } }.prefix(90))
        case "an endless atom": tail = [0, 0, 0, 1] + Array("moof".utf8) + [UInt8](repeating: 0xFF, count: 8)
        default:
            var writer = AtomWriter()
            let run = FragmentBuilder.Run(
                data: MediaData([1, 2, 3, 4]), count: 1, size: .max, duration: .max, compositionOffset: .min,
                isKeyframe: true)
            FragmentBuilder.write([.init(id: 1, decodeTime: .max, runs: [run])], sequenceNumber: 9, into: &writer)
            tail = writer.bytes
        }
        let (storage, report) = try finished(bytes + tail)
        #expect(report.abandonedBytes == UInt64(tail.count) && report.sampleCounts[1] == 90)
        let plain = try finished(bytes).0
        if ["noise", "an endless atom", "a false fragment"].contains(kind) {
            #expect(storage.bytes.dropFirst(bytes.count).prefix(tail.count) == tail[...])
            #expect(try finalHeader(of: storage) == finalHeader(of: plain))
        } else {
            #expect(storage.bytes == plain.bytes)
        }
    }

    /// QuickTime permits four zeros. Phones and copying programs append bytes of their own, and metadata editors atoms.
    @Test(arguments: ["four zeros", "one byte", "zeros", "a phone's data", "uuid", "skip", "media", "open media"])
    func finalize_anythingAfterAWholeMovie_isIntact(kind: String) throws {
        var movie = try finished(recording.bytes()).0.bytes
        switch kind {
        case "four zeros": movie += [0, 0, 0, 0]
        case "one byte": movie += [10]
        case "zeros": movie += [UInt8](repeating: 0, count: 4096)
        case "a phone's data": movie += Array("SEFH".utf8) + SyntheticMedia.noise(50) + Array("SEFT".utf8)
        case "media": movie += AtomWriter.build("mdat") { $0.zeros(20) }
        case "open media": movie += [0, 0, 0, 0] + Array("mdat".utf8) + [1, 2, 3]
        default: movie += AtomWriter.build(kind == "uuid" ? "uuid" : "skip") { $0.zeros(20) }
        }
        let storage = MemoryStorage(movie)
        #expect(try MovieFinisher.health(of: storage) == .whole)
        #expect(try MovieFinisher.finish(storage).wasFinishedAlready && storage.bytes == movie)
    }

    /// The media at the end of a movie may have the length 0 (ISO/IEC 14496-12, 4.2).
    @Test func finalize_mediaUpToTheEndOfTheFile_isIntact() throws {
        let target = MemoryStorage()
        try MovieFinisher.finish(MemoryStorage(recording.bytes()), into: target)
        let media = try #require(AtomPlaces.find("mdat", of: target.bytes).first)
        target.bytes.replaceSubrange(media.start..<(media.start + 4), with: [0, 0, 0, 0])
        #expect(try MovieFinisher.health(of: target) == .whole)
        #expect(try MovieFinisher.finish(target).wasFinishedAlready)
    }

    @Test func finalize_halfOfAMovie_isRefused() throws {
        let movie = try finished(recording.bytes()).0.bytes
        let headerFirst = MemoryStorage()
        try MovieFinisher.finish(MemoryStorage(recording.bytes()), into: headerFirst)
        for bytes in [movie, headerFirst.bytes] {
            for count in [bytes.count / 2, bytes.count - 1] {
                #expect(try MovieFinisher.health(of: MemoryStorage(Array(bytes.prefix(count)))) == .torn)
            }
        }
        for count in [movie.count / 2, movie.count - 1] {
            let half = MemoryStorage(Array(movie.prefix(count)))
            #expect(throws: MediaError.self) { try MovieFinisher.finish(half) }
        }
    }

    @Test func finalize_notARecording_isRefusedAndUnchanged() throws {
        let noise = SyntheticMedia.noise(5000)
        let header = AtomWriter.build("ftyp") { $0.zeros(12) }
        for bytes in [[], noise, header, header + noise, header + AtomWriter.build("wide") { _ in } + noise] {
            let storage = MemoryStorage(bytes)
            let error = #expect(throws: MediaError.self) { try MovieFinisher.finish(storage) }
            #expect(error?.code == .corruptData && storage.bytes == bytes && storage.writes.isEmpty)
        }
    }

    /// A damaged recording becomes a movie, or is refused and not changed.
    private func expectMovieOrRefusal(_ damaged: [UInt8], seed: UInt64) throws {
        let storage = MemoryStorage(damaged)
        var refusal: MediaError?
        do throws(MediaError) { try MovieFinisher.finish(storage) } catch { refusal = error }
        if let refusal {
            let isAllowed = refusal.code == .corruptData || refusal.code == .unsupported
            #expect(isAllowed && storage.bytes == damaged && storage.writes.isEmpty, "seed \(seed): \(refusal)")
        } else {
            #expect(try MovieFinisher.finish(storage).wasFinishedAlready, "seed \(seed)")
        }
    }

    @Test func finalize_damagedHeader_makesAMovieOrRefuses() throws {
        let bytes = try recording.bytes()
        let header = 36..<(28 + bytes[28..<32].reduce(0) { $0 << 8 | Int($1) })
        for seed in 1...400 as ClosedRange<UInt64> {
            var damaged = bytes
            let noise = SyntheticMedia.noise(64, seed: seed)
            for index in 0..<8 {
                let place = Int(noise[index * 4]) << 16 | Int(noise[index * 4 + 1]) << 8 | Int(noise[index * 4 + 2])
                damaged[header.lowerBound + place % header.count] =
                    noise[index * 4 + 3] > 128 ? 0xFF : noise[40 + index]
            }
            try expectMovieOrRefusal(damaged, seed: seed)
        }
    }

    @Test func finalize_damagedFragments_makesAMovieOrRefuses() throws {
        let bytes = try recording.bytes()
        let start = 28 + bytes[28..<32].reduce(0) { $0 << 8 | Int($1) }
        for seed in 1...400 as ClosedRange<UInt64> {
            var damaged = bytes
            let noise = SyntheticMedia.noise(32, seed: seed)
            for index in 0..<4 {
                let place = (Int(noise[index * 4]) << 8 | Int(noise[index * 4 + 1])) % 1200
                damaged[start + place] = noise[index * 4 + 2] > 100 ? 0xFF : noise[index * 4 + 3]
            }
            try expectMovieOrRefusal(damaged, seed: seed)
        }
    }
}
