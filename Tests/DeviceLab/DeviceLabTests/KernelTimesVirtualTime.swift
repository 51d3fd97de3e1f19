import AssetIO
import Capture
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

/// The kernel's timestamps, from the driver to another program's reading of the finished file.
@Suite(.serialized) struct KernelTimesVirtualTime {
    private struct Seen {
        var times: [MediaTime] = []
        var failure: String?
    }

    @Test func frameTimes_inTheFile_areTheKernels() async throws {
        let place = try TemporaryDirectory()
        let url = URL(fileURLWithPath: place.path("movie.mov"))
        let camera = try V4L2Camera(
            device: "/dev/video0",
            request: CameraRequest(size: FrameSize(640, 360), frameRate: FrameRate(30), pixelFormat: .yuyv))
        let writer = try AssetWriter(outputURL: url)
        let video = try AssetWriterInput(
            mediaType: .video, outputSettings: .video(VideoSettings(preset: "ultrafast")),
            sourceFormatHint: camera.format)
        try video.configure { $0.expectsMediaDataInRealTime = true }
        try writer.add(video)
        try writer.startWriting()
        let seen = Locked(Seen())
        try camera.start { event in
            guard case .sample(let sample) = event else { return }
            do {
                if seen.withLock({ $0.times.isEmpty }) {
                    try writer.startSession(atSourceTime: sample.presentationTime)
                }
                try video.append(sample)
            } catch { seen.withLock { $0.failure = "\(error)" } }
            seen.withLock { $0.times.append(sample.presentationTime) }
            seen.broadcast()
        }
        let hasAll: Void? = seen.waiting(atMost: 120_000_000_000) { $0.times.count >= 1800 ? () : nil }
        #expect(hasAll != nil)
        camera.stop()
        try await writer.finishWriting()
        let (times, failure) = seen.withLock { ($0.times, $0.failure) }
        #expect(failure == nil)
        let inFile = try MovieMeasure(url: url).packetTimes("v")
        #expect(inFile.count == times.count)
        let errors = zip(inFile, times).map { abs($0 - ($1 - times[0]).seconds) }
        #expect(errors.allSatisfy { $0 < 0.000_001_5 }, "the largest difference is \(errors.max() ?? 0) s")
    }
}
