import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

@Suite struct LargeFileTests {
    private static let gibibyte: UInt64 = 1 << 30

    /// A recording with a fragment of 5 GiB in its middle, nearly all of it holes.
    private func sparseRecording() throws -> (SparseStorage, Recording) {
        let recording = Recording.short
        let storage = SparseStorage()
        let writer = recording.makeWriter(storage)
        try writer.writeFragment(recording.fragments[0], next: recording.fragments[1].first)
        let first = try storage.size()
        // The first fragment's form, with its sizes and its data replaced by 5 GiB of zeros.
        let size = UInt32(7 * Self.gibibyte / 4)  // other programs read sizes as signed numbers
        var atoms = AtomWriter()
        FragmentBuilder.write(
            [
                .init(
                    id: 1, decodeTime: 1_000_000,
                    runs: (0..<3).map { _ in
                        .init(
                            data: MediaData([0]), count: 1, size: size, duration: 33_333, compositionOffset: 0,
                            isKeyframe: true)
                    })
            ], sequenceNumber: 2, into: &atoms)
        // The builder wrote an `mdat` of three bytes; one with a 64-bit length replaces it.
        var bytes = Array(atoms.bytes.dropLast(11))
        var header = AtomWriter()
        header.u32(1)
        header.code("mdat")
        header.u64(16 + 3 * UInt64(size))
        bytes += header.bytes
        // The data begins 16 bytes after the `moof`, not 8.
        let field = try #require(trackRunOffset(in: bytes))
        bytes[field + 3] += 8
        try storage.write(bytes, at: first)
        let end = first + UInt64(bytes.count) + 3 * UInt64(size)
        var last = AtomWriter()
        FragmentBuilder.write(
            [
                .init(
                    id: 1, decodeTime: 2_000_000,
                    runs: [
                        .init(
                            data: MediaData([0, 0, 0, 1, 0x65]), count: 1, size: 5, duration: 33_333,
                            compositionOffset: 0,
                            isKeyframe: true)
                    ])
            ], sequenceNumber: 3, into: &last)
        try storage.write(last.bytes, at: end)
        return (storage, recording)
    }

    /// The position of the `trun`'s data offset.
    private func trackRunOffset(in bytes: [UInt8]) -> Int? {
        let name = Array("trun".utf8)
        return (0..<(bytes.count - 4)).first { Array(bytes[$0..<($0 + 4)]) == name }.map { $0 + 12 }
    }

    @Test func finalize_moreThanFourGibibytes_writesALongHeader() throws {
        let (storage, recording) = try sparseRecording()
        let report = try MovieFinisher.finish(storage)
        let first = Int64(recording.fragments[0].filter { $0.track == 0 }.count)
        #expect(report.sampleCounts[1] == first + 4 && report.abandonedBytes == 0)
        var atoms = try TopLevelAtoms(storage)
        let media = try #require(try atoms.header(at: 20))
        #expect(media.type == "mdat" && media.headerSize == 16 && media.size > 5 * Self.gibibyte)
        let header = try #require(try atoms.header(at: media.end))
        let bytes = try #require(try atoms.contents(of: header))
        let moov = try #require(Atom(parsing: bytes))
        #expect(header.end == atoms.fileSize)
        #expect(moov.all("trak")[0].find("mdia", "minf", "stbl", "co64") != nil)
        #expect(try MovieFinisher.finish(storage).wasFinishedAlready)
        #expect(try MovieFinisher.health(of: storage) == .whole)
    }

    @Test func finalize_moreThanFourGibibytes_isReadByOtherPrograms() throws {
        let (storage, recording) = try sparseRecording()
        try MovieFinisher.finish(storage)
        let directory = try TemporaryDirectory()
        let file = try DiskFile(path: directory.path("large.mov"), mode: .create)
        try storage.copy(to: file)
        let result = try Probe.ask(directory.path("large.mov"), "stream=nb_frames", of: "v:0")
        #expect(result.status == 0, "\(result.errors)")
        let first = recording.fragments[0].filter { $0.track == 0 }.count
        #expect(Int(result.text.trimmingCharacters(in: .whitespacesAndNewlines)) == first + 4)
    }

    @Test func finalize_truncatedLongFragment_isDropped() throws {
        let (storage, recording) = try sparseRecording()
        try storage.truncate(to: 4 * Self.gibibyte)
        let report = try MovieFinisher.finish(storage)
        #expect(report.sampleCounts[1] == Int64(recording.fragments[0].filter { $0.track == 0 }.count))
        #expect(try storage.size() < Self.gibibyte)
    }
}
