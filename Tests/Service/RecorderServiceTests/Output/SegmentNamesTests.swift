import CommandInterface
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The names of the files of one recording.
@Suite struct SegmentNamesTests {
    private let directory: TemporaryDirectory
    private let start = Date(timeIntervalSince1970: 1_795_269_802)

    init() throws { directory = try TemporaryDirectory() }

    private func names(_ output: String?) throws -> (SegmentNames, OutputLocation) {
        var configuration = RecordingConfiguration()
        configuration.output = output
        let first = try OutputLocation.resolve(
            configuration, videos: directory.path("Videos"), workingDirectory: directory.url.path, now: start)
        let names = SegmentNames(
            configuration, first: first, now: start, videos: directory.path("Videos"),
            workingDirectory: directory.url.path)
        return (names, first)
    }

    private func relative(_ location: OutputLocation) -> String {
        String(location.path.dropFirst(directory.url.path.count + 1))
    }

    @Test func next_nameWithoutTime_getsNumbers() throws {
        var (names, first) = try names("front.mov")
        #expect(relative(first) == "front.mov")
        let next = try (0..<3).map { try relative(names.next(at: start + Double($0), isTaken: { _ in false })) }
        #expect(next == ["front-002.mov", "front-003.mov", "front-004.mov"])
    }

    @Test func next_pattern_isExpandedAgainUnlessTheStemIsKept() throws {
        var (names, first) = try names("%S.mov")
        #expect(relative(first).hasSuffix("22.mov"))
        var next: [String] = []
        for (seconds, keepsStem) in [(0.0, false), (5, false), (9, true), (10, true), (11, false)] {
            next.append(relative(try names.next(at: start + seconds, keepsStem: keepsStem, isTaken: { _ in false })))
        }
        #expect(next == ["22-002.mov", "27.mov", "27-002.mov", "27-003.mov", "33.mov"])
    }

    @Test func next_nextDay_getsItsDirectory() throws {
        var (names, first) = try names(nil)
        _ = try first.makeDirectories()
        let tomorrow = try names.next(at: start + 86_400)
        #expect(tomorrow.directory != first.directory)
        #expect(tomorrow.root == directory.path("Videos"))
        #expect(try tomorrow.makeDirectories() == [tomorrow.directory])
    }

    @Test func next_takenNames_areSkipped() throws {
        var (names, _) = try names("a-%S.mov")
        for name in ["a-27.mov", "a-27-002.recording.mov"] {
            #expect(FileManager.default.createFile(atPath: directory.path(name), contents: nil))
        }
        #expect(symlink("/nowhere", directory.path("a-27-003.mov")) == 0)
        #expect(relative(try names.next(at: start + 5)) == "a-27-004.mov")
        #expect(throws: MediaError.self) { try names.next(at: start + 6, isTaken: { _ in true }) }
    }

    @Test(arguments: [
        "%Y/../%H.mov", "%Y/../../x.mov", "/data/%{name}/../x.mov", "a/%D.mov", "%x.mov", "%n.mov", "%t/a.mov",
        "%0999999Y.mov", "\(String(repeating: "x", count: 181)).mov", "%Y/./../..//a.mov",
    ])
    func pattern_parentDirectoryOrInvalidField_isRefused(text: String) {
        #expect(throws: OptionError.self) { try OutputPattern(parsing: text) }
    }

    @Test(arguments: [
        ("../x.mov", "..", false), ("/data/%Y-%m/%H.mov", "/data", true), ("/data/a/%{name}-%H.mov", "/data/a", false),
        ("%Y/%m/%d.mov", "", true), ("/%Y/a.mov", "/", true), ("100%%/a.mov", "100%%", false),
        ("../b/%{name}/x.mov", "../b", true),
    ])
    func pattern_fixedDirectory_endsBeforeTheFirstField(text: String, fixed: String, makes: Bool) throws {
        let pattern = try OutputPattern(parsing: text)
        #expect(pattern.fixedDirectory == fixed)
        #expect(pattern.hasFieldsInDirectory == makes)
    }

    @Test func makeDirectories_fixedPart_isNotCreated() throws {
        let (_, location) = try names("%Y-%m-%d/%{name}/%H.mov")
        #expect(directory.names == [])
        let made = try location.makeDirectories()
        #expect(made.count == 2)
        #expect(FileManager.default.fileExists(atPath: location.directory))
        OutputLocation.removeDirectories(made)
        #expect(directory.names == [])
        #expect(throws: MediaError.self) { try names("missing/%Y/%H.mov") }
        #expect(FileManager.default.createFile(atPath: directory.path("file"), contents: nil))
        #expect(throws: MediaError.self) { try names("file/%Y/%H.mov") }
        #expect(directory.names == ["file"])
    }

    @Test func resolve_overwriteInADirectoryOfFields_isAllowed() throws {
        var configuration = RecordingConfiguration()
        configuration.output = "%Y/a.mov"
        configuration.overwrite = true
        func resolve() throws -> OutputLocation {
            try OutputLocation.resolve(configuration, workingDirectory: directory.url.path, now: start)
        }
        let location = try resolve()
        _ = try location.makeDirectories()
        #expect(FileManager.default.createFile(atPath: location.path, contents: nil))
        #expect(try resolve().makeDirectories() == [])
        configuration.overwrite = false
        #expect(try resolve().path == location.path.replacing("a.mov", with: "a-2.mov"))
    }
}
