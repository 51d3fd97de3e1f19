import Foundation
import TestSupport
import Testing

@testable import AVFoundation
@testable import AssetIO

/// Tests of `cancelLoading` while a property is loaded.
@Suite(.timeLimit(.minutes(10))) struct CancelledLoadingTests {
    @Test func cancelLoading_duringALoad_cancelsOnlyThatLoad() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let asset = AVURLAsset(url: try movies.movie(seconds: 1))
        let (engine, gate) = (asset.engine, Gate())
        // The engine loads one property at a time, so the load waits until the gate opens.
        engine.queue.async { _ = gate.wait() }
        let load = Task { try await asset.load(.tracks).count }
        try await waitUntil {
            if case .loading = engine.status(of: .tracks) { true } else { false }
        }
        #expect(asset.statusOfValue(forKey: "tracks", error: nil) == .loading)
        asset.cancelLoading()
        gate.open()
        let error = await #expect(throws: AVError.self) { _ = try await load.value }
        #expect(error?.code == .operationCancelled)
        #expect(asset.statusOfValue(forKey: "tracks", error: nil) == .cancelled)
        #expect(try await asset.load(.tracks).count == 2)
        #expect(asset.statusOfValue(forKey: "tracks", error: nil) == .loaded)
    }
}
