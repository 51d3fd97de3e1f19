import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MovieFile

@Suite struct DiskFileTests {
    @Test func diskFile_writtenBytes_areReadBack() throws {
        let directory = try TemporaryDirectory()
        let file = try DiskFile(path: directory.path("a"), mode: .create)
        try file.write([1, 2, 3, 4], at: 2)
        #expect(try file.size() == 6)
        #expect(try file.read(10, at: 0) == [0, 0, 1, 2, 3, 4])
        #expect(try file.read(10, at: 100) == [])
        try file.truncate(to: 3)
        try file.synchronize()
        #expect(try file.read(10, at: 0) == [0, 0, 1])
    }

    @Test func create_existingFile_isRefusedAndUnchanged() throws {
        let directory = try TemporaryDirectory()
        try Data([7]).write(to: directory.file("a"))
        let error = #expect(throws: MediaError.self) { try DiskFile(path: directory.path("a"), mode: .create) }
        #expect(error?.code == .outputExists)
        #expect(try Data(contentsOf: directory.file("a")) == Data([7]))
    }

    @Test func rename_existingTarget_isReplacedOnlyIfAsked() throws {
        let directory = try TemporaryDirectory()
        try Data([1]).write(to: directory.file("a"))
        try Data([2]).write(to: directory.file("b"))
        let error = #expect(throws: MediaError.self) {
            try DiskFile.rename(directory.path("a"), to: directory.path("b"), replacing: false)
        }
        #expect(error?.code == .outputExists && directory.names == ["a", "b"])
        #expect(try Data(contentsOf: directory.file("b")) == Data([2]))
        try DiskFile.rename(directory.path("a"), to: directory.path("b"), replacing: true)
        #expect(directory.names == ["b"])
        #expect(try Data(contentsOf: directory.file("b")) == Data([1]))
        try DiskFile.rename(directory.path("b"), to: directory.path("c"), replacing: false)
        #expect(directory.names == ["c"])
        try DiskFile.synchronizeDirectory(of: directory.path("c"))
        try DiskFile.synchronizeDirectory(of: "relative-name")
    }

    @Test func rename_keptTarget_isNeverReplaced() throws {
        let directory = try TemporaryDirectory()
        try Data([1]).write(to: directory.file("a"))
        try Data([2]).write(to: directory.file("b"))
        try Data().write(to: directory.file("b.keep"))
        let error = #expect(throws: MediaError.self) {
            try DiskFile.rename(directory.path("a"), to: directory.path("b"), replacing: true)
        }
        #expect(error?.code == .outputExists && error?.wayOut.contains("protects that file") == true)
        #expect(directory.names == ["a", "b", "b.keep"])
        #expect(try Data(contentsOf: directory.file("b")) == Data([2]))
        // The sidecar of a movie that is gone keeps nothing.
        try FileManager.default.removeItem(at: directory.file("b"))
        try DiskFile.rename(directory.path("a"), to: directory.path("b"), replacing: true)
        #expect(directory.names == ["b", "b.keep"])
    }

    @Test func write_fullDisk_reportsThePath() throws {
        let file = try DiskFile(path: "/dev/full", mode: .update)
        let error = #expect(throws: MediaError.self) { try file.write([1], at: 0) }
        #expect(error?.code == .diskFull && error?.description.contains("/dev/full") == true)
    }
}
