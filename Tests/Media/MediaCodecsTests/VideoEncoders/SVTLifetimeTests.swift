import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests that no encoder of SVT-AV1 is opened or closed while another one is.
@Suite(.serialized) struct SVTLifetimeTests {
    private func encoder(_ name: String) throws -> LibavVideoEncoder {
        let settings = VideoSettings(
            codec: .av1, width: 128, height: 96, rateControl: .constantQuality(30), preset: "superfast",
            keyframeInterval: MediaTime(value: 1, timescale: 1), expectedFrameRate: 30)
        return try LibavVideoEncoder(
            settings, color: .bt709, timeScale: 90_000, isRealTime: true,
            with: LibavVideoCodec(.av1, name: "AV1", candidates: [name]))
    }

    /// Runs `body` on another thread while this one opens or closes an encoder of SVT-AV1. Returns true if `body` ended
    /// before that.
    private func endsMeanwhile(atMost nanoseconds: Int64, _ body: @escaping @Sendable () -> Void) throws -> Bool {
        let hasEnded = Locked(false)
        let (thread, endedEarly) = SVTLifetime.during("libsvtav1") {
            let thread = Result {
                try NamedThread("second encoder") {
                    body()
                    hasEnded.withLock { $0 = true }
                    hasEnded.broadcast()
                }
            }
            return (thread, hasEnded.waiting(atMost: nanoseconds) { $0 ? true : nil } ?? false)
        }
        try thread.get().join()
        #expect(hasEnded.withLock { $0 })
        return endedEarly
    }

    /// An encoder that did not wait would take some milliseconds of this time.
    private static let shortTime: Int64 = 500_000_000

    @Test func open_whileAnotherIsOpened_waits() throws {
        let opened = Locked(false)
        let early = try endsMeanwhile(atMost: Self.shortTime) {
            let encoder = try? encoder("libsvtav1")
            opened.withLock { $0 = encoder != nil }
        }
        #expect(!early && opened.withLock { $0 })
    }

    @Test func close_whileAnotherIsOpened_waits() throws {
        let open = Locked<LibavVideoEncoder?>(try encoder("libsvtav1"))
        let early = try endsMeanwhile(atMost: Self.shortTime) { open.withLock { $0 = nil } }
        #expect(!early)
    }

    @Test func open_anotherEncoderWhileOneIsOpened_doesNotWait() throws {
        // The limit is only reached if the encoder waits.
        let early = try endsMeanwhile(atMost: 600_000_000_000) { _ = try? encoder("libaom-av1") }
        #expect(early)
    }
}
