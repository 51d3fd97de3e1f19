import ArchiveService
import Foundation
import MediaTypes
import TestSupport
import Testing

@Suite struct PrivateDirectoryTests {
    private let place: TemporaryDirectory
    private let output: RawPath
    private var hidden: String { PrivateDirectory.path(for: output).text! }

    init() throws {
        place = try TemporaryDirectory()
        output = RawPath(place.path("a.mov"))
    }

    @Test func remove_leavesNothing() throws {
        let mine = try PrivateDirectory(for: output)
        try Data("x".utf8).write(to: URL(fileURLWithPath: hidden + "/movie.mov"))
        mine.remove()
        #expect(place.names.isEmpty)
    }

    @Test func privateDirectory_heldByRunningAttempt_isBusy() throws {
        let mine = try PrivateDirectory(for: output)
        do throws(MediaError) {
            _ = try PrivateDirectory(for: output)
            Issue.record("two have it")
        } catch { #expect(error.code == .busy) }
        mine.remove()
    }

    @Test func privateDirectory_leftByKilledAttempt_isEmptied() throws {
        do {
            // It is released without being removed, as by a kill.
            let dead = try PrivateDirectory(for: output)
            try Data("half".utf8).write(to: URL(fileURLWithPath: hidden + "/movie.mov"))
            withExtendedLifetime(dead) {}
        }
        let mine = try PrivateDirectory(for: output)
        #expect(try FileManager.default.contentsOfDirectory(atPath: hidden) == ["claim"])
        mine.remove()
    }

    @Test(arguments: ["movie.mov", "claim"]) func privateDirectory_withForeignFile_isRefusedAndUnchanged(name: String)
        throws
    {
        try FileManager.default.createDirectory(atPath: hidden, withIntermediateDirectories: false)
        try Data("mine".utf8).write(to: URL(fileURLWithPath: hidden + "/" + name))
        do throws(MediaError) {
            _ = try PrivateDirectory(for: output)
            Issue.record("it was taken")
        } catch { #expect(error.code == .outputExists) }
        #expect(FileManager.default.contents(atPath: hidden + "/" + name) == Data("mine".utf8))
    }

    @Test func publish_nameTaken_keepsTheOtherFile() throws {
        let mine = try PrivateDirectory(for: output)
        let movie = mine.movie(ending: "mov")
        try Data("copy".utf8).write(to: URL(fileURLWithPath: movie.text!))
        try Data("other".utf8).write(to: place.file("a.mov"))
        #expect(try !mine.publish(movie, as: output))
        #expect(FileManager.default.contents(atPath: place.path("a.mov")) == Data("other".utf8))
        unlink(place.path("a.mov"))
        #expect(try mine.publish(movie, as: output))
        mine.remove()
        #expect(place.names == ["a.mov"])
    }

    @Test func replace_nameTaken_givesTheNameToTheCopy() throws {
        let mine = try PrivateDirectory(for: output)
        let movie = mine.movie(ending: "mov")
        try Data("copy".utf8).write(to: URL(fileURLWithPath: movie.text!))
        try Data("other".utf8).write(to: place.file("a.mov"))
        try mine.replace(output, with: movie)
        #expect(FileManager.default.contents(atPath: place.path("a.mov")) == Data("copy".utf8))
        do throws(MediaError) {
            try mine.replace(output, with: movie)
            Issue.record("a missing copy replaced it")
        } catch { #expect(error.code == .notFound) }
        mine.remove()
        #expect(place.names == ["a.mov"])
    }
}
