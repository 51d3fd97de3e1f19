import CommandInterface
import Foundation
import MediaTypes
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite struct OutputTests {
    private let moment = Date(timeIntervalSince1970: 1_795_269_802)  // 2026-11-21 14:03:22 UTC
    private let utc = TimeZone(identifier: "UTC")!

    @Test func pattern_fields_expandToTimeAndName() throws {
        let name = try RecordingName(parsing: "front")
        let path = try OutputPattern(parsing: OutputPattern.standard).path(name: name, at: moment, timeZone: utc)
        #expect(path == "2026-11-21/14-03-22-front.mov")
        let other = try OutputPattern(parsing: "/a/%{name}/%j 100%%.MOV").path(name: name, at: moment, timeZone: utc)
        #expect(other == "/a/front/325 100%.MOV")
    }

    @Test func pattern_time_isLocal() throws {
        let berlin = TimeZone(identifier: "Europe/Berlin")!
        #expect(
            try OutputPattern(parsing: "%H-%M.mov").path(name: .standard, at: moment, timeZone: berlin) == "15-03.mov")
    }

    @Test func pattern_timeZone_isNamed() throws {
        let pattern = try OutputPattern(parsing: "%Z%z.mov")
        let zone = try #require(TimeZone(secondsFromGMT: 5400))
        let other = pattern.path(name: .standard, at: moment, timeZone: zone)
        #expect(other == "\(zone.abbreviation(for: moment) ?? "")+0130.mov")
        // The time zone of this machine, as the C library names it.
        var (seconds, fields) = (time_t(1_795_269_802), tm())
        localtime_r(&seconds, &fields)
        let name = try #require(fields.tm_zone.map { String(cString: $0) })
        #expect(pattern.path(name: .standard, at: moment).hasPrefix(name))
    }

    @Test(arguments: ["", "dir/", ".", "..", "a/..", "take", "take.avi", ".mov", "dir/.mov", "a\0.mov"])
    func pattern_notAMovieFile_isRefused(text: String) {
        #expect(throws: OptionError.self) { try OutputPattern(parsing: text) }
    }

    @Test(arguments: [
        ("XDG_VIDEOS_DIR=\"$HOME/Movies\"", "/home/ana/Movies"), ("XDG_VIDEOS_DIR=\"/data/video/\"", "/data/video"),
        ("# comment\n  XDG_VIDEOS_DIR=\"$HOME/Vidéos\"\n", "/home/ana/Vidéos"), ("XDG_VIDEOS_DIR=\"$HOME/\"", nil),
        ("XDG_VIDEOS_DIR=\"relative\"", nil), ("", nil), ("XDG_MUSIC_DIR=\"$HOME/Music\"", nil),
    ])
    func videosDirectory_userDirs_isRead(text: String, path: String?) {
        #expect(VideosDirectory.parse(text, home: "/home/ana") == path)
    }

    @Test func videosDirectory_notConfigured_hasADefault() {
        let home = ["HOME": "/home/ana"]
        #expect(VideosDirectory.path(environment: home) { _ in nil } == "/home/ana/Videos")
        #expect(
            VideosDirectory.path(environment: home) {
                $0 == "/home/ana/.config/user-dirs.dirs" ? "XDG_VIDEOS_DIR=\"$HOME/V\"" : nil
            } == "/home/ana/V")
    }

    @Test func defaultDirectories_areCreatedAndRemoved() async throws {
        try await withTemporaryDirectory { directory in
            let location = try OutputLocation.resolve(
                RecordingConfiguration(), videos: directory + "/Videos", workingDirectory: "/", now: moment)
            #expect(location.path.hasPrefix(directory + "/Videos/2026-11-2"))
            #expect(!FileManager.default.fileExists(atPath: directory + "/Videos"))
            let made = try location.makeDirectories()
            #expect(made == [location.directory, directory + "/Videos"])
            #expect(FileManager.default.fileExists(atPath: location.directory))
            #expect(try location.makeDirectories().isEmpty)
            _ = FileManager.default.createFile(atPath: directory + "/Videos/mine", contents: nil)
            OutputLocation.removeDirectories(made)
            #expect(!FileManager.default.fileExists(atPath: location.directory))
            #expect(FileManager.default.fileExists(atPath: directory + "/Videos/mine"))
        }
    }

    @Test func resolve_twoRecordingsInOneSecond_getTwoNames() async throws {
        try await withTemporaryDirectory { directory in
            func resolve() throws(MediaError) -> OutputLocation {
                try OutputLocation.resolve(
                    RecordingConfiguration(), videos: directory, workingDirectory: "/", now: moment)
            }
            let first = try resolve()
            _ = try first.makeDirectories()
            _ = FileManager.default.createFile(atPath: first.temporaryPath, contents: nil)
            let second = try resolve()
            #expect(second.path == first.path.replacing(".mov", with: "-2.mov"))
            _ = FileManager.default.createFile(atPath: second.path, contents: nil)
            #expect(try resolve().path == first.path.replacing(".mov", with: "-3.mov"))
        }
    }

    @Test func resolve_givenOutput_isCheckedAndCreatesNothing() async throws {
        try await withTemporaryDirectory { directory in
            func code(_ output: String, overwrite: Bool = false) -> MediaError.Code? {
                var configuration = RecordingConfiguration()
                configuration.output = output
                configuration.overwrite = overwrite
                do throws(MediaError) {
                    _ = try OutputLocation.resolve(configuration, workingDirectory: directory)
                    return nil
                } catch { return error.code }
            }
            _ = FileManager.default.createFile(atPath: directory + "/there.mov", contents: Data("x".utf8))
            _ = FileManager.default.createFile(atPath: directory + "/half.recording.mov", contents: nil)
            try FileManager.default.createDirectory(atPath: directory + "/dir.mov", withIntermediateDirectories: false)
            #expect(code("new.mov") == nil)
            #expect(code("./sub/../new.mov") == nil)
            #expect(code("there.mov") == .outputExists)
            #expect(code("there.mov", overwrite: true) == nil)
            #expect(code("half.mov", overwrite: true) == .outputExists)
            #expect(code("dir.mov", overwrite: true) == .cannotCreate)
            #expect(code("missing/new.mov") == .cannotCreate)
            #expect(code("there.mov/new.mov") == .cannotCreate)
            #expect(code("/dev/null.mov/x.mov") == .cannotCreate)
            #expect(code("take.avi") == .invalidSettings)
            let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
            #expect(names == ["dir.mov", "half.recording.mov", "there.mov"])
        }
    }
}

/// Runs `body` with a temporary directory and removes it afterwards.
func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
    let path = try makeTemporaryDirectory()
    defer { try? FileManager.default.removeItem(atPath: path) }
    try await body(path)
}

private func makeTemporaryDirectory() throws -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("recorder-\(UUID().uuidString.prefix(8))")
        .path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    return path
}
