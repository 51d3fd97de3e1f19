import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests of the files whose header may be edited, and of what is kept in them.
@Suite struct EditableFileTests {
    /// Returns the file with an atom at the end of its header, which is the last atom of the file.
    private static func adding(_ atom: [UInt8], to bytes: [UInt8]) throws -> [UInt8] {
        let header = try #require(AtomPlaces.find("moov", of: bytes).first)
        #expect(header.end == bytes.count)
        let longer = AtomWriter.build("moov") { moov in
            moov.raw(bytes[header.payload])
            moov.raw(atom)
        }
        return Array(bytes[..<header.start]) + longer
    }

    private static func atom(_ type: FourCharCode, _ payload: [UInt8]) -> [UInt8] {
        AtomWriter.build(type) { $0.raw(payload) }
    }

    /// Changes a track's group, and returns the bytes of the file.
    private static func regrouped(_ bytes: [UInt8]) throws -> [UInt8] {
        let storage = MemoryStorage(bytes)
        var editor = try HeaderEditor(storage, path: "movie.mov")
        editor.edit(1) { $0.alternateGroup = 3 }
        #expect(try editor.write(to: storage).track(1)?.alternateGroup == 3)
        return storage.bytes
    }

    private static func refusal(_ bytes: [UInt8], _ change: (inout HeaderEditor) -> Void) throws -> MediaError? {
        let storage = MemoryStorage(bytes)
        var editor = try HeaderEditor(storage, path: "movie.mov")
        change(&editor)
        do throws(MediaError) {
            _ = try editor.write(to: storage)
            return nil
        } catch {
            #expect(storage.writes.isEmpty)
            return error
        }
    }

    private static func toggle(_ editor: inout HeaderEditor) { editor.edit(1) { $0.isEnabled.toggle() } }

    @Test func write_unknownAtoms_areKept() throws {
        let bytes = try FeatureMovie(.mov).bytes
        let unknown = Self.atom("abcd", [7, 8, 9])
        let after = try Self.regrouped(unknown + Self.adding(unknown, to: bytes))
        for path in ["abcd", "moov/abcd"] {
            let found = AtomPlaces.find(path, of: after)
            #expect(found.map { Array(after[$0.payload]) } == [[7, 8, 9]], "\(path)")
        }
    }

    @Test func write_headerWithLongLength_isFreeSpaceAfterwards() throws {
        let bytes = try FeatureMovie(.mov).bytes
        let header = try #require(AtomPlaces.find("moov", of: bytes).first)
        var long = AtomWriter()
        long.u32(1)
        long.code("moov")
        long.u64(UInt64(header.payload.count) + 16)
        long.raw(bytes[header.payload])
        let after = try Self.regrouped(Array(bytes[..<header.start]) + long.bytes)
        #expect(AtomPlaces.atoms(of: after, in: after.indices).map(\.type).suffix(2) == ["free", "moov"])
        try judge(after) { path in
            let codec = try Probe(path).video?.codecName
            #expect(codec == "h264")
        }
    }

    /// A header before the media: no offset shifts, because nothing moves.
    @Test func write_headerBeforeTheMedia_keepsTheOffsets() throws {
        let target = MemoryStorage()
        _ = try MovieFinisher.rewrite(MemoryStorage(try Recording.short.bytes()), into: target)
        let bytes = target.bytes
        func places(_ bytes: [UInt8]) throws -> String {
            try judge(bytes) { path in try Probe.ask(path, "packet=pos,size,pts").text }
        }
        let after = try Self.regrouped(bytes)
        let (found, expected) = (try places(after), try places(bytes))
        #expect(found == expected && !found.isEmpty)
        #expect(try MovieFinisher.finish(MemoryStorage(after)).wasFinishedAlready)
    }

    @Test func write_secondUserData_isNotLost() throws {
        let bytes = try Self.adding(
            Self.atom("udta", Self.atom("abcd", [7])), to: try FeatureMovie(.mov).bytes)
        let item = MetadataItem(key: MetadataItem.titleKey, value: "A new title")
        let error = try Self.refusal(bytes) { $0.metadata.append(item) }
        #expect(error?.code == .unsupported)
        let after = try Self.regrouped(bytes)
        #expect(AtomPlaces.find("moov/udta/abcd", of: after).count == 1)
    }

    @Test func write_signedRecording_isRefused() throws {
        let storage = MemoryStorage(try FeatureMovie(.mov).bytes)
        var editor = try HeaderEditor(storage, path: "movie.mov")
        editor.metadata.append(MetadataItem(key: MetadataItem.signedEndKey, value: "{}"))
        _ = try editor.write(to: storage)
        #expect(try Self.refusal(storage.bytes, Self.toggle)?.code == .unsupported)
    }

    /// After a power loss, only the fragments have signatures.
    @Test func write_signedFragmentsWithoutASignedEnd_isRefused() throws {
        let recording = Recording.short
        let storage = MemoryStorage()
        let writer = MovieFileWriter(
            storage: storage, timeScale: 1_000_000, creationTime: 1_700_000_000, metadata: [],
            tracks: recording.tracks, sessionStart: recording.sessionStart, sealing: Stamp())
        for (index, fragment) in recording.fragments.enumerated() {
            let next = index + 1 < recording.fragments.count ? recording.fragments[index + 1].first : nil
            try writer.writeFragment(fragment, next: next)
        }
        try MovieFinisher.finish(storage, facts: recording.facts)
        #expect(try Self.refusal(storage.bytes, Self.toggle)?.code == .unsupported)
    }

    @Test func write_signedPartOfARecording_isRefused() throws {
        let storage = MemoryStorage(try FeatureMovie(.mov).bytes)
        try CutMovie.append([1, 2, 3], to: storage)
        #expect(try Self.refusal(storage.bytes, Self.toggle)?.code == .unsupported)
    }

    @Test func init_contentCredentialsOrCompressedHeader_isRefused() throws {
        let bytes = try FeatureMovie(.mov).bytes
        let identifier: [UInt8] = [
            0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
        ]
        let compressed = Self.atom("moov", Self.atom("cmov", [0, 0, 0, 8] + Array("dcom".utf8)))
        for file in [bytes + Self.atom("uuid", identifier + [0, 0, 0, 0]), compressed] {
            #expect { _ = try HeaderEditor(MemoryStorage(file), path: "movie.mov") } throws: {
                ($0 as? MediaError)?.code == .unsupported
            }
        }
    }

    /// Every header that is truncated or has an invalid length: an error, never a trap.
    @Test func init_hostileLengths_neverTraps() throws {
        let bytes = try FeatureMovie(.mov).bytes
        let header = try #require(AtomPlaces.find("moov", of: bytes).first)
        for place in header.start..<min(header.end, header.start + 300) {
            for value: UInt8 in [0, 1, 0xFF] {
                var damaged = bytes
                damaged[place] = value
                let storage = MemoryStorage(damaged)
                guard var editor = try? HeaderEditor(storage, path: "movie.mov") else { continue }
                editor.metadata.append(MetadataItem(key: MetadataItem.titleKey, value: "A new title"))
                Self.toggle(&editor)
                _ = try? editor.write(to: storage)
            }
        }
    }
}

/// Seals every fragment with the same bytes.
private final class Stamp: FragmentSealing {
    func seal(_ fragment: FragmentContents) -> [UInt8] { FragmentSeal(head: [1], proof: [2]).bytes }
    func fragmentWritten() {}
    func end(
        movieEnd: MediaTime?, trackEnds: [UInt32: MediaTime], metadata: [MetadataItem]
    ) -> MetadataItem? { nil }
}
