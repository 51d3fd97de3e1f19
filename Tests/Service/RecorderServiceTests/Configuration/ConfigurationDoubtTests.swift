import Foundation
import Glibc
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// Hook commands run only from a configuration file that no other user could have written.
@Suite struct ConfigurationDoubtTests {
    private let place: TemporaryDirectory
    private var directory: String { place.path("etc") }
    private var file: String { directory + "/front.yaml" }

    init() throws {
        place = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: place.path("etc"), withIntermediateDirectories: false)
        try write("hook: {stop: ls}\n")
    }

    private func write(_ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        try #require(chmod(file, 0o644) == 0)
    }

    private func refusal(_ path: String? = nil) -> String? {
        do throws(MediaError) { _ = try ConfigurationFile.assignments(path ?? file) } catch { return error.description }
        return nil
    }

    @Test func hooks_ownFile_areAccepted() { #expect(refusal() == nil) }

    @Test func hooks_fileWritableByItsGroup_areRefused() throws {
        try #require(chmod(file, 0o664) == 0)
        #expect(
            refusal()?.contains(
                "front.yaml:1: hooks are not allowed in this file: other users can write it; `chmod go-w") == true)
        try write("camera: test\n")
        try #require(chmod(file, 0o664) == 0)
        #expect(refusal() == nil)
    }

    @Test func hooks_fileThatOthersCanReplace_areRefused() throws {
        try #require(chmod(directory, 0o777) == 0)
        #expect(refusal()?.contains("other users can replace files in \(directory)") == true)
        // A link from a trusted directory does not make the file trusted.
        try #require(symlink(file, place.path("link.yaml")) == 0)
        #expect(refusal(place.path("link.yaml"))?.contains(directory) == true)
        try #require(chmod(directory, 0o1777) == 0)
        #expect(refusal() == nil)
    }

    /// Runs as root only: no other user can give a file to another owner.
    @Test(.enabled(if: geteuid() == 0)) func hooks_fileOfAnotherUser_areRefused() throws {
        try #require(chown(file, 4321, 4321) == 0)
        #expect(refusal()?.contains("it belongs to another user (uid 4321)") == true)
        try #require(chown(file, 0, 0) == 0 && chown(directory, 4321, 4321) == 0)
        #expect(refusal()?.contains(directory) == true)
    }
}
