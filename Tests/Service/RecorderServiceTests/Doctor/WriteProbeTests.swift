import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderService

@Suite struct WriteProbeTests {
    @Test(arguments: [false, true])
    func measure_folderWithFiles_leavesOnlyThose(isNamed: Bool) throws {
        let directory = try TemporaryDirectory()
        try Data("own".utf8).write(to: directory.file("a.mov"))
        let speed = try WriteProbe.measure(in: directory.url.path, most: 4 << 20, isNamed: isNamed)
        #expect(speed.bytes >= 2 << 20 && speed.bytes <= 4 << 20)
        #expect(speed.nanoseconds > 0 && speed.bytesPerSecond > 0)
        #expect(directory.names == ["a.mov"])
        #expect(try Data(contentsOf: directory.file("a.mov")) == Data("own".utf8))
    }

    @Test func measure_noTime_writesOneBlock() throws {
        let directory = try TemporaryDirectory()
        let speed = try WriteProbe.measure(in: directory.url.path, patience: 0)
        #expect(speed.bytes == 2 << 20 && directory.names.isEmpty)
    }

    @Test func measure_missingFolder_namesIt() throws {
        let directory = try TemporaryDirectory()
        let error = #expect(throws: MediaError.self) { try WriteProbe.measure(in: directory.path("missing")) }
        #expect(error?.code == .notFound && error?.action.contains("missing") == true)
        #expect(directory.names.isEmpty)
    }
}
