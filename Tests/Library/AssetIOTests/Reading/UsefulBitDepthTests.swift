import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that ten-bit frames keep as many bits as their consumer can use, and are rounded once.
@Suite struct UsefulBitDepthTests {
    private func frames(_ depth: Int?) async throws -> [SampleBuffer] {
        let asset = Asset(url: try InputMatrix["prores.mov"].url())
        let track = try #require(try await asset.tracks(withMediaType: .video).first)
        return try asset.source(
            of: track, ranges: [TimeRange(start: .zero, end: .positiveInfinity)],
            SourceOptions(settings: .pixels(nil), usefulBitDepth: depth)
        ).rest()
    }

    /// All frames as stored: 4:2:2 with ten bits.
    private func stored() throws -> [UInt16] {
        try ReadingFixture.decoded(
            try InputMatrix["prores.mov"].url(), ["-pix_fmt", "yuv422p10le", "-f", "rawvideo"]
        ).withUnsafeBytes { Array($0.bindMemory(to: UInt16.self)) }
    }

    /// One frame's samples in 4:2:0: the mean of each two rows of chroma, then with `bits` fewer bits.
    private func reduced(_ samples: ArraySlice<UInt16>, width: Int, height: Int, dropping bits: Int) -> [Int] {
        let samples = samples.map(Int.init)
        var result = samples[..<(width * height)].map { $0 >> bits }
        for plane in 0..<2 {
            let start = width * height + plane * width / 2 * height
            for row in stride(from: 0, to: height, by: 2) {
                for column in 0..<(width / 2) {
                    let at = start + row * (width / 2) + column
                    result.append((samples[at] + samples[at + width / 2] + 1) >> (bits + 1))
                }
            }
        }
        return result
    }

    @Test(arguments: [8, 10, nil] as [Int?]) func output_usefulBitDepth_reduces422InOneStep(_ depth: Int?) async throws
    {
        let stored = try stored()
        let length = 96 * 64 * 2
        let frames = try await frames(depth)
        #expect(frames.count == 25)
        for (index, frame) in frames.enumerated() {
            #expect(frame.format.video?.pixelFormat == (depth == 8 ? .i420 : .i010))
            let expected = reduced(
                stored[index * length..<(index + 1) * length], width: 96, height: 64, dropping: depth == 8 ? 2 : 0)
            let given =
                depth == 8
                ? frame.visible.map(Int.init)
                : frame.visible.withUnsafeBytes { $0.bindMemory(to: UInt16.self).map(Int.init) }
            #expect(given == expected, "frame \(index)")
        }
    }
}
