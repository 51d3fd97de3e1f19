import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests that a movie has a complete header at every moment while it is edited.
@Suite struct HeaderSwitchTests {
    private static let title = MetadataItem(key: MetadataItem.titleKey, value: "A new title")

    private static func edited(_ storage: MemoryStorage) throws -> HeaderEditor {
        var editor = try HeaderEditor(storage, path: "movie.mov")
        editor.metadata.append(title)
        return editor
    }

    /// Returns the new title, if ffprobe finds it, and a line feed.
    private static func shownTitle(_ bytes: [UInt8]) throws -> String {
        try judge(bytes) { path in
            let result = try Command.run(
                "ffprobe", "-v", "error", "-show_entries", "format_tags=\(title.key)", "-of", "default=nw=1:nk=1", path)
            #expect(result.status == 0, "\(result.errors)")
            return result.text
        }
    }

    /// A full disk while the header is appended.
    @Test func write_appendFails_leavesTheFileAsItWas() throws {
        let bytes = try FeatureMovie(.mov).bytes
        let storage = MemoryStorage(bytes)
        storage.failingWrite = 1
        let editor = try Self.edited(storage)
        #expect(throws: MediaError.self) { try editor.write(to: storage) }
        #expect(storage.bytes == bytes)
    }

    /// A process that is killed while the header is appended: any part of it may be in the file.
    @Test func append_interruptedAnywhere_keepsTheOldHeader() throws {
        let bytes = try FeatureMovie(.mov).bytes
        let storage = MemoryStorage(bytes)
        _ = try Self.edited(storage).write(to: storage)
        var appended = Array(storage.bytes[bytes.count...])
        appended.replaceSubrange(4..<8, with: Array("free".utf8))
        for count in [1, 7, 8, 9, appended.count / 2, appended.count - 1] {
            let torn = bytes + appended.prefix(count)
            #expect(try Self.shownTitle(torn).isEmpty, "\(count)")
            // Nothing is appended to an atom that is not complete.
            #expect(throws: MediaError.self) { _ = try HeaderEditor(MemoryStorage(torn), path: "movie.mov") }
        }
        // Complete, but not yet the movie's header.
        let whole = MemoryStorage(bytes + appended)
        #expect(try Self.shownTitle(whole.bytes).isEmpty)
        #expect(try MovieFinisher.finish(whole).wasFinishedAlready)
        #expect(try Self.edited(whole).write(to: whole).metadata.contains(Self.title))
    }

    /// A power loss in one of the two writes of four bytes: half of them reach the disk.
    @Test(arguments: [2, 3]) func switch_torn_hasOneHeaderThatApplies(write: Int) throws {
        let bytes = try FeatureMovie(.mov).bytes
        let storage = MemoryStorage(bytes)
        let before = try HeaderEditor(storage, path: "movie.mov").metadata
        storage.failingWrite = write
        let editor = try Self.edited(storage)
        #expect(throws: MediaError.self) { try editor.write(to: storage) }
        // Whatever is written by now was synced before.
        #expect(storage.syncCount == write - 1 && storage.syncedCount == storage.bytes.count)
        let found = try HeaderEditor(storage, path: "movie.mov")
        #expect(found.metadata == (write == 2 ? before : before + [Self.title]))
        #expect(try Self.shownTitle(storage.bytes) == (write == 2 ? "" : "A new title\n"))
        // It can be edited again.
        storage.failingWrite = nil
        #expect(try Self.edited(storage).write(to: storage).metadata.contains(Self.title))
    }

    /// A crash between the two writes leaves two headers.
    @Test func switch_interrupted_firstHeaderAppliesUntilTheNextEdit() throws {
        let bytes = try FeatureMovie(.mov).bytes
        let storage = MemoryStorage(bytes)
        let before = try HeaderEditor(storage, path: "movie.mov").metadata
        _ = try Self.edited(storage).write(to: storage)
        let half = MemoryStorage(bytes + storage.bytes[bytes.count...])
        #expect(AtomPlaces.find("moov", of: half.bytes).count == 2)
        #expect(try Self.shownTitle(half.bytes).isEmpty)
        #expect(try MovieFinisher.finish(half).wasFinishedAlready)
        var editor = try HeaderEditor(half, path: "movie.mov")
        #expect(editor.metadata == before)
        editor.edit(1) { $0.alternateGroup = 9 }
        let after = try editor.write(to: half)
        #expect(after.metadata == before && after.track(1)?.alternateGroup == 9)
        #expect(AtomPlaces.find("moov", of: half.bytes).count == 1)
    }

    /// Two headers of which neither is an edition of the other: it is not known which one applies.
    @Test func init_severalHeaders_isRefused() throws {
        let bytes = try FeatureMovie(.mov).bytes
        let header = try #require(AtomPlaces.find("moov", of: bytes).first)
        var other = Array(bytes[header.start..<header.end])
        let duration = try #require(AtomPlaces.find("moov/mvhd", of: other).first).payload.lowerBound + 31
        other[duration] ^= 1
        let same = Array(bytes[header.start..<header.end])
        for file in [bytes + other, bytes + same + same, bytes + same + AtomWriter.build("free") { _ in }] {
            #expect(throws: MediaError.self) { _ = try HeaderEditor(MemoryStorage(file), path: "movie.mov") }
        }
    }
}
