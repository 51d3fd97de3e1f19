import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of listings 27 to 29.
@Suite struct ClipExportTests {
    private func export(_ session: AVAssetExportSession) async -> ClipExport.Outcome {
        await withCheckedContinuation { continuation in
            ClipExport.export(session) { continuation.resume(returning: $0) }
        }
    }

    private func lowQualitySession(_ url: URL) async throws -> AVAssetExportSession {
        try await onThread { try #require(ClipExport.session(for: AVURLAsset(url: url))) }
    }

    @Test func export_threeSeconds_writesThem() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let target = movies.directory.file("out.mov")
        let session = try await lowQualitySession(try movies.movie(seconds: 5))
        ClipExport.prepare(session, to: target, from: 1, seconds: 3)
        #expect(await export(session) == .completed, "\(String(describing: session.error))")
        let probe = try Probe(target.path, decodes: true)
        #expect(probe.complaints.isEmpty && probe.streams.count == 2 && abs(probe.format.seconds - 3) < 0.05)
    }

    @Test func export_fileExists_failsAndKeepsIt() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let target = movies.directory.file("out.mov")
        try Data("an earlier file".utf8).write(to: target)
        let session = try await lowQualitySession(try movies.movie())
        ClipExport.prepare(session, to: target, from: 0, seconds: 1)
        let outcome = await export(session)
        guard case .failed(let reason) = outcome else { return #expect(Bool(false), "\(outcome)") }
        #expect(reason.contains("out.mov"))
        #expect(try Data(contentsOf: target) == Data("an earlier file".utf8))
    }

    @Test func session_noMovie_isNil() async throws {
        let directory = try TemporaryDirectory()
        defer { withExtendedLifetime(directory) {} }
        let asset = AVURLAsset(url: directory.file("missing.mov"))
        #expect(try await onThread { ClipExport.session(for: asset) == nil })
    }
}
