import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests that headers are edited without any risk for the file.
@Suite struct HeaderEditorTests {
    private static let title = MetadataItem(key: MetadataItem.titleKey, value: "A new title")

    private static func edited(_ storage: MemoryStorage) throws -> HeaderEditor {
        var editor = try HeaderEditor(storage, path: "movie.mov")
        editor.metadata.append(title)
        editor.edit(1) {
            $0.isEnabled.toggle()
            $0.alternateGroup = 7
            $0.language = "ita"
            $0.extendedLanguage = "it-CH"
            $0.matrix = [0.5, 0, 0, 0, -0.5, 0, 10, 20, 1]
        }
        return editor
    }

    @Test(arguments: [FileType.mov, .mp4]) func write_changes_areInTheFileAndNothingElse(type: FileType) throws {
        let bytes = try FeatureMovie(type).bytes
        let storage = MemoryStorage(bytes)
        let before = try HeaderEditor(storage, path: "movie")
        #expect(before.isQuickTime == type.isQuickTime)
        let after = try Self.edited(storage).write(to: storage)
        #expect(after.metadata == before.metadata + [Self.title])
        var track = try #require(before.track(1))
        track.isEnabled.toggle()
        (track.alternateGroup, track.language, track.extendedLanguage) = (7, "ita", "it-CH")
        track.matrix = [0.5, 0, 0, 0, -0.5, 0, 10, 20, 1]
        #expect(after.track(1) == track && after.track(2) == before.track(2))
        // All bytes of the old file are where they were, except for the type of the old header.
        let changed = bytes.indices.filter { storage.bytes[$0] != bytes[$0] }
        #expect(changed.count == 4 && storage.bytes.count > bytes.count)
        let place = try #require(changed.first)
        #expect(Array(bytes[place..<(place + 4)]) == Array("moov".utf8))
        #expect(Array(storage.bytes[place..<(place + 4)]) == Array("free".utf8))
        try judge(storage.bytes) { path in #expect(try Probe(path).video?.codecName != nil) }
    }

    @Test func write_noChanges_writesNothing() throws {
        let storage = MemoryStorage(try FeatureMovie(.mov).bytes)
        var editor = try HeaderEditor(storage, path: "movie.mov")
        editor.metadata = editor.metadata
        editor.edit(1) { $0.alternateGroup += 0 }
        editor.edit(99) { $0.isEnabled = false }
        _ = try editor.write(to: storage)
        #expect(storage.writes.isEmpty && editor.track(99) == nil)
    }

    @Test func write_again_leavesOneHeader() throws {
        let storage = MemoryStorage(try FeatureMovie(.mov).bytes)
        var editor = try Self.edited(storage).write(to: storage)
        editor.metadata.removeAll { $0.key == MetadataItem.titleKey }
        let last = try editor.write(to: storage)
        #expect(!last.metadata.contains { $0.key == MetadataItem.titleKey } && last.track(1)?.language == "ita")
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

    /// A power loss after the header is appended, before, in and after the switch.
    @Test func write_interruptedAtTheSwitch_hasOneHeaderThatApplies() throws {
        let bytes = try FeatureMovie(.mov).bytes
        let storage = MemoryStorage(bytes)
        storage.failingWrite = 2
        let editor = try Self.edited(storage)
        #expect(throws: MediaError.self) { try editor.write(to: storage) }
        // Two of the four bytes are written: the old header has an unknown type.
        let found = try HeaderEditor(storage, path: "movie.mov")
        #expect(found.metadata.last == Self.title)
        #expect(storage.syncCount >= 1 && storage.syncedCount == storage.bytes.count)
        // Before the switch, readers use the first header.
        var early = storage.bytes
        early.replaceSubrange(bytes.indices, with: bytes)
        try judge(early) { path in
            let result = try Command.run("ffprobe", "-v", "error", "-show_entries", "format_tags=title", path)
            #expect(result.status == 0 && !result.text.contains("A new title"), "\(result.errors)")
        }
    }

    @Test func write_headerChangedByAnotherProgram_isRefused() throws {
        let storage = MemoryStorage(try FeatureMovie(.mov).bytes)
        let (first, second) = (try Self.edited(storage), try Self.edited(storage))
        _ = try first.write(to: storage)
        let bytes = storage.bytes
        #expect { try second.write(to: storage) } throws: { ($0 as? MediaError)?.code == .busy }
        #expect(storage.bytes == bytes)
    }

    @Test func write_invalidValues_areRefused() throws {
        let storage = MemoryStorage(try FeatureMovie(.mov).bytes)
        let changes: [(inout EditedTrack) -> Void] = [
            { $0.language = "ger" }, { $0.language = "x" }, { $0.extendedLanguage = "?" }, { $0.alternateGroup = -1 },
        ]
        for change in changes {
            var editor = try HeaderEditor(storage, path: "movie.mov")
            editor.edit(1, change)
            #expect { try editor.write(to: storage) } throws: { ($0 as? MediaError)?.code == .invalidSettings }
        }
        #expect(storage.writes.isEmpty)
    }

    @Test func write_signedRecording_isRefused() throws {
        let storage = MemoryStorage(try FeatureMovie(.mov).bytes)
        var editor = try HeaderEditor(storage, path: "movie.mov")
        editor.metadata.append(MetadataItem(key: MetadataItem.signedEndKey, value: "{}"))
        let signed = try editor.write(to: storage)
        var other = signed
        other.metadata.append(Self.title)
        #expect { try other.write(to: storage) } throws: { ($0 as? MediaError)?.code == .unsupported }
    }

    /// A value of a type that is unknown here would be lost.
    @Test func write_metadataThatIsNotRead_isRefused() throws {
        var bytes = try FeatureMovie(.mov).bytes
        let place = try #require(AtomPlaces.find("moov/meta/ilst", of: bytes).first)
        let data = try #require(
            bytes[place.payload].indices.first { bytes[$0...].starts(with: Array("data".utf8)) })
        bytes[data + 7] = 200
        let storage = MemoryStorage(bytes)
        var editor = try HeaderEditor(storage, path: "movie.mov")
        editor.metadata.append(Self.title)
        #expect { try editor.write(to: storage) } throws: { ($0 as? MediaError)?.code == .unsupported }
        #expect(storage.writes.isEmpty)
        // Other changes keep it.
        editor = try HeaderEditor(storage, path: "movie.mov")
        editor.edit(1) { $0.alternateGroup = 3 }
        #expect(try editor.write(to: storage).track(1)?.alternateGroup == 3)
    }

    @Test func init_unfinishedOrIncompleteFile_isRefused() throws {
        let whole = try FeatureMovie(.mov).bytes
        let files: [[UInt8]] = [
            try FeatureMovie(.mov, finished: false).bytes, Array(whole.dropLast()), whole + [0, 0, 0, 0],
            whole + [1, 2, 3],
            Array("no movie".utf8), [],
            // Media data that lasts until the end of the file: nothing may be appended.
            whole + [0, 0, 0, 0] + Array("mdat".utf8),
        ]
        for file in files {
            #expect(throws: MediaError.self) { _ = try HeaderEditor(MemoryStorage(file), path: "movie.mov") }
        }
    }
}
