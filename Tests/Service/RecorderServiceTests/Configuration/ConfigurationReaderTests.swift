import CommandInterface
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderStorage

/// Reading a running recorder's configuration again.
@Suite struct ConfigurationReaderTests {
    private let directory: TemporaryDirectory
    private let reader: ConfigurationReader

    init() throws {
        directory = try TemporaryDirectory()
        for name in ["own/recorder", "etc"] {
            try FileManager.default.createDirectory(at: directory.file(name), withIntermediateDirectories: true)
        }
        reader = ConfigurationReader(
            ConfigurationSource(
                try RecordingName(parsing: "front"), environment: ["XDG_CONFIG_HOME": directory.path("own")],
                systemDirectory: directory.path("etc"), workingDirectory: directory.url.path))
    }

    private static let mask = "camera: test\nmask: {door: \"0,0 40,0 40,25 0,25\"}\n"
    private static let own = "own/recorder/front.yaml"

    private func write(_ text: String, _ name: String = own) throws {
        try Data(text.utf8).write(to: directory.file(name))
    }

    private func remove(_ name: String = own) throws { try FileManager.default.removeItem(at: directory.file(name)) }

    private func failure() -> RecordingFailure? {
        do throws(RecordingFailure) {
            _ = try reader.load()
            return nil
        } catch { return error }
    }

    @Test func load_fileIsGone_isRefusedUntilItReturns() throws {
        try write(Self.mask)
        #expect(try reader.load().frameStage.masks.count == 1)
        try remove()
        #expect(failure()?.stage == .configuration)
        #expect(failure()?.description.contains("the file is missing") == true)
        try write(Self.mask)
        #expect(try reader.load().frameStage.masks.count == 1)
    }

    @Test(arguments: ["", "# mask: {door: \"0,0 40,0 40,25\"}\n"])
    func load_fileWithoutSettings_isRefusedIfItHadSettings(text: String) throws {
        try write(text)
        #expect(failure() == nil)
        try write(Self.mask)
        #expect(try reader.load().frameStage.masks.count == 1)
        try write(text)
        #expect(failure()?.stage == .configuration)
        #expect(failure()?.description.contains("the file is empty") == true)
    }

    @Test func load_ownFileIsGone_doesNotReadTheSystemFile() throws {
        try write("segment: 10m\n", "etc/front.yaml")
        #expect(try reader.load().frameStage.masks.isEmpty)
        // A new file of the user replaces the system's.
        try write(Self.mask)
        #expect(try reader.load().frameStage.masks.count == 1)
        try remove()
        #expect(failure()?.stage == .configuration)
    }

    @Test func load_otherRecordersFileRemains_reportsTheMissingFile() throws {
        try write("camera: test\n", "etc/fornt.yaml")
        try write(Self.mask)
        #expect(failure() == nil)
        try remove()
        #expect(failure()?.description.contains("the file is missing") == true)
    }

    @Test func load_firstFile_isReadOnceItExists() throws {
        #expect(try reader.load().frameStage.masks.isEmpty)
        try write(Self.mask)
        #expect(try reader.load().frameStage.masks.count == 1)
    }
}
