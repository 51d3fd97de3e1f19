import AssetIO
import Capture
import FakeDevices
import Foundation
import MediaTypes
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct ReadmeExampleTests {
    /// The README's first example, with the test camera and for half a second.
    @Test func readmeExample_testCamera_recordsEachFrame() async throws {
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
            try await waitUntil { input.ledger.captured >= 15 }
            camera.stop()
            try await writer.finishWriting()
            #expect(input.ledger.written == input.ledger.captured)
            let summary = try MovieSummary(contentsOf: writer.outputURL)
            #expect(summary.health == .whole)
        }
    }

    /// The examples of DrawnFrames.md, with single-colored frames.
    @Test func drawnFramesExample_frames_areWrittenAndReadBack() async throws {
        try await withTemporaryDirectory { directory in
            let url = URL(fileURLWithPath: directory + "/movie.mp4")
            let writer = try AssetWriter(outputURL: url)
            try writer.configure { $0.shouldOptimizeForNetworkUse = true }
            let input = try AssetWriterInput(
                mediaType: .video, outputSettings: .video(VideoSettings(width: 320, height: 180)))
            let frames = try writer.inputPixelBufferReceiver(for: input, pixelFormat: .nv12)
            try writer.startWriting()
            try writer.startSession(atSourceTime: .zero)
            for number in 0..<60 {
                try await frames.append(
                    SyntheticMedia.frame(number), with: MediaTime(value: Int64(number), timescale: 30))
            }
            frames.finish()
            try await writer.finishWriting()

            let asset = Asset(url: url)
            let reader = try AssetReader(asset: asset)
            let output = try await TrackOutput(
                track: asset.tracks(withMediaType: .video)[0], outputSettings: .pixels(.nv12))
            try reader.add(output)
            try reader.startReading()
            var times: [Double] = []
            while let frame = try await output.next() { times.append(frame.presentationTime.seconds) }
            #expect(times.count == 60 && times.first == 0 && times == times.sorted())
        }
    }
}
