import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

@Suite struct TwoPassTests {
    private let width = 96
    private let height = 64
    private let frames = 400

    /// Soft moving noise, and a band of new noise in every frame, tall in the first half and small in the second. It
    /// needs many bits, and an encoder that does not know the second half distributes them wrongly.
    private func frame(_ number: Int, _ noise: [UInt8]) -> PixelBuffer {
        let buffer = MutablePixelBuffer(layout: PixelLayout(format: .nv12, width: width, height: height))
        let scene = number / 100
        let newRows = scene < 2 ? 40 : 4
        let luma = buffer.plane(0)
        noise.withUnsafeBytes { noise in
            for row in 0..<height {
                let place =
                    row < newRows ? (number * 37 % 190 + row) * 256 + number * 61 % 160 : row * 256 + number % 150
                luma[(row * width)..<((row + 1) * width)].copyBytes(from: noise[place..<(place + width)])
            }
        }
        _ = buffer.plane(1).initializeMemory(as: UInt8.self, repeating: 128)
        return buffer.finish()
    }

    private func encode(
        _ settings: VideoSettings, _ pass: EncodingPass, times: [Int64]
    ) throws -> (format: VideoFormat, packets: [SampleBuffer]) {
        let encoder = try H264Encoder(
            settings: settings, color: .bt709, timeScale: 1_000_000, isRealTime: false, pass: pass)
        let noise = Self.softNoise
        var packets: [SampleBuffer] = []
        for (number, time) in times.enumerated() {
            try encoder.encode(frame(number, noise), at: MediaTime(value: time, timescale: 1_000_000)) {
                packets.append($0)
            }
        }
        try encoder.finish { packets.append($0) }
        return (encoder.format, packets)
    }

    /// 256 rows of 256 bytes, each the mean of nine noise values: neighbors are similar, as in a camera's frame.
    private static let softNoise: [UInt8] = {
        let noise = SyntheticMedia.noise(260 * 256).map(Int.init)
        return (0..<(256 * 256)).map { index in
            var sum = 0
            for row in 0..<3 { for column in 0..<3 { sum += noise[index + row * 256 + column] } }
            return UInt8(sum / 9)
        }
    }()

    private func bytes(_ packets: [SampleBuffer]) -> Int { packets.reduce(0) { $0 + $1.byteCount } }

    private func settings(_ bits: Int) -> VideoSettings {
        VideoSettings(
            width: width, height: height, rateControl: .bitRate(bits), preset: "faster", expectedFrameRate: 30)
    }

    @Test(arguments: [false, true]) func twoPasses_bitRate_giveTheTargetSize(isVariable: Bool) throws {
        let directory = try TemporaryDirectory()
        let statistics = try PassStatistics(in: directory.url)
        // 30 fps from a machine that has run for days, or 12 to 50 fps, all in microseconds.
        var times: [Int64] = [987_654_321_012]
        for random in SyntheticMedia.noise(frames) {
            times.append(times[times.count - 1] + (isVariable ? 20_000 + Int64(random) * 250 : 33_333))
        }
        let length = Double(times[frames] - times[0]) / 1e6
        times.removeLast()
        let target = 100_000
        let first = try encode(settings(target), statistics.firstPass, times: times)
        let second = try encode(settings(target), statistics.secondPass, times: times)
        let expected = Double(target) / 8 * length
        #expect(abs(Double(bytes(second.packets)) / expected - 1) < 0.02, "\(bytes(second.packets)) of \(expected)")

        // One pass, which knows only the past, misses it.
        #expect(abs(Double(bytes(first.packets)) / expected - 1) > 0.1)

        // No frame is lost, and each keeps its time; the keyframes are where the first pass put them.
        #expect(second.packets.map(\.presentationTime.value).sorted() == times)
        let decodeTimes = second.packets.compactMap { $0.decodeTime?.value }
        #expect(decodeTimes.count == frames && zip(decodeTimes, decodeTimes.dropFirst()).allSatisfy { $0 < $1 })
        #expect(second.packets.allSatisfy { $0.decodeTime! <= $0.presentationTime })
        let keys = first.packets.filter(\.isKeyframe).map(\.presentationTime)
        #expect(keys.count >= 4 && second.packets.filter(\.isKeyframe).map(\.presentationTime) == keys)
        #expect(second.packets.map(\.presentationTime) == first.packets.map(\.presentationTime))

        let file = directory.file("second.h264")
        try ElementaryStream.write(second.packets, second.format, to: file)
        let decoded = try ElementaryStream.decoded(file.path, as: "yuv420p")
        #expect(decoded.count == frames * width * height * 3 / 2)
    }

    @Test func statistics_afterTheFirstPass_areCompleteAndRemovedWithTheirOwner() throws {
        let directory = try TemporaryDirectory()
        var statistics: PassStatistics? = try PassStatistics(in: directory.url)
        let path = try #require(statistics?.path)
        _ = try encode(settings(200_000), .first(statistics: path), times: (0..<40).map { $0 * 40_000 })
        let text = try String(contentsOfFile: path, encoding: .utf8)
        // One line for each frame, after the options.
        #expect(text.hasPrefix("#options:") && text.split(separator: "\n").count == 41)
        #expect(FileManager.default.fileExists(atPath: path + ".mbtree"))
        #expect(directory.names.count == 1)
        statistics = nil
        #expect(directory.names == [])
    }

    @Test func statistics_firstPassNotFinished_areRemoved() throws {
        let directory = try TemporaryDirectory()
        do {
            let statistics = try PassStatistics(in: directory.url)
            let encoder = try H264Encoder(
                settings: settings(200_000), color: .bt709, timeScale: 1_000_000, isRealTime: false,
                pass: statistics.firstPass)
            try encoder.encode(SyntheticMedia.frame(1, width: width, height: height), at: .zero) { _ in }
        }
        #expect(directory.names == [])
    }

    @Test func secondPass_missingOrOtherStatistics_isRefused() throws {
        let directory = try TemporaryDirectory()
        let statistics = try PassStatistics(in: directory.url)
        let missing = #expect(throws: MediaError.self) {
            try encode(settings(200_000), statistics.secondPass, times: [0])
        }
        #expect(
            missing?.code == .invalidSettings && missing?.reason.contains("stats") == true,
            "\(String(describing: missing))")
        _ = try encode(settings(200_000), statistics.firstPass, times: (0..<30).map { $0 * 40_000 })
        var other = settings(200_000)
        other.maximumBFrames = 0
        let wrong = #expect(throws: MediaError.self) {
            try H264Encoder(
                settings: other, color: .bt709, timeScale: 1_000_000, isRealTime: false, pass: statistics.secondPass)
        }
        #expect(wrong?.reason.contains("different bframes setting") == true, "\(String(describing: wrong))")
    }

    @Test func twoPasses_constantQualityOrLive_areRefused() throws {
        let directory = try TemporaryDirectory()
        let statistics = try PassStatistics(in: directory.url)
        let quality = VideoSettings(width: width, height: height)
        let error = #expect(throws: MediaError.self) { try encode(quality, statistics.firstPass, times: [0]) }
        #expect(error?.code == .invalidSettings && error?.description.contains("CRF") == true)
        let live = #expect(throws: MediaError.self) {
            try H264Encoder(
                settings: settings(200_000), color: .bt709, timeScale: 1_000_000, isRealTime: true,
                pass: statistics.firstPass)
        }
        #expect(live?.code == .invalidSettings && live?.description.contains("real time") == true)
        let nowhere = #expect(throws: MediaError.self) { try PassStatistics(in: directory.file("missing")) }
        #expect(nowhere?.code == .cannotCreate)
        #expect(directory.names.count == 1)
    }
}
