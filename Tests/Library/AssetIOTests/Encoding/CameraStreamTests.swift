import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// H.264 as cameras send it, stored without encoding it again.
@Suite struct CameraStreamTests {
    /// Access units of a stream that x264 made, without B-frames; each begins with a delimiter (ITU-T H.264, 7.4.1.2.3).
    private func accessUnits(_ size: String, _ frames: Int, _ settings: String) throws -> (
        units: [[UInt8]], stream: Data
    ) {
        let made = try Command.run(
            "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=25", "-frames:v", "\(frames)",
            "-pix_fmt",
            "yuv420p", "-c:v", "libx264", "-bf", "0", "-x264-params", "aud=1:keyint=5:\(settings)", "-f", "h264", "-")
        try #require(made.status == 0 && !made.output.isEmpty)
        let delimiter = Data([0, 0, 0, 1, 9])
        var (units, start) = ([[UInt8]](), 0)
        while let next = made.output.range(of: delimiter, in: (start + 1)..<made.output.count)?.lowerBound {
            units.append([UInt8](made.output[start..<next]))
            start = next
        }
        units.append([UInt8](made.output[start...]))
        try #require(units.count == frames)
        return (units, made.output)
    }

    /// What FFmpeg shows of a stream.
    private func hashes(_ stream: Data) throws -> [Substring] {
        let directory = try TemporaryDirectory()
        let url = directory.file("stream.h264")
        try stream.write(to: url)
        return try CutFramesTests.frames(url).hashes
    }

    @Test(arguments: ["64x48", "128x96"])
    func passthrough_parameterSetsThatChange_showsEveryFrame(size: String) async throws {
        let first = try accessUnits("64x48", 10, "cabac=0:ref=1")
        let second = try accessUnits(size, 10, "cabac=1:ref=3:weightp=0")
        let camera = FormatDescription.video(VideoFormat(codec: .h264, width: 64, height: 48))
        let fixture = try WriterFixture()
        let input = try fixture.add(.video, nil, hint: camera)
        try fixture.begin()
        for (number, unit) in (first.units + second.units).enumerated() {
            let isTaken = try input.append(
                SampleBuffer(
                    format: camera, content: .data(MediaData(unit)),
                    presentationTime: WriterFixture.time(Double(number) / 25), isKeyframe: number % 5 == 0))
            #expect(isTaken)
        }
        try await fixture.writer.finishWriting()
        let shown = try CutFramesTests.frames(fixture.writer.outputURL)
        #expect(try shown.hashes.prefix(10) == hashes(first.stream)[...])
        // FFmpeg scales what follows a change of size to the first size.
        if size == "64x48" { #expect(try shown.hashes.dropFirst(10) == hashes(second.stream)[...]) }
        #expect(shown.hashes.count == 20)
        let tracks = try await Asset(url: fixture.writer.outputURL).load(.tracks)
        let sizes = tracks[0].formatDescriptions.compactMap(\.video).map { "\($0.width)x\($0.height)" }
        #expect(sizes == ["64x48", size])
    }
}
