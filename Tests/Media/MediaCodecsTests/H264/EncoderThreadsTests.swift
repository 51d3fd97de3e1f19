import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

@Suite struct EncoderThreadsTests {
    private func encoder(width: Int, height: Int, rate: Double, _ threads: EncoderThreads) throws -> H264Encoder {
        try H264Encoder(
            settings: VideoSettings(width: width, height: height, expectedFrameRate: rate), color: .bt709,
            timeScale: 1_000_000, isRealTime: true, threads: threads)
    }

    @Test func threads_fewForASmallFrame_areOne() throws {
        #expect(try encoder(width: 64, height: 48, rate: 15, .few).threadCount == 1)
    }

    @Test func threads_fewForALargeFrame_areTheUsualNumber() throws {
        // 1.66 gigapixels a second: no processor encodes that.
        let most = try encoder(width: 3840, height: 2160, rate: 200, .usual).threadCount
        #expect(try encoder(width: 3840, height: 2160, rate: 200, .few).threadCount == most)
        #expect(most == max(1, Processors.available * 3 / 2))
    }

    @Test func threads_givenNumber_isUsed() throws {
        let settings = VideoSettings(width: 64, height: 48, preset: "veryfast")
        var parameters = try H264Encoder.parameters(
            settings, color: .bt709, timeScale: 1000, isRealTime: false)
        parameters.i_threads = 3
        #expect(EncoderThreads.few.count(parameters, frameRate: 15) == 3)
    }
}

@Suite struct EncoderLoadTests {
    /// Returns for each frame, 33 ms apart, whether the load was too much.
    private func answers(busy: [Int64]) -> [Bool] {
        var load = EncoderLoad()
        return busy.enumerated().map { number, milliseconds in
            let began = Int64(number) * 33_000_000
            return load.isTooMuch(began: began, ended: began + milliseconds * 1_000_000)
        }
    }

    @Test func load_almostAlwaysBusy_isTooMuchWithinHalfASecond() {
        #expect(answers(busy: Array(repeating: 31, count: 15)).contains(true))
    }

    @Test func load_withTimeToSpare_isNotTooMuch() {
        #expect(!answers(busy: Array(repeating: 24, count: 300)).contains(true))
    }

    @Test func load_twoSlowFrames_isNotTooMuch() {
        var busy = [Int64](repeating: 15, count: 100)
        busy[40] = 33
        busy[41] = 33
        #expect(!answers(busy: busy).contains(true))
    }
}
