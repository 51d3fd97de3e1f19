import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Interlaced movies whose fields have different colors.
@Suite struct InterlacedColorTests {
    private static let side = 64

    /// Makes ProRes of 4:2:2 with ten bits. The chroma of one field is 960, that of the other 512.
    private func movie(in directory: TemporaryDirectory) throws -> URL {
        var frame = Data()
        for (columns, values) in [(Self.side, [400, 400]), (Self.side / 2, [960, 512]), (Self.side / 2, [960, 512])] {
            for row in 0..<Self.side {
                let value = UInt16(values[row % 2])
                for _ in 0..<columns { frame.append(contentsOf: [UInt8(value & 0xFF), UInt8(value >> 8)]) }
            }
        }
        let url = directory.file("fields.mov")
        let result = try Command.run(
            "ffmpeg", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "yuv422p10le", "-s", "64x64", "-r", "25",
            "-i", "-", "-vf", "setfield=tff", "-c:v", "prores_ks", "-profile:v", "2", "-flags", "+ildct", url.path,
            input: frame + frame)
        #expect(result.status == 0, "\(result.errors)")
        return url
    }

    @Test(arguments: [PixelFormat.i420, .nv12, nil]) func reader_fewerChromaRows_keepsTheColorsOfTheFields(
        format: PixelFormat?
    ) async throws {
        let directory = try TemporaryDirectory()
        let asset = Asset(url: try movie(in: directory))
        let track = try #require(try await asset.tracks(withMediaType: .video).first)
        #expect(track.formatDescription?.video?.fieldOrder?.showsUpperFirst != nil)
        let output = try TrackOutput(track: track, outputSettings: .pixels(format))
        try output.configure { $0.usefulBitDepth = 8 }
        let reader = try AssetReader(asset: asset)
        try reader.add(output)
        try reader.startReading()
        let sample = try #require(try await output.next())
        guard case .pixels(let frame) = sample.content else { throw TooLate() }
        #expect(frame.format.bitDepth == 8)
        let plane = frame.layout.planes[1]
        for row in 0..<plane.rows {
            let expected = [240, 128][row % 2]
            #expect(abs(Int(frame.plane(1)[row * plane.bytesPerRow + 8]) - expected) <= 3, "row \(row)")
        }
        reader.cancelReading()
    }
}
