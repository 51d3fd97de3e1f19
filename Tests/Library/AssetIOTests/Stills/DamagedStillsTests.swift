import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

/// Tests that damage affects the frames there, and no others.
@Suite struct DamagedStillsTests {
    /// The size and position of every stored frame.
    private func packets(_ url: URL) throws -> [(size: Int, position: Int)] {
        let packets = try Probe.ask(url.path, "packet=pos,size").text.split(separator: "\n").map {
            $0.split(separator: ",").compactMap { Int($0) }
        }
        try #require(packets.count == 120 && packets.allSatisfy { $0.count == 2 })
        // ffprobe prints the size first.
        return packets.map { ($0[0], $0[1]) }
    }

    /// A movie of four GOPs, the third of them overwritten.
    private func damaged(_ fixture: ReadingFixture) throws -> URL {
        let url = try StillsFixture.movie(fixture)
        var bytes = try Data(contentsOf: url)
        for packet in try packets(url)[60..<90] {
            // The length of the first unit stays.
            for offset in (packet.position + 5)..<max(packet.position + 5, packet.position + packet.size) {
                bytes[offset] = 0xA5
            }
        }
        try bytes.write(to: url)
        return url
    }

    @Test(arguments: [MediaTime.zero, .positiveInfinity])
    func images_damage_failsOnlyTheRequestsThere(_ tolerance: MediaTime) async throws {
        let fixture = try ReadingFixture()
        let generator = FrameGenerator.exact(try damaged(fixture))
        generator.requestedTimeToleranceBefore = tolerance
        let times = [0.5, 2.5, 1.5, 2.2, 3.5, 0.2, 2.9, 3.2].map(StillsFixture.time)
        var good: [Double] = []
        var bad: [Double] = []
        for await generated in generator.images(for: times) {
            switch generated.outcome {
            case .succeeded(let image, let actualTime):
                good.append(generated.requestedTime.seconds)
                #expect(StillsFixture.number(image) == Int((actualTime.seconds * 30).rounded()))
            case .failed(let error):
                bad.append(generated.requestedTime.seconds)
                #expect(error.code == .corruptData)
            case .cancelled: Issue.record("it was not cancelled")
            }
        }
        #expect(good == [0.5, 1.5, 3.5, 0.2, 3.2])
        #expect(bad == [2.5, 2.2, 2.9])
    }

    @Test func image_truncatedMovie_returnsTheRemainingFrames() async throws {
        let fixture = try ReadingFixture()
        let url = try StillsFixture.movie(fixture, "cut.mov", ["-movflags", "faststart"])
        let whole = try Data(contentsOf: url)
        try whole.prefix(try packets(url)[75].position).write(to: url)
        let generator = FrameGenerator.exact(url)
        #expect(StillsFixture.number(try await generator.image(at: StillsFixture.time(1.01)).image) == 30)
        let error = await #expect(throws: MediaError.self) {
            try await generator.image(at: StillsFixture.time(3.9))
        }
        #expect(error?.code == .corruptData)
        #expect(StillsFixture.number(try await generator.image(at: StillsFixture.time(0.51)).image) == 15)
    }

    @Test func image_streamWithoutKeyframes_throws() async throws {
        let fixture = try ReadingFixture()
        let url = try StillsFixture.movie(fixture, "movie.ts", seconds: 2)
        // From the middle of a GOP to before the next one.
        let bytes = try Data(contentsOf: url)
        let packets = bytes.count / 188
        try bytes.dropFirst(packets * 3 / 4 * 188).prefix(packets / 8 * 188).write(to: url)
        let generator = FrameGenerator(asset: Asset(url: url))
        await #expect(throws: MediaError.self) { try await generator.image(at: .zero) }
    }
}
