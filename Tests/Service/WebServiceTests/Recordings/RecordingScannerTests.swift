import Foundation
import MediaTypes
import MovieFile
import RecorderStorage
import TestSupport
import Testing

@testable import WebService

/// Synchronization of the index with the directories.
@Suite(.timeLimit(.minutes(10))) struct RecordingScannerTests {
    @Test func scanner_existingAndLaterFiles_areFound() async throws {
        let fixture = try RecordingFixture()
        try fixture.write("a-front.mov")
        try fixture.scan()
        let first = try await fixture.recordings { $0.count == 1 }[0]
        #expect(first.file == "a-front.mov" && first.recorder == "front" && first.begin == 1_795_168_800)
        #expect(abs(first.duration - 3) < 0.1 && first.info.width == 64 && first.info.height == 48)
        #expect(first.info.codec == "h264")
        #expect(first.info.hasVideo && first.info.hasAudio && first.info.problem == nil && !first.isGrowing)

        try fixture.write("b-front.mov")
        // A file in a new directory is found too.
        try FileManager.default.createDirectory(
            atPath: fixture.path("2026-11-20"), withIntermediateDirectories: true)
        try fixture.write("2026-11-20/c-front.mov")
        let all = try await fixture.recordings { $0.count == 3 }
        #expect(Set(all.map(\.file)) == ["a-front.mov", "b-front.mov", "c-front.mov"])
        #expect(all.contains { $0.id == first.id })

        try FileManager.default.removeItem(atPath: fixture.path("2026-11-20"))
        try FileManager.default.removeItem(atPath: first.path)
        try await fixture.recordings { $0.map(\.file) == ["b-front.mov"] }
    }

    @Test func index_deletedOrDamaged_isRebuiltWithOtherNumbers() async throws {
        let fixture = try RecordingFixture()
        try fixture.write("a-front.mov")
        try fixture.scan()
        let first = try await fixture.recordings { $0.count == 1 }[0]
        try FileManager.default.removeItem(atPath: fixture.indexPath)
        let second = try await fixture.recordings { $0.count == 1 }[0]
        #expect(second.file == first.file && second.id != first.id)
        let old = try fixture.index.recording(first.id)
        #expect(old == nil)

        fixture.stop()
        try Data(repeating: 0x5A, count: 65_536).write(to: URL(fileURLWithPath: fixture.indexPath))
        try fixture.scan()
        try await fixture.recordings { $0.count == 1 && $0[0].file == first.file && $0[0].id != second.id }
    }

    @Test func recording_getsItsFinalName_keepsItsRow() async throws {
        let fixture = try RecordingFixture()
        let path = try fixture.write("a-front.recording.mov", isFinished: false)
        try fixture.scan()
        let growing = try await fixture.recordings { $0.first?.info.hasVideo == true }[0]
        #expect(growing.isGrowing && growing.info.problem == nil)
        let storage = try DiskFile(path: path, mode: .update)
        try MovieFinisher.finish(storage)
        #expect(rename(path, fixture.path("a-front.mov")) == 0)
        let name = try RecordingName(parsing: "front")
        try RecordingCatalogue(name, in: fixture.state).add(
            fixture.path("a-front.mov"), .init(started: 1_795_168_800, duration: 3, ending: .diskFull))
        let finished = try await fixture.recordings { $0.first?.isGrowing == false && $0[0].ending != nil }
        #expect(finished.count == 1 && finished[0].id == growing.id && finished[0].ending == .diskFull)
        #expect(finished[0].info.problem == nil && abs(finished[0].duration - 3) < 0.1)
    }

    @Test func growingRecording_pauses_isReadAgain() async throws {
        let fixture = try RecordingFixture()
        let path = try fixture.write("a-front.recording.mov", isFinished: false)
        try fixture.scan(rereadInterval: 0)
        try await fixture.recordings { $0.first?.info.hasVideo == true && $0[0].info.pauses.isEmpty }
        // The recorder keeps the file open, so its directory does not report the change.
        let storage = try DiskFile(path: path, mode: .update)
        let bytes = try fixture.bytes(clock: RecordingFixture.pausedClock, isFinished: false)
        try bytes.withUnsafeBytes { try storage.write($0, at: 0) }
        let paused = try await fixture.recordings { $0.first?.info.pauses.isEmpty == false }[0]
        #expect(paused.info.pauses == [.init(time: 1, duration: 10)] && paused.isGrowing)
        storage.close()
    }

    @Test func damagedMovie_isListedWithItsProblemOnly() async throws {
        let fixture = try RecordingFixture()
        try fixture.write("broken-front.mov", bytes: (0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        try fixture.write("torn-front.mov", bytes: Array(try Recording.short.bytes().dropLast(700)))
        try fixture.write("empty-front.mov", bytes: [])
        try fixture.scan()
        let found = try await fixture.recordings { $0.count == 3 }
        for recording in found {
            let problem = try #require(recording.info.problem, "\(recording.file)")
            #expect(!problem.contains(fixture.directory.url.path), "\(problem)")
        }
        #expect(found.contains { $0.file == "torn-front.mov" && $0.info.hasVideo })
    }

    @Test func files_ofOtherPrograms_areNotShown() async throws {
        let fixture = try RecordingFixture()
        try fixture.write("holiday.mov", software: "another program")
        try fixture.write("front-porch.mov", software: "another program")
        try fixture.write("letter-front.txt", bytes: [1, 2, 3])
        symlink("/etc/hostname", fixture.path("link-front.mov"))
        try fixture.write("a-front.mov")
        try fixture.scan()
        let found = try await fixture.recordings { !$0.isEmpty }
        #expect(found.map(\.file) == ["a-front.mov"])
    }

    @Test func firstRecording_isFoundWithoutRestart() async throws {
        let fixture = try RecordingFixture()
        try fixture.scan(isKnown: false)
        try await fixture.recordings { $0.isEmpty }
        let path = try fixture.write("a-front.mov")
        let name = try RecordingName(parsing: "front")
        try RecordingCatalogue(name, in: fixture.state).add(path, .init(started: 1_795_168_800, ending: .stopped))
        try await fixture.recordings { $0.first?.ending == .stopped }
        // From now on, it is like any other.
        try fixture.write("b-front.mov", began: "2026-11-20T10:01:00Z")
        try await fixture.recordings { $0.count == 2 }
    }

    @Test func copyOfARecording_isNotShownAsLongAsTheListHasTheOriginal() async throws {
        let fixture = try RecordingFixture()
        let front = try RecordingName(parsing: "front")
        // Their names sort before and after the original's.
        try fixture.write("0-front.mov", began: "2026-11-20T10:00:01Z")
        let path = try fixture.write("a-front.mov")
        try fixture.write("a-front-reencoded.mov")
        try fixture.write("z.mov", began: "2026-11-20T09:59:59Z")
        // Its entry was lost, and no other recording covers its time.
        try fixture.write("lost-front.mov", began: "2026-11-20T10:01:00Z")
        let catalogue = RecordingCatalogue(front, in: fixture.state)
        try catalogue.add(path, .init(started: 1_795_168_800, duration: 3, ending: .stopped))
        try fixture.scan()
        let found = try await fixture.recordings { !$0.isEmpty }
        #expect(Set(found.map(\.file)) == ["a-front.mov", "lost-front.mov"])
        let line = try #require(
            try fixture.index.timeline(.init(range: 1_795_168_000...1_795_169_000, step: 0.1)).lines.first)
        #expect(line.spans.map { ($0.end - $0.begin).rounded() } == [3, 3] && line.spans[0].begin == 1_795_168_800)

        try FileManager.default.removeItem(atPath: path)
        try await fixture.recordings {
            Set($0.map(\.file)) == ["0-front.mov", "a-front-reencoded.mov", "z.mov", "lost-front.mov"]
        }
    }

    @Test func listThatGetsARecording_hidesItsCopies() async throws {
        let fixture = try RecordingFixture()
        let path = try fixture.write("a-front.mov")
        try fixture.write("copy-front.mov")
        try fixture.scan()
        try await fixture.recordings { $0.count == 2 }
        let catalogue = RecordingCatalogue(try RecordingName(parsing: "front"), in: fixture.state)
        try catalogue.add(path, .init(started: 1_795_168_800, duration: 3, ending: .stopped))
        try await fixture.recordings { $0.map(\.file) == ["a-front.mov"] }
        // The list does not know a file that replaces the original.
        try FileManager.default.removeItem(atPath: path)
        try fixture.write(
            "a-front.mov", bytes: Array(try Data(contentsOf: fixture.directory.file("videos/copy-front.mov"))))
        try await fixture.recordings { $0.count == 2 }
    }

    @Test func copyOfAnUnfinishedRecording_isNotShown() async throws {
        let fixture = try RecordingFixture()
        try fixture.write("a-front.recording.mov", isFinished: false)
        try fixture.write("copy-front.mov")
        try fixture.scan()
        let found = try await fixture.recordings { !$0.isEmpty }
        #expect(found.map(\.file) == ["a-front.recording.mov"])
    }

    @Test func recording_foundAfterItsList_hidesItsCopy() async throws {
        let fixture = try RecordingFixture()
        let path = try fixture.write("a-front.mov")
        try fixture.write("copy-front.mov")
        let catalogue = RecordingCatalogue(try RecordingName(parsing: "front"), in: fixture.state)
        try catalogue.add(path, .init(started: 1_795_168_800, duration: 3, ending: .stopped))
        // The disk is missing while the list is read.
        let (here, away) = (fixture.directory.path("videos"), fixture.directory.path("away"))
        #expect(rename(here, away) == 0)
        try fixture.scan()
        try await fixture.recordings { $0.isEmpty }
        #expect(rename(away, here) == 0)
        try await fixture.recordings { $0.map(\.file) == ["a-front.mov"] }
    }

    @Test func directory_vanishesAndReturns_isWatchedAgain() async throws {
        let fixture = try RecordingFixture()
        try fixture.write("a-front.mov")
        try fixture.scan()
        try await fixture.recordings { $0.count == 1 }
        let (here, away) = (fixture.directory.path("videos"), fixture.directory.path("away"))
        #expect(rename(here, away) == 0)
        try await fixture.recordings { $0.isEmpty }
        #expect(rename(away, here) == 0)
        try await fixture.recordings { $0.count == 1 }
        try fixture.write("b-front.mov")
        try await fixture.recordings { $0.count == 2 }
    }

    @Test func recording_wrongClock_hasPlausibleTimes() async throws {
        let fixture = try RecordingFixture()
        let path = try fixture.write("old-front.mov", bytes: [1, 2, 3])
        var times = [timespec(tv_sec: -3_000_000_000, tv_nsec: 0), timespec(tv_sec: -3_000_000_000, tv_nsec: 0)]
        #expect(utimensat(AT_FDCWD, path, &times, 0) == 0)
        let name = try RecordingName(parsing: "front")
        try fixture.write("new-front.mov", bytes: [1, 2, 3])
        try RecordingCatalogue(name, in: fixture.state).add(
            fixture.path("new-front.mov"), .init(started: 9e15, duration: 1, ending: .stopped))
        try fixture.scan()
        let found = try await fixture.recordings { $0.count == 2 }
        #expect(
            found.allSatisfy { PlausibleTime.isTime($0.begin) && PlausibleTime.isTime($0.end) && $0.begin <= $0.end })
    }
}
