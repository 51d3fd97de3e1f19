import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

/// Tests of the values that a header's editor reads and writes, and of those that it refuses.
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
        #expect(storage.syncCount == 3)
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
        try judge(storage.bytes) { path in
            let codec = try Probe(path).video?.codecName
            #expect(codec != nil)
        }
        // There is nothing to repair.
        #expect(try MovieFinisher.finish(storage).wasFinishedAlready)
        #expect(try MovieFinisher.health(of: storage) == .whole)
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

    @Test func write_invalidTransform_isRefused() throws {
        let storage = MemoryStorage(try FeatureMovie(.mov).bytes)
        for matrix in [[1, 0, 0, 0, 1, 0, 40_000, 0, 1], [.nan, 0, 0, 0, 1, 0, 0, 0, 1], [1, 0]] as [[Double]] {
            var editor = try HeaderEditor(storage, path: "movie.mov")
            editor.edit(1) { $0.matrix = matrix }
            #expect { try editor.write(to: storage) } throws: { ($0 as? MediaError)?.code == .invalidSettings }
        }
        #expect(storage.writes.isEmpty)
    }

    /// A code of ISO 639-2/B, which other programs write, is no reason to refuse other changes.
    @Test func write_invalidLanguageInTheFile_isKept() throws {
        var bytes = try FeatureMovie(.mov).bytes
        let header = try #require(AtomPlaces.find("moov/trak/mdia/mdhd", of: bytes).first)
        let place = header.payload.lowerBound + 32
        let code = PackedLanguage.pack("ger")
        bytes.replaceSubrange(place..<(place + 2), with: [UInt8(code >> 8), UInt8(code & 0xFF)])
        let storage = MemoryStorage(bytes)
        var editor = try HeaderEditor(storage, path: "movie.mov")
        #expect(editor.track(1)?.language == "ger")
        editor.edit(1) { $0.alternateGroup = 4 }
        let track = try #require(try editor.write(to: storage).track(1))
        #expect(track.language == "ger" && track.alternateGroup == 4)
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
