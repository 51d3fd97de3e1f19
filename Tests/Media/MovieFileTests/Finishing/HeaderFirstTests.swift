import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests of movies whose header comes before the media.
@Suite struct HeaderFirstTests {
    private let recording = Recording.short

    private func types(_ storage: any MovieStorage) throws -> [String] {
        var atoms = try TopLevelAtoms(storage)
        var (types, position): ([String], UInt64) = ([], 0)
        while let atom = try atoms.header(at: position) {
            types.append(atom.type.description)
            position = atom.end
        }
        #expect(position == atoms.fileSize)
        return types
    }

    @Test func copy_recording_hasTheHeaderFirst() throws {
        let (source, target) = (MemoryStorage(try recording.bytes()), MemoryStorage())
        let before = source.bytes
        let report = try MovieFinisher.finish(source, into: target, facts: recording.facts)
        #expect(try types(target) == ["ftyp", "moov", "mdat"])
        #expect(report.sampleCounts[1] == 90 && source.bytes == before)
        #expect(target.syncedCount == target.bytes.count)
        #expect(try MovieFinisher.health(of: target) == .whole)
        #expect(try MovieFinisher.finish(target).wasFinishedAlready)
        let inPlace = MemoryStorage(before)
        try MovieFinisher.finish(inPlace, facts: recording.facts)
        try judge(target.bytes) { path in
            let probe = try Probe(path, decodes: true)
            #expect(probe.complaints == "" && probe.video?.frames == 90 && abs(probe.format.seconds - 3) < 0.001)
        }
        let frames = try judge(inPlace.bytes) { try Probe.brightness($0) }
        #expect(try judge(target.bytes) { try Probe.brightness($0) } == frames)
        let audio = try judge(inPlace.bytes) { try Probe.decodedAudio($0, as: "s16le") }
        #expect(try judge(target.bytes) { try Probe.decodedAudio($0, as: "s16le") } == audio)
    }

    @Test func copy_truncatedRecording_endsAfterItsLastCompleteSample() throws {
        let bytes = Array(try recording.bytes().dropLast(700))
        let (source, target) = (MemoryStorage(bytes), MemoryStorage())
        let report = try MovieFinisher.finish(source, into: target)
        #expect(report == (try MovieFinisher.finish(MemoryStorage(bytes))) && report.wasTorn)
        #expect(source.bytes == bytes)
        try judge(target.bytes) { path in
            let probe = try Probe(path, decodes: true)
            #expect(probe.complaints == "" && probe.video?.frames == Int(report.sampleCounts[1] ?? 0))
        }
    }

    @Test func copy_failedWrite_leavesTheRecordingUnchanged() throws {
        let bytes = try recording.bytes()
        let probe = MemoryStorage()
        try MovieFinisher.finish(MemoryStorage(bytes), into: probe)
        for write in 1...probe.writes.count {
            let (source, target) = (MemoryStorage(bytes), MemoryStorage())
            target.failingWrite = write
            #expect(throws: MediaError.self) { try MovieFinisher.finish(source, into: target) }
            #expect(source.bytes == bytes && source.writes.isEmpty)
        }
    }

    @Test func copy_nonEmptyTarget_isRefused() throws {
        let target = MemoryStorage([1])
        #expect(throws: MediaError.self) { try MovieFinisher.finish(MemoryStorage(recording.bytes()), into: target) }
        #expect(target.bytes == [1])
    }

    @Test func copy_filesOnDisk_areTheSameAsInMemory() throws {
        let directory = try TemporaryDirectory()
        let bytes = try recording.bytes()
        let source = try DiskFile(path: directory.path("a.recording.mov"), mode: .create)
        try source.write(bytes, at: 0)
        let target = try DiskFile(path: directory.path("a.rewriting.mov"), mode: .create)
        try MovieFinisher.finish(source, into: target)
        let inMemory = MemoryStorage()
        try MovieFinisher.finish(MemoryStorage(bytes), into: inMemory)
        #expect(try Data(contentsOf: directory.file("a.rewriting.mov")) == Data(inMemory.bytes))
    }

    @Test func finalize_mpeg4_keepsTheTypeOfTheReservedAtom() throws {
        var bytes = try recording.bytes()
        bytes.replaceSubrange(24..<28, with: "free".utf8)
        bytes.replaceSubrange(8..<12, with: "mp42".utf8)
        let storage = MemoryStorage(bytes)
        try MovieFinisher.finish(storage)
        #expect(try types(storage) == ["ftyp", "free", "mdat", "moov"])
        #expect(try MovieFinisher.finish(storage).wasFinishedAlready)
        try judge(storage.bytes) { path in
            let probe = try Probe(path, decodes: true)
            #expect(probe.complaints == "" && probe.video?.frames == 90)
        }
    }
}
