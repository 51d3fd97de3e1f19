import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests of `fileLengthLimit`: the file is never larger, whatever the material.
@Suite struct SizeBudgetTests {
    private func size(_ url: URL) throws -> Int64 {
        try #require(try FileManager.default.attributesOfItem(atPath: url.path)[.size] as? Int64)
    }

    private let noise = "nullsrc=s=320x180:r=25:d=4,geq=random(1)*255:128:128"

    @Test func export_fileLengthLimit_givesVideoAsManyBitsAsFit() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.make(
            "noise.mov", [noise, "sine=d=4"], ["-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac"])
        let session = try ExportSession(asset: Asset(url: source))
        try session.configure { $0.fileLengthLimit = 400_000 }
        let copy = fixture.directory.file("copy.mov")
        try await session.export(to: copy)
        let bytes = try size(copy)
        #expect(bytes <= 400_000 && bytes > 300_000)
        #expect(fixture.directory.names == ["copy.mov", "noise.mov"])
        #expect(try Probe(copy.path, decodes: true).video?.frames == 100)
    }

    /// Matroska does not state the bit rates of its tracks.
    @Test(arguments: ["noise.mov", "noise.mkv"]) func passthrough_fileLengthLimit_endsEarlier(_ name: String)
        async throws
    {
        let fixture = try ReadingFixture()
        let source = try fixture.make(name, [noise], ["-c:v", "libx264", "-preset", "ultrafast", "-g", "10"])
        let whole = try size(source)
        let session = try ExportSession(asset: Asset(url: source), preset: .passthrough)
        try session.configure { $0.fileLengthLimit = whole / 2 }
        let copy = fixture.directory.file("copy.mov")
        try await session.export(to: copy)
        let bytes = try size(copy)
        #expect(bytes <= whole / 2 && bytes > whole / 3)
        let probe = try Probe(copy.path, decodes: true)
        #expect(probe.complaints == "" && probe.format.seconds > 1.4 && probe.format.seconds < 2.1)
    }

    @Test func export_limitTooSmall_failsAndLeavesNothing() async throws {
        let fixture = try ReadingFixture()
        let source = try fixture.movie()
        let session = try ExportSession(asset: Asset(url: source))
        try session.configure { $0.fileLengthLimit = 3000 }
        await #expect(throws: MediaError.self) { try await session.export(to: fixture.directory.file("copy.mov")) }
        #expect(session.status == .failed && session.error?.code == .invalidSettings)
        #expect(fixture.directory.names == ["movie.mov"])
    }
}
