import AssetIO
import Foundation
import MediaTypes
import RealTime
import TestSupport
import Testing

@testable import AVCapture

@Suite struct MovieRecordingTests {
    @Test func append_refusedSession_leavesNoFile() async throws {
        let directory = try TemporaryDirectory()
        let format = FormatDescription.video(VideoFormat(codec: .mjpeg, width: 64, height: 32))
        let input = try AssetWriterInput(mediaType: .video, outputSettings: nil, sourceFormatHint: format)
        let hasFailed = Locked(false)
        let recording = try MovieRecording(
            to: directory.file("movie.mov"), inputs: [input], limits: RecordingLimits(), configure: { _ in },
            report: { _, event in
                if case .finished(_, .failure) = event { hasFailed.withLock { $0 = true } }
            })
        // A session cannot begin at a time that is not a number.
        recording.append(
            SampleBuffer(format: format, content: .data(MediaData([0])), presentationTime: .invalid))
        try await waitUntil { hasFailed.withLock { $0 } }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path).isEmpty)
    }
}
