import FileSystem
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderStorage

/// Sidecars of recordings: what they keep, also after a movie got a number, and how they are written and removed.
@Suite struct RecordingPinsTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @discardableResult
    private func write(_ name: String, _ text: String = "movie") throws -> String {
        try Data(text.utf8).write(to: directory.file(name))
        return directory.path(name)
    }

    private func inode(_ path: String) -> UInt64 {
        var kind = stat()
        return lstat(path, &kind) == 0 ? UInt64(kind.st_ino) : 0
    }

    @Test(
        arguments: [
            ("/v/a-2.mov", "/v/a.mov"), ("/v/a-10.mov", "/v/a.mov"), ("/v/a-2", "/v/a"), ("/v/a.mov", nil),
            ("/v/a-0.mov", nil), ("/v/a-02.mov", nil), ("/v/a-.mov", nil), ("/v/-2.mov", nil), ("/v/a-123456.mov", nil),
            ("/v-2/a.mov", nil),
        ] as [(String, String?)])
    func unnumbered_anyName_isTheNameBefore(path: String, base: String?) {
        #expect(RecordingPins.unnumbered(path) == base)
    }

    @Test func write_pin_isReadBackAndRemoved() throws {
        let path = try write("a.mov")
        #expect(RecordingPins.pin(of: path, now: 9) == nil)
        let pin = RecordingPin(since: 5, note: "gate", inode: 7)
        try RecordingPins.write(pin, of: path)
        #expect(RecordingPins.contents(of: path) == .pin(pin) && RecordingPins.pin(of: path, now: 9) == pin)
        #expect(directory.names == ["a.mov", "a.mov.keep"])
        try RecordingPins.release(path)
        #expect(directory.names == ["a.mov"] && !RecordingPins.isKept(path))
        try RecordingPins.release(path)
    }

    /// `touch a.mov.keep` keeps a recording too.
    @Test func isKept_sidecarMadeByHandOrDamaged_keepsTheMovie() throws {
        let path = try write("a.mov")
        for text in ["", "{\"since\":", "keep!"] {
            try write("a.mov.keep", text)
            #expect(RecordingPins.isKept(path))
            #expect(RecordingPins.pin(of: path, now: 9) == RecordingPin(since: 9))
        }
        #expect(unlink(directory.path("a.mov.keep")) == 0)
        try FileManager.default.createDirectory(at: directory.file("a.mov.keep"), withIntermediateDirectories: false)
        #expect(RecordingPins.isKept(path))
    }

    @Test func release_fileOfAnotherProgram_isNotDeleted() throws {
        let path = try write("a.mov")
        try write("a.mov.keep", "not ours")
        #expect(throws: MediaError.self) { try RecordingPins.release(path) }
        var pin = RecordingPin(since: 1)
        #expect(throws: MediaError.self) { try RecordingPins.set(&pin, of: path) }
        #expect(try String(contentsOf: directory.file("a.mov.keep"), encoding: .utf8) == "not ours")
        #expect(RecordingPins.isKept(path))
    }

    @Test func set_keptBefore_keepsItsTimeAndNote() throws {
        let path = try write("a.mov")
        var first = RecordingPin(since: 1, note: "gate")
        try RecordingPins.set(&first, of: path)
        var second = RecordingPin(since: 2, inode: 3)
        try RecordingPins.set(&second, of: path)
        #expect(RecordingPins.contents(of: path) == .pin(RecordingPin(since: 1, note: "gate", inode: 3)))
        var third = RecordingPin(since: 3, note: "door")
        try RecordingPins.set(&third, of: path)
        #expect(RecordingPins.pin(of: path, now: 9)?.note == "door")
    }

    /// The name of a recording in progress was taken when it ended, and the process died before anything else.
    @Test func isKept_movieGotANumber_staysKept() throws {
        let kept = try write("a-2.mov")
        try RecordingPins.write(RecordingPin(since: 1, inode: inode(kept)), of: directory.path("a.mov"))
        let taken = try write("a.mov")
        #expect(RecordingPins.isKept(kept))
        // By its name; that the sidecar is another movie's may be an error of the file system.
        #expect(RecordingPins.isKept(taken))
        RecordingPins.settle(kept)
        #expect(directory.names == ["a-2.mov", "a-2.mov.keep", "a.mov"])
        #expect(RecordingPins.isKept(kept) && !RecordingPins.isKept(taken))
    }

    @Test func isKept_sidecarOfTheUnnumberedMovie_doesNotCount() throws {
        let (first, second) = (try write("a.mov"), try write("a-2.mov"))
        try RecordingPins.write(RecordingPin(since: 1, inode: inode(first)), of: first)
        #expect(RecordingPins.isKept(first) && !RecordingPins.isKept(second))
        RecordingPins.settle(second)
        #expect(directory.names == ["a-2.mov", "a.mov", "a.mov.keep"])
        // Now the sidecar may belong to either.
        #expect(unlink(first) == 0)
        #expect(RecordingPins.isKept(second))
    }

    @Test func release_sidecarOfANumberedMovie_goesToThatMovie() throws {
        let kept = try write("a-2.mov")
        try RecordingPins.write(RecordingPin(since: 1, inode: inode(kept)), of: directory.path("a.mov"))
        let taken = try write("a.mov")
        try RecordingPins.release(taken)
        #expect(!RecordingPins.isKept(taken) && RecordingPins.isKept(kept))
        try RecordingPins.release(kept)
        #expect(!RecordingPins.isKept(kept) && directory.names == ["a-2.mov", "a.mov"])
    }
}
