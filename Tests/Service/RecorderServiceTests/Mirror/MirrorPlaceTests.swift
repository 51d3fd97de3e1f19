import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The location of the mirror's files.
@Suite struct MirrorPlaceTests {
    private func copy(of pattern: String?, _ directory: String = "/mnt/b") throws -> OutputLocation {
        var configuration = RecordingConfiguration()
        configuration.output = pattern
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        let location = try OutputLocation.resolve(
            configuration, videos: "/videos", workingDirectory: "/work", now: now, isChecked: false)
        return MirrorPlace(directory) { _ in nil }.location(of: location)
    }

    @Test func location_mirroredFile_keepsTheRelativePath() async throws {
        #expect(try copy(of: "/data/take.mov").path == "/mnt/b/take.mov")
        #expect(try copy(of: "/data/front/take.mov").path == "/mnt/b/take.mov")
        #expect(try copy(of: "take.mov").path == "/mnt/b/take.mov")
        #expect(try copy(of: "/data/%Y/%Y.mov").path == "/mnt/b/2027/2027.mov")
        #expect(try copy(of: nil).path.hasPrefix("/mnt/b/2027-01-15/"))
        #expect(try copy(of: nil).root == "/mnt/b")
    }

    @Test func configuration_mirror_keepsThePattern() async throws {
        var configuration = RecordingConfiguration()
        #expect(configuration.ofMirror == nil)
        configuration.mirror = "/mnt/b"
        #expect(configuration.ofMirror?.output == "/mnt/b/" + OutputPattern.standard)
        configuration.output = "/data/%Y/a.mov"
        #expect(configuration.ofMirror?.output == "/mnt/b/%Y/a.mov")
        configuration.output = "/data/front/a-%Y.mov"
        #expect(configuration.ofMirror?.output == "/mnt/b/a-%Y.mov")
    }

    @Test func prepare_missingDirectories_createsAllButTheMirrorItself() async throws {
        try await withTemporaryDirectory { directory in
            let mirror = MirrorPlace(directory + "/b") { _ in nil }
            let location = mirror.location(
                of: OutputLocation(path: directory + "/a/2027/take.mov", root: directory + "/a"))
            func prepare() throws(MediaError) {
                try mirror.prepare(location) { location throws(MediaError) in _ = try location.makeDirectories() }
            }
            #expect(throws: MediaError.self) { try prepare() }
            try FileManager.default.createDirectory(atPath: directory + "/b", withIntermediateDirectories: false)
            try prepare()
            #expect(FileManager.default.fileExists(atPath: directory + "/b/2027"))
            // `prepare` does not check the name; creating the file does.
            try Data().write(to: URL(fileURLWithPath: location.temporaryPath))
            try prepare()
        }
    }

    /// After a restart, the mirror directory is only the empty mount point of its disk.
    @Test func prepare_diskOfEarlierRecordingsNotMounted_writesNothing() async throws {
        try await withTemporaryDirectory { directory in
            let (own, catalogue) = (directory + "/b", RecordingCatalogue(path: directory + "/mirror.sqlite"))
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
            try Data().write(to: URL(fileURLWithPath: own + "/old.mov"))
            try catalogue.add(own + "/old.mov", root: own)
            let first = OutputLocation(path: directory + "/a/2027/take.mov", root: directory + "/a")
            func place() -> MirrorPlace { MirrorPlace(own, catalogues: [catalogue]) { _ in nil } }
            func prepare() throws(MediaError) {
                let mirror = place()
                try mirror.prepare(mirror.location(of: first)) { location throws(MediaError) in
                    _ = try location.makeDirectories()
                }
            }
            try Database(catalogue.path).execute("UPDATE place SET mount = '\(own)';")
            let error = #expect(throws: MediaError.self) { try prepare() }
            #expect(error?.underlying == .errno(ENODEV))
            #expect(throws: MediaError.self) { try place().check(place().location(of: first)) }
            #expect(!place().recording(of: first).isPresent(1))
            #expect(!FileManager.default.fileExists(atPath: own + "/2027"))
            // Another file system was mounted below the directory, which is always on this disk.
            try Database(catalogue.path).execute("UPDATE place SET mount = '\(own)/2026';")
            try prepare()
            #expect(place().recording(of: first).isPresent(1))
            #expect(FileManager.default.fileExists(atPath: own + "/2027"))
        }
    }

    @Test func check_mirrorIsTheOwnDirectory_isRefusedUnderEveryPath() async throws {
        try await withTemporaryDirectory { directory in
            for name in ["a", "b"] {
                try FileManager.default.createDirectory(
                    atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
            }
            try FileManager.default.createSymbolicLink(
                atPath: directory + "/link", withDestinationPath: directory + "/a")
            let locations = [
                OutputLocation(path: directory + "/a/take.mov"),
                OutputLocation(path: directory + "/a/2027/take.mov", root: directory + "/a"),
            ]
            for location in locations {
                for name in ["a", "a/", "link", "b/../a"] {
                    let error = #expect(throws: MediaError.self) { try location.check(mirror: "\(directory)/\(name)") }
                    #expect(error?.code == .invalidSettings)
                }
                try location.check(mirror: directory + "/b")
                try location.check(mirror: directory + "/missing")
            }
        }
    }

    @Test func refusal_diskAtItsReserve_isDiskFull() {
        let mirror = MirrorPlace("/mnt/b") { $0 == "/mnt/b/day" ? 100 : 1000 }
        #expect(mirror.refusal(beside: "/mnt/b/day/take.mov", reserve: 100)?.code == .diskFull)
        #expect(mirror.refusal(beside: "/mnt/b/day/take.mov", reserve: 99) == nil)
        #expect(mirror.refusal(beside: "/mnt/b/take.mov", reserve: 100) == nil)
        #expect(mirror.refusal(beside: "/mnt/b/day/take.mov", reserve: 0) == nil)
    }
}
