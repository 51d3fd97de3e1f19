import MediaTypes
import Testing

@testable import RecorderService

/// The estimated size of a file that ends at the next keyframe, which decides when a file at a size limit ends.
@Suite struct FileEstimateTests {
    private func file(video: Bool, previousGOP: Int64 = 0) -> PacketRouter.Current {
        let opening = RecordingFileOpening(
            number: 1, start: .zero, video: video ? RouterBench.videoFormat : nil, audio: RouterBench.audioFormat)
        return PacketRouter.Current(opening: opening, end: .zero, previousGOP: previousGOP)
    }

    private func packet(_ bytes: Int, isVideo: Bool, isKeyframe: Bool = false) -> SampleBuffer {
        SampleBuffer(
            format: isVideo ? RouterBench.videoFormat : RouterBench.audioFormat,
            content: .data(MediaData([UInt8](repeating: 0, count: bytes))), presentationTime: .zero,
            isKeyframe: isKeyframe)
    }

    @Test func footprint_largestGOP_countsOneAndAHalfTimes() {
        var file = file(video: true)
        file.record(packet(1000, isVideo: true, isKeyframe: true))
        file.record(packet(3000, isVideo: true))
        let before = file.footprint
        // A smaller GOP adds its own bytes, and the space for its packet.
        file.record(packet(100, isVideo: true, isKeyframe: true))
        #expect(file.largestGOP == 4000 && file.footprint - before == 100 + 64)
        #expect(before == 4000 + 2 * 64 + 8192 + 6000)
    }

    @Test func footprint_previousFileHadLargerGOPs_countsThem() {
        var (first, next) = (file(video: true), file(video: true, previousGOP: 8000))
        for _ in 0..<2 {
            first.record(packet(1000, isVideo: true, isKeyframe: true))
            next.record(packet(1000, isVideo: true, isKeyframe: true))
        }
        #expect(next.footprint - first.footprint == 12_000 - 1500)
        // The next file but one goes by this one.
        #expect(next.largestGOP == 1000)
    }

    @Test func footprint_audioOnly_expectsOneMorePacket() {
        var file = file(video: false)
        for _ in 0..<1000 { file.record(packet(300, isVideo: false)) }
        #expect(file.largestGOP == 300)
        #expect(file.footprint == 300_000 + 64_000 + 8192 + 450)
    }
}
