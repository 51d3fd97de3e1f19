import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

@Suite struct H264EncoderTests {
    private func encoder(
        _ settings: VideoSettings = VideoSettings(width: 64, height: 48), isRealTime: Bool = true
    ) throws(MediaError) -> H264Encoder {
        try H264Encoder(settings: settings, color: .bt709, timeScale: 1_000_000, isRealTime: isRealTime)
    }

    @Test(arguments: [true, false]) func encode_irregularTimes_keepsEachFrameAndItsTime(isRealTime: Bool) throws {
        let encoder = try encoder(isRealTime: isRealTime)
        // Irregular times, as from a camera in bad light: 20 to 90 ms apart, counted from when the machine started.
        var time: Int64 = 987_654_321_012
        var times: [Int64] = []
        var packets: [SampleBuffer] = []
        for (number, random) in SyntheticMedia.noise(120).enumerated() {
            time += 20_000 + Int64(random) * 273
            times.append(time)
            let frame = SyntheticMedia.frame(number, width: 64, height: 48)
            try encoder.encode(frame, at: MediaTime(value: time, timescale: 1_000_000)) { packets.append($0) }
        }
        try encoder.finish { packets.append($0) }
        #expect(packets.map(\.presentationTime.value).sorted() == times)
        #expect(packets.allSatisfy { $0.presentationTime.timescale == 1_000_000 })
        let decodeTimes = packets.compactMap { $0.decodeTime?.value }
        #expect(decodeTimes.count == 120 && decodeTimes == decodeTimes.sorted() && Set(decodeTimes).count == 120)
        #expect(packets.allSatisfy { $0.decodeTime! <= $0.presentationTime })
        #expect(packets[0].isKeyframe && encoder.delayedFrames == 0)
    }

    @Test(arguments: [15.0, 30, 60], ["ultrafast", "veryfast", "medium", "slow"])
    func encode_live_holdsBackLessThanHalfASecond(rate: Double, preset: String) throws {
        let encoder = try encoder(
            VideoSettings(width: 64, height: 48, preset: preset, expectedFrameRate: rate))
        let most = Int(0.45 * rate)
        #expect(encoder.maximumDelayedFrames <= most)
        var given = 0
        var got = 0
        for number in 0..<100 {
            let time = MediaTime(value: Int64(Double(number) / rate * 1e6), timescale: 1_000_000)
            try encoder.encode(SyntheticMedia.frame(number, width: 64, height: 48), at: time) { _ in got += 1 }
            given += 1
            #expect(given - got <= most)
        }
        try encoder.finish { _ in got += 1 }
        #expect(got == 100)
    }

    /// A viewer waits only for the encoder's work; times stay exact.
    @Test(arguments: ["ultrafast", "veryfast", "medium"], [EncoderThreads.usual, .few])
    func encode_noLookAheadAndNoBFrames_holdsNoFrameBack(preset: String, threads: EncoderThreads) throws {
        var settings = VideoSettings(
            width: 320, height: 192, preset: preset, expectedFrameRate: 30, maximumBFrames: 0)
        settings.lookAhead = 0
        let encoder = try H264Encoder(
            settings: settings, color: .bt709, timeScale: 1_000_000, isRealTime: true, threads: threads)
        #expect(encoder.maximumDelayedFrames == 0)
        var time: Int64 = 5_000_000
        for (number, random) in SyntheticMedia.noise(60).enumerated() {
            time += 20_000 + Int64(random) * 273
            var packets: [SampleBuffer] = []
            let frame = SyntheticMedia.frame(number, width: 320, height: 192)
            try encoder.encode(frame, at: MediaTime(value: time, timescale: 1_000_000)) { packets.append($0) }
            #expect(packets.map(\.presentationTime.value) == [time])
        }
    }

    @Test func encode_keyframeInterval_isKept() throws {
        let encoder = try encoder(
            VideoSettings(
                width: 64, height: 48, keyframeInterval: MediaTime(value: 1, timescale: 2), expectedFrameRate: 20))
        var packets: [SampleBuffer] = []
        for number in 0..<60 {
            let time = MediaTime(value: Int64(number), timescale: 20)
            try encoder.encode(SyntheticMedia.frame(0, width: 64, height: 48), at: time) { packets.append($0) }
        }
        try encoder.finish { packets.append($0) }
        let keys = packets.filter(\.isKeyframe).map(\.presentationTime).sorted()
        #expect(keys.count >= 6)
        for (key, next) in zip(keys, keys.dropFirst()) { #expect(next - key <= MediaTime(value: 1, timescale: 2)) }
    }

    @Test(arguments: PixelFormat.allCases) func encode_anyPixelFormat_isAcceptedOrNamed(format: PixelFormat)
        throws
    {
        let encoder = try encoder()
        let frame = SyntheticMedia.frame(1, width: 64, height: 48, format: format)
        if format == .nv12 || format == .i420 {
            var count = 0
            try encoder.encode(frame, at: .zero) { _ in count += 1 }
            try encoder.finish { _ in count += 1 }
            #expect(count == 1)
        } else {
            let error = #expect(throws: MediaError.self) { try encoder.encode(frame, at: .zero) { _ in } }
            #expect(error?.code == .invalidSample && error?.description.contains(format.rawValue) == true)
        }
    }

    @Test func encode_timeNotLater_isRefusedAndTheNextFrameAccepted() throws {
        let encoder = try encoder()
        let frame = SyntheticMedia.frame(1, width: 64, height: 48)
        var count = 0
        try encoder.encode(frame, at: MediaTime(value: 1, timescale: 1)) { _ in count += 1 }
        for time in [MediaTime(value: 1, timescale: 1), .zero] {
            let error = #expect(throws: MediaError.self) { try encoder.encode(frame, at: time) { _ in count += 1 } }
            #expect(error?.code == .invalidSample)
        }
        let other = SyntheticMedia.frame(1, width: 32, height: 48)
        let error = #expect(throws: MediaError.self) {
            try encoder.encode(other, at: MediaTime(value: 2, timescale: 1)) { _ in count += 1 }
        }
        #expect(error?.description.contains("32×48") == true)
        try encoder.encode(frame, at: MediaTime(value: 2, timescale: 1)) { _ in count += 1 }
        try encoder.finish { _ in count += 1 }
        #expect(count == 2)
    }

    @Test(arguments: [
        (VideoSettings(width: 321, height: 240), "321×240"), (VideoSettings(width: 320, height: 241), "320×241"),
        (VideoSettings(width: 0, height: 240), "0×240"), (VideoSettings(width: -2, height: 240), "-2×240"),
        (VideoSettings(width: 1 << 20, height: 240), "1048576×240"), (VideoSettings(height: 240), "size"),
        (VideoSettings(width: 64, height: 48, preset: "warp"), "preset warp"),
        (VideoSettings(width: 64, height: 48, rateControl: .constantQuality(52)), "CRF 52"),
        (VideoSettings(width: 64, height: 48, rateControl: .constantQuality(.nan)), "CRF nan"),
        (VideoSettings(width: 64, height: 48, rateControl: .bitRate(10)), "bit rate of 10"),
        (VideoSettings(width: 64, height: 48, keyframeInterval: MediaTime(value: -1, timescale: 1)), "interval"),
        (VideoSettings(width: 64, height: 48, keyframeInterval: .invalid), "interval"),
        (VideoSettings(width: 64, height: 48, keyframeInterval: .zero), "keyframe interval of 0.0 s"),
        (VideoSettings(width: 64, height: 48, rateControl: .bitRate(0)), "bit rate of 0"),
        (VideoSettings(width: 64, height: 48, profile: .main, bitDepth: 10), "profile main and a bit depth of 10"),
        (VideoSettings(width: 64, height: 48, profile: .high, bitDepth: 10), "profile high and a bit depth of 10"),
        (VideoSettings(width: 64, height: 48, profile: .baseline, bitDepth: 10), "profile baseline"),
        (VideoSettings(width: 64, height: 48, profile: .high10, bitDepth: 8), "profile high10 and a bit depth of 8"),
        (VideoSettings(width: 64, height: 48, bitDepth: 12), "bit depth of 12"),
        (VideoSettings(width: 64, height: 48, profile: .baseline, maximumBFrames: 2), "2 B-frames"),
        (VideoSettings(width: 64, height: 48, maximumBFrames: 17), "17 B-frames"),
        (VideoSettings(width: 64, height: 48, maximumBFrames: -1), "-1 B-frames"),
        (VideoSettings(width: 64, height: 48, pixelAspectRatio: Ratio(0, 1)), "pixel aspect ratio of 0:1"),
        (VideoSettings(width: 64, height: 48, pixelAspectRatio: Ratio(1, -1)), "pixel aspect ratio of 1:-1"),
        (VideoSettings(width: 64, height: 48, pixelAspectRatio: Ratio(70_000, 1)), "pixel aspect ratio of 70000:1"),
        (
            VideoSettings(width: 64, height: 48, cleanAperture: CleanAperture(width: 66, height: 48)),
            "clean aperture of 66×48"
        ),
        (
            VideoSettings(width: 64, height: 48, cleanAperture: CleanAperture(width: 0, height: 48)),
            "clean aperture of 0×48"
        ),
        (
            VideoSettings(
                width: 64, height: 48, cleanAperture: CleanAperture(width: 60, height: 48, horizontalOffset: -3)),
            "-3 right"
        ),
        (
            VideoSettings(
                width: 64, height: 48, cleanAperture: CleanAperture(width: 64, height: 40, verticalOffset: .min)),
            "clean aperture"
        ),
        (VideoSettings(width: 64, height: 48, color: ColorDescription(matrix: 0)), "RGB color matrix"),
        (VideoSettings(width: 64, height: 48, expectedFrameRate: 0), "rate of 0"),
        (VideoSettings(width: 64, height: 48, expectedFrameRate: .infinity), "rate of inf"),
        (VideoSettings(width: 64, height: 48, rateControl: .constantQuality(0), profile: .high), "profile high"),
    ])
    func open_invalidSettings_namesTheSetting(settings: VideoSettings, name: String) {
        let error = #expect(throws: MediaError.self) { try encoder(settings) }
        #expect(
            error?.code == .invalidSettings && error?.description.contains(name) == true, "\(error.debugDescription)")
    }

    @Test(arguments: VideoSettings.Profile.allCases.filter { $0 != .main10 })
    func open_profile_isInTheDecoderConfiguration(
        profile: VideoSettings.Profile
    ) throws {
        let encoder = try encoder(VideoSettings(width: 64, height: 48, profile: profile))
        let number: UInt8 =
            switch profile {
            case .baseline: 66
            case .main: 77
            case .high: 100
            case .high10: 110
            // Only HEVC has this profile.
            case .main10: 0
            }
        #expect(encoder.format.decoderConfiguration[1] == number)
        // Chroma format and bit depths minus eight follow the parameter sets of the High profiles.
        let end: [UInt8]? =
            switch profile {
            case .high: [0xFD, 0xF8, 0xF8, 0]
            case .high10: [0xFD, 0xFA, 0xFA, 0]
            default: nil
            }
        if let end { #expect(encoder.format.decoderConfiguration.suffix(4) == end) }
    }
}
