import Foundation
import TestSupport
import Testing

@testable import AVFoundation
@testable import AssetIO

/// Tests of calls while an export waits for its asset's header.
@Suite(.timeLimit(.minutes(10))) struct WaitingExportTests {
    /// Starts an export that needs the header, calls `act` before the header is read, and waits for the export's end.
    private func export(
        _ movies: MadeMovies, _ act: (AVAssetExportSession) -> Void
    ) async throws -> AVAssetExportSession {
        let asset = AVURLAsset(url: try movies.movie(seconds: 1))
        let session = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetHighestQuality))
        session.outputURL = movies.directory.file("out.mov")
        session.metadataItemFilter = .forSharing()
        let (header, end, calls) = (Gate(), Gate(), Counter())
        // The engine loads one property at a time, so the export waits until the gate opens.
        asset.engine.queue.async { _ = header.wait() }
        session.exportAsynchronously {
            calls.add()
            end.open()
        }
        #expect(session.status == .waiting)
        act(session)
        header.open()
        #expect(try await onThread { end.wait() })
        #expect(calls.count == 1 && movies.directory.names == ["movie.mov"])
        return session
    }

    @Test func cancelExport_whileWaiting_cancelsTheExport() async throws {
        let movies = try MadeMovies()
        let session = try await export(movies) { $0.cancelExport() }
        #expect(session.status == .cancelled)
        #expect((session.error as NSError?)?.code == AVError.Code.operationCancelled.rawValue)
    }

    @Test func property_setWhileWaiting_failsTheExport() async throws {
        let movies = try MadeMovies()
        let session = try await export(movies) { $0.outputURL = nil }
        #expect(session.status == .failed)
        #expect(session.error?.localizedDescription.contains("outputURL") == true)
    }
}
