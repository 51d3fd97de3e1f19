import MediaTypes
import TestSupport
import Testing

@testable import MediaCodecs

/// Tests that fields are separated and rejoined into the frames that ffmpeg's `interlace` filter was given.
@Suite struct DeinterlacerTests {
    private let size = (width: 192, height: 128)
    /// A bar pattern that moves sideways: every line of the second field is displaced.
    private static let motion = "testsrc=s=384x128:r=50:d=0.8,crop=192:128:'n*3':0"

    private func samples(_ frames: [PixelBuffer]) -> [SampleBuffer] {
        frames.enumerated().map { number, frame in
            SampleBuffer(
                pixels: frame, presentationTime: MediaTime(value: Int64(number) * 1001 + 7, timescale: 25_000),
                duration: MediaTime(value: 1001, timescale: 25_000))
        }
    }

    private func deinterlaced(
        _ samples: [SampleBuffer], _ order: FieldOrder?, _ deinterlacer: Deinterlacer? = nil
    ) throws -> [SampleBuffer] {
        let deinterlacer = try deinterlacer ?? Deinterlacer(fieldOrder: order)
        var result: [SampleBuffer] = []
        for sample in samples { try deinterlacer.process(sample) { result.append($0) } }
        try deinterlacer.process(nil) { result.append($0) }
        return result
    }

    private func frame(_ sample: SampleBuffer) throws -> PixelBuffer {
        guard case .pixels(let frame) = sample.content else { throw MediaError(.invalidSample, "", reason: "") }
        return frame
    }

    /// The combing: how much lines differ from both their neighbors where these agree.
    private func combing(_ frame: PixelBuffer) -> Double {
        var sum = 0
        for y in 1..<(frame.height - 1) {
            for x in 0..<frame.width {
                let (above, here, below) = (frame.luma(x, y - 1), frame.luma(x, y), frame.luma(x, y + 1))
                if (here > above) == (here > below) { sum += min(abs(here - above), abs(here - below)) }
            }
        }
        return Double(sum) / Double(frame.width * frame.height)
    }

    @Test(arguments: [PixelFormat.i420, .nv12, .i422, .yuyv, .i010, .p010])
    func deinterlacer_interlacedFrames_removesCombingAndKeepsTimes(format: PixelFormat) throws {
        let woven = try JudgedFrame.make(
            Self.motion + ",tinterlace=interleave_top", format, width: size.width, height: size.height)
        let sources = samples(woven)
        let results = try deinterlaced(sources, .upperFirst)
        #expect(results.count == woven.count && woven.count == 20)
        #expect(results.map(\.presentationTime) == sources.map(\.presentationTime))
        #expect(results.map(\.duration) == sources.map(\.duration))
        for (source, result) in zip(sources, results).dropFirst().dropLast() {
            #expect(try frame(result).format == format)
            let (before, after) = (try combing(frame(source)), try combing(frame(result)))
            #expect(before > 4 * after, "\(before) to \(after)")
        }
    }

    @Test(arguments: [FieldOrder.upperFirst, .lowerFirst, .upperFirstInterleaved, .lowerFirstInterleaved])
    func deinterlacer_fieldOrder_frameShowsItsFirstField(order: FieldOrder) throws {
        let isUpper = order == .upperFirst || order == .upperFirstInterleaved
        let moments = try JudgedFrame.make(Self.motion, .i420, width: size.width, height: size.height)
        let woven = try JudgedFrame.make(
            Self.motion + ",tinterlace=interleave_\(isUpper ? "top" : "bottom")", .i420, width: size.width,
            height: size.height)
        let results = try deinterlaced(samples(woven), order)
        for number in 2..<(results.count - 2) {
            let result = try frame(results[number])
            let first = JudgedFrame.likeness(result, moments[number * 2])
            let second = JudgedFrame.likeness(result, moments[number * 2 + 1])
            #expect(first > second + 3, "\(first) and \(second) dB")
            #expect(first > 22, "\(first) dB")
        }
    }

    @Test func deinterlacer_unknownFieldOrder_isUpperFirst() throws {
        let woven = try JudgedFrame.make(
            Self.motion + ",tinterlace=interleave_top", .i420, width: size.width, height: size.height)
        let (unsaid, upper, lower) = (
            try deinterlaced(samples(woven), nil), try deinterlaced(samples(woven), .upperFirst),
            try deinterlaced(samples(woven), .lowerFirst)
        )
        #expect(try frame(unsaid[5]).visible == frame(upper[5]).visible)
        #expect(try frame(unsaid[5]).visible != frame(lower[5]).visible)
    }

    @Test func deinterlacer_progressiveFrames_areNearlyUnchanged() throws {
        // A frame as from a camera: no detail is as sharp as a line.
        let still = try JudgedFrame.make(
            "testsrc2=s=192x128:r=25:d=0.4,gblur=sigma=1.5", .i420, width: 192, height: 128)
        for (source, result) in zip(still, try deinterlaced(samples(still), nil)) {
            let likeness = JudgedFrame.likeness(source, try frame(result))
            #expect(likeness > 30, "\(likeness) dB")
        }
        // A source known to be progressive is untouched.
        let sources = samples(still)
        for (source, result) in zip(sources, try deinterlaced(sources, .progressive)) {
            #expect(try frame(source).data === frame(result).data)
        }
    }

    @Test func deinterlacer_anyInput_givesOneFrameForEach() throws {
        let frames = try JudgedFrame.make(Self.motion, .i420, width: size.width, height: size.height)
        let deinterlacer = try Deinterlacer(fieldOrder: nil)
        for count in 0...3 {
            #expect(try deinterlaced(samples(Array(frames.prefix(count))), nil, deinterlacer).count == count)
        }
        // A change of size in the middle, and frames too small to have fields.
        let small = try JudgedFrame.make("testsrc=s=4x4:r=25:d=0.12", .i420, width: 4, height: 4)
        let other = try JudgedFrame.make("testsrc=s=70x50:r=25:d=0.12", .i420, width: 70, height: 50)
        let mixed = samples(Array(frames.prefix(3)) + small + other + Array(frames.prefix(2)))
        let results = try deinterlaced(mixed, nil, deinterlacer)
        #expect(results.map(\.presentationTime) == mixed.map(\.presentationTime))
        #expect(try results.map { try frame($0).width } == mixed.map { try frame($0).width })
    }

    @Test func deinterlacer_manyFrames_reusesMemory() throws {
        let frames = try JudgedFrame.make(Self.motion, .i420, width: size.width, height: size.height)
        let deinterlacer = try Deinterlacer(fieldOrder: nil)
        for sample in samples(Array(frames.prefix(5))) { try deinterlacer.process(sample) { _ in } }
        let before = deinterlacer.allocationCount
        for sample in samples(Array(frames.dropFirst(5))) { try deinterlacer.process(sample) { _ in } }
        #expect(deinterlacer.allocationCount == before)
        try deinterlacer.process(nil) { _ in }
    }

    @Test func deinterlacer_rgbOrAudio_isRefused() throws {
        let deinterlacer = try Deinterlacer(fieldOrder: nil)
        let rgb = MutablePixelBuffer(layout: PixelLayout(format: .bgra, width: 64, height: 48)).finish()
        let error = #expect(throws: MediaError.self) {
            try deinterlacer.process(SampleBuffer(pixels: rgb, presentationTime: .zero)) { _ in }
        }
        #expect(error?.code == .unsupported)
        let audio = #expect(throws: MediaError.self) {
            try deinterlacer.process(SyntheticMedia.tone(from: 0, count: 480, at: .zero)) { _ in }
        }
        #expect(audio?.code == .invalidSample)
    }
}

extension PixelBuffer {
    /// The luma of a pixel in any format of luma and chroma, with eight bits.
    fileprivate func luma(_ x: Int, _ y: Int) -> Int {
        switch format {
        case .i010: word(0, x, y) / 4
        case .p010: word(0, x, y) / 256
        case .yuyv: byte(0, x * 2, y)
        case .uyvy: byte(0, x * 2 + 1, y)
        default: byte(0, x, y)
        }
    }
}
