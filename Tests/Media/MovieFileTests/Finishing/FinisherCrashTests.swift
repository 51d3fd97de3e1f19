import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests of a power cut at any moment of finalizing.
@Suite struct FinisherCrashTests {
    /// The recordings to finalize: as a recorder leaves them, and as a power cut does.
    enum Ending: String, CaseIterable {
        case whole, cutInMedia, cutInHeader, zeros, zerosInMedia, garbage, straddlingCounts, cutBehindIndexBlock
    }

    private func recording(_ ending: Ending) throws -> [UInt8] {
        let bytes = try Recording.short.bytes()
        let last = try Self.fragments(bytes).last!
        switch ending {
        case .whole: return bytes
        case .cutInMedia: return Array(bytes[..<(last.offset + last.headerSize + (bytes.count - last.offset) / 2)])
        case .cutInHeader: return Array(bytes[..<(last.offset + last.headerSize / 2)])
        case .zeros: return bytes + [UInt8](repeating: 0, count: 6000)
        case .garbage: return bytes + SyntheticMedia.noise(6000)
        case .zerosInMedia:
            let middle = last.offset + last.headerSize + (bytes.count - last.offset - last.headerSize) / 2
            return Array(bytes[..<middle]) + [UInt8](repeating: 0, count: bytes.count - middle + 5000)
        case .straddlingCounts: return try Self.straddling()
        case .cutBehindIndexBlock:
            let storage = MemoryStorage()
            let writer = Recording.short.makeWriter(storage)
            writer.index = FragmentIndex(blockSize: 100)
            for fragment in Recording.short.fragments { try writer.writeFragment(fragment) }
            let last = try Self.fragments(storage.bytes).last!
            return Array(storage.bytes[..<(last.offset + last.headerSize / 2)])
        }
    }

    static func fragments(_ bytes: [UInt8]) throws -> [(offset: Int, headerSize: Int)] {
        let atoms = try TopLevelAtoms(MemoryStorage(bytes))
        var found: [(Int, Int)] = []
        let start = 28 + bytes[28..<32].reduce(0) { $0 << 8 | Int($1) }
        var cursor = try FragmentCursor(atoms, from: UInt64(start), index: nil)
        while case .fragment(let fragment) = try cursor.next() {
            found.append((Int(fragment.offset), Int(fragment.headerSize)))
        }
        return found
    }

    /// A truncated recording whose last fragment has its sample count across a sector boundary, with a larger upper
    /// half than the actual count: 300 frames, of which 200 are there.
    static func straddling() throws -> [UInt8] {
        let format = VideoFormat(codec: .mjpeg, width: 8, height: 8)
        // The padding is in the media data, because a fragment header is stored twice, the second time as a copy.
        func write(pad: Int) throws -> [UInt8] {
            let storage = MemoryStorage()
            let writer = MovieFileWriter(
                storage: storage, timeScale: 1000, creationTime: 0,
                metadata: [],
                tracks: [MovieTrack(id: 1, mediaType: .video, format: .video(format), timeScale: 1000)],
                sessionStart: .zero)
            for batch in [0..<2, 2..<302] {
                try writer.writeFragment(
                    batch.map { number in
                        let size = number == 0 ? 1000 + pad : 30 + number % 3
                        return TrackSample(
                            track: 0,
                            sample: SampleBuffer(
                                format: .video(format), content: .data(MediaData([UInt8](repeating: 7, count: size))),
                                presentationTime: MediaTime(value: Int64(number * 40), timescale: 1000)))
                    })
            }
            return storage.bytes
        }
        func countField(_ bytes: [UInt8]) throws -> Int {
            let last = try fragments(bytes).last!
            let moof = Array(bytes[last.offset..<(last.offset + last.headerSize)])
            return last.offset + FragmentReader.tracks(inMovieFragment: moof)![0].chunks[0].countPosition
        }
        let plain = try write(pad: 0)
        // The field has three bytes in the one sector and one in the next. Two and two would not do, because 300 and
        // 200 differ from the third byte on.
        let pad = (512 + 509 - (try countField(plain)) % 512) % 512
        let bytes = try write(pad: pad)
        #expect(try countField(bytes) % 512 == 509)
        let last = try fragments(bytes).last!
        return Array(bytes[..<(last.offset + last.headerSize + 8 + 200 * 31 + 5)])
    }

    /// The final `moov` of a finalized file.
    private func header(_ bytes: [UInt8]) throws -> [UInt8] {
        var atoms = try TopLevelAtoms(MemoryStorage(bytes))
        let media = try #require(try atoms.header(at: 28))
        let moov = try #require(try atoms.header(at: media.end))
        #expect(moov.type == "moov" && moov.end == atoms.fileSize)
        return try #require(try atoms.contents(of: moov))
    }

    @Test(arguments: Ending.allCases)
    func finalize_powerCutAnywhere_givesTheSameMovie(ending: Ending) throws {
        let bytes = try recording(ending)
        let storage = RecordingStorage(bytes)
        let report = try MovieFinisher.finish(storage)
        let expected = try header(storage.bytes)
        let images =
            CrashReplay.prefixes(storage.operations, of: bytes)
            + (1...5).flatMap { CrashReplay.mixtures(storage.operations, of: bytes, seed: $0) }
        #expect(images.count > 20)
        for (number, image) in images.enumerated() {
            let again = MemoryStorage(image)
            let second = try MovieFinisher.finish(again)
            #expect(second.wasFinishedAlready || second.sampleCounts == report.sampleCounts, "image \(number)")
            #expect(try header(again.bytes) == expected, "image \(number)")
            // The image must play before it is repaired, except that FFmpeg does not accept half a fragment header.
            let isForeign =
                ending == .straddlingCounts
                || ([.cutInHeader, .cutBehindIndexBlock].contains(ending) && image == bytes)
            guard number % 30 == 0, !isForeign else { continue }
            try judge(image) { path in
                let probe = try Probe(path, decodes: true)
                #expect((probe.video?.frames ?? 0) >= Int(report.sampleCounts[1] ?? 0), "image \(number)")
            }
        }
    }

    @Test func finalize_lastWrite_fitsInOneSector() throws {
        let storage = RecordingStorage(try recording(.whole))
        try MovieFinisher.finish(storage)
        guard case .synchronize = storage.operations.last,
            case .write(let offset, let bytes)? = storage.operations.dropLast().last
        else { return #expect(Bool(false), "the last operation is no sync") }
        #expect(offset / 512 == (offset + UInt64(bytes.count) - 1) / 512 && bytes.count == 16)
        // Everything else is on the disk before.
        guard case .synchronize = storage.operations.dropLast(2).last else {
            return #expect(Bool(false), "the header is not synced first")
        }
    }

    @Test func finalize_sampleCountAcrossTwoSectors_isNeverTooSmall() throws {
        let bytes = try Self.straddling()
        let storage = RecordingStorage(bytes)
        let report = try MovieFinisher.finish(storage)
        #expect(report.sampleCounts[1] == 202 && report.lostSamples[1] == 100)
        for image in CrashReplay.prefixes(storage.operations, of: bytes) {
            let again = MemoryStorage(image)
            #expect(try MovieFinisher.finish(again).lostSamples[1] ?? 0 <= 0xFF + 200)
            #expect(try header(again.bytes) == header(storage.bytes))
        }
    }
}
