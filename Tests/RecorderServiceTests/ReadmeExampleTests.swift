import AssetIO
import Capture
import Foundation
import MediaTypes
import Testing

@Suite(.timeLimit(.minutes(1))) struct ReadmeExampleTests {
    /// The README's example, with the test camera and for half a second.
    @Test func theLibraryRecordsInTenLines() async throws {
        try await withTemporaryDirectory { directory in
            let camera = try TestCamera(width: 320, height: 240)
            let writer = try AssetWriter(outputURL: URL(fileURLWithPath: directory + "/movie.mov"))
            let input = try AssetWriterInput(
                mediaType: .video, outputSettings: .video(VideoSettings()), sourceFormatHint: camera.format)
            try input.configure { $0.expectsMediaDataInRealTime = true }
            try writer.add(input)
            try writer.startWriting()
            try camera.start { event in
                guard case .sample(let frame) = event else { return }
                try? writer.startSession(atSourceTime: frame.presentationTime)
                _ = try? input.append(frame)
            }
            try await eventually { input.ledger.captured >= 15 }
            camera.stop()
            try await writer.finishWriting()
            #expect(input.ledger.written == input.ledger.captured)
            let summary = try MovieSummary(contentsOf: writer.outputURL)
            #expect(summary.health == .whole)
        }
    }
}
