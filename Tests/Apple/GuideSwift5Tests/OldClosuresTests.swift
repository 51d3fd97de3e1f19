import AVFoundation
import Foundation
import TestSupport
import Testing

/// Tests of closures from before Swift 6: they change what they capture, and it is not Sendable. Apple's methods accept
/// them without a warning, because they come from Objective-C.
///
/// This file is only in the target of Swift 5 mode. The others there are links to files of GuideTests.
@Suite struct OldClosuresTests {
    /// Loads, copies, exports and makes images, as one object of an old program.
    private final class OldProgram {
        private let asset: AVURLAsset
        private var duration = 0.0
        private var frames = 0
        private var images = 0
        private var isExported = false

        init(_ url: URL) { asset = AVURLAsset(url: url) }

        func load() -> Double {
            let gate = DispatchSemaphore(value: 0)
            asset.loadValuesAsynchronously(forKeys: ["duration"]) {
                self.duration = self.asset.duration.seconds
                gate.signal()
            }
            gate.wait()
            return duration
        }

        func copyVideo(to url: URL) throws -> Int {
            let reader = try SampleReader(asset)
            let writer = try TrackWriter(url)
            guard reader.addVideoOutput(kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange),
                writer.addVideoInput(width: 160, height: 120), let output = reader.output, let input = writer.input,
                reader.reader.startReading()
            else { return 0 }
            try writer.start()
            let gate = DispatchSemaphore(value: 0)
            input.requestMediaDataWhenReady(on: DispatchQueue(label: "old program")) {
                while input.isReadyForMoreMediaData {
                    guard let sample = output.copyNextSampleBuffer(), input.append(sample) else {
                        input.markAsFinished()
                        gate.signal()
                        return
                    }
                    self.frames += 1
                }
            }
            gate.wait()
            writer.writer.finishWriting {
                if writer.writer.status != .completed { self.frames = 0 }
                gate.signal()
            }
            gate.wait()
            return frames
        }

        func makeImages() -> Int {
            let generator = AVAssetImageGenerator(asset: asset)
            let gate = DispatchSemaphore(value: 0)
            var remaining = 3
            let handler: AVAssetImageGeneratorCompletionHandler = { _, image, _, _, _ in
                if image != nil { self.images += 1 }
                remaining -= 1
                if remaining == 0 { gate.signal() }
            }
            let times = [0.0, 0.5, 1].map { NSValue(time: seconds($0)) }
            generator.generateCGImagesAsynchronously(forTimes: times, completionHandler: handler)
            gate.wait()
            return images
        }

        func export(to url: URL) -> Bool {
            guard let session = ClipExport.session(for: asset) else { return false }
            ClipExport.prepare(session, to: url, from: 0, seconds: 1)
            let gate = DispatchSemaphore(value: 0)
            session.exportAsynchronously {
                self.isExported = session.status == .completed
                gate.signal()
            }
            gate.wait()
            return isExported
        }
    }

    @Test func handlers_objectIsNotSendable_areAccepted() async throws {
        let movies = try MadeMovies()
        defer { withExtendedLifetime(movies) {} }
        let (copy, clip) = (movies.directory.file("copy.mov"), movies.directory.file("clip.mov"))
        let url = try movies.movie("silent.mov", ["-an"])
        try await onThread {
            let program = OldProgram(url)
            #expect(abs(program.load() - 2) < 0.05)
            let copied = try program.copyVideo(to: copy)
            #expect(copied == 60)
            #expect(program.makeImages() == 3)
            #expect(program.export(to: clip))
        }
        #expect(try Probe(copy.path, decodes: true).video?.frames == 60)
        #expect(abs(try Probe(clip.path).format.seconds - 1) < 0.05)
    }
}
