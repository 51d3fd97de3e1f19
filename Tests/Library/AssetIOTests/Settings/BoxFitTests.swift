import Foundation
import MediaCodecs
import MediaTypes
import TestSupport
import Testing

@testable import AssetIO

@Suite struct BoxFitTests {
    private func size(
        _ width: Int, _ height: Int, in box: (Int, Int)?, turnsBox: Bool = true, aspect: Ratio = .one
    ) -> [Int] {
        let format = VideoFormat(codec: .raw, width: width, height: height, pixelAspectRatio: aspect)
        let size = BoxFit.size(of: format, in: box.map { (width: $0.0, height: $0.1) }, turnsBox: turnsBox)
        return [size.width, size.height]
    }

    @Test func fit_anySize_fitsInsideAndIsNeverScaledUp() {
        #expect(size(1920, 1080, in: (1280, 720)) == [1280, 720])
        #expect(size(1920, 800, in: (1280, 720)) == [1280, 534])
        #expect(size(640, 480, in: (1280, 720)) == [640, 480])
        #expect(size(4096, 2160, in: nil) == [4096, 2160])
    }

    @Test func fit_portraitFrame_turnsThePresetsBoxOnly() {
        #expect(size(1080, 1920, in: (1280, 720)) == [720, 1280])
        #expect(size(1080, 1920, in: (1280, 720), turnsBox: false) == [406, 720])
    }

    @Test func fit_oddSize_becomesEven() {
        #expect(size(641, 361, in: nil) == [640, 360])
        #expect(size(1, 1, in: nil) == [2, 2])
    }

    @Test func fit_largestNumbers_areInRange() {
        #expect(size(640, 480, in: (Int.max, Int.max)) == [640, 480])
        #expect(size(Int.max, Int.max, in: nil) == [Int.max - 1, Int.max - 1])
        #expect(size(Int.max, Int.max, in: (1280, 1280)) == [1280, 1280])
    }

    @Test func fit_nonSquarePixels_usesTheirAspectRatio() {
        // 720×576 at 64:45 is shown 1024 wide.
        #expect(size(720, 576, in: (512, 512), aspect: Ratio(64, 45)) == [360, 288])
    }
}

@Suite struct TrackTurningTests {
    private let size = CGSize(width: 640, height: 360)

    private func corners(_ matrix: AffineTransform, _ size: CGSize) -> [CGPoint] {
        [CGPoint.zero, CGPoint(x: size.width, y: size.height)].map(matrix.transform)
    }

    @Test func turning_fourQuarterTurns_isIdentity() {
        let turned = TrackTurning.transform(.identity, from: size, to: size, turns: 4)
        #expect(turned == .identity)
    }

    @Test(arguments: 1...3) func turning_anyTurn_startsInTheCorner(turns: Int) {
        let turned = TrackTurning.transform(.identity, from: size, to: size, turns: turns)
        let places = corners(turned, size)
        let box = turns == 2 ? size : CGSize(width: 360, height: 640)
        #expect(places.map(\.x).min() == 0 && places.map(\.y).min() == 0)
        #expect(places.map(\.x).max() == box.width && places.map(\.y).max() == box.height)
    }

    @Test func turning_quarterTurn_isClockwise() {
        let turned = TrackTurning.transform(.identity, from: size, to: size, turns: 1)
        // The upper left corner moves to the upper right.
        #expect(turned.transform(CGPoint.zero) == CGPoint(x: 360, y: 0))
    }

    @Test func turning_sizeChanges_adjustsTheMatrix() {
        let quarter = TrackTurning.transform(.identity, from: size, to: size, turns: 1)
        let half = TrackTurning.transform(quarter, from: size, to: CGSize(width: 320, height: 180), turns: 0)
        #expect(half == TrackTurning.transform(.identity, from: size, to: CGSize(width: 320, height: 180), turns: 1))
    }
}

@Suite struct FramePacerTests {
    private func run(_ times: [Double], rate: Double, last: Double = 0.1, end: Double? = nil) -> [Double] {
        var pacer = FramePacer(frameRate: rate, start: .zero)
        var result: [Double] = []
        func pull() { while let frame = pacer.next() { result.append(frame.presentationTime.seconds) } }
        for time in times {
            pacer.take(frame(time, lasting: last))
            pull()
        }
        pacer.finish(lastFrameEnd: end.map { MediaTime(seconds: $0) })
        pull()
        return result.map { ($0 * 1000).rounded() / 1000 }
    }

    private func frame(_ time: Double, lasting duration: Double) -> SampleBuffer {
        let pixels = MutablePixelBuffer(layout: PixelLayout(format: .gray8, width: 2, height: 2)).finish()
        return SampleBuffer(
            pixels: pixels, presentationTime: MediaTime(seconds: time), duration: MediaTime(seconds: duration))
    }

    /// The ticks of the gap are not made before they are needed.
    @Test func pacer_longGap_returnsOneTickAtATime() {
        var pacer = FramePacer(frameRate: 1000, start: .zero)
        for time in [0, 0.002, 1_000_000] { pacer.take(frame(time, lasting: 0.001)) }
        let times = (0..<4).compactMap { _ in pacer.next()?.presentationTime.seconds }
        #expect(times == [0, 0.001, 0.002, 0.003])
    }

    /// The frame before would be repeated until the disk is full.
    @Test func preparation_frameYearsLater_throws() throws {
        let steps = FrameSteps(frameRate: 10, frame: FrameGeometry(width: 64, height: 32))
        let years = MediaTime(value: 2 * 366 * 86_400, timescale: 1)
        for isFirst in [true, false] {
            let preparation = try FramePreparation(steps, from: .zero)
            if !isFirst { try preparation.take(SyntheticMedia.videoSample(0, at: .zero, width: 64, height: 32)) }
            let late = SyntheticMedia.videoSample(1, at: years, width: 64, height: 32)
            #expect(code { try preparation.take(late) } == .invalidSample)
        }
    }

    @Test func preparation_imageShownAtManyTicks_isScaledOnce() throws {
        let steps = FrameSteps(frameRate: 10, frame: FrameGeometry(width: 32, height: 16))
        let preparation = try FramePreparation(steps, from: .zero)
        func images() throws -> [MediaData] {
            var images: [MediaData] = []
            while let sample = try preparation.next() {
                guard case .pixels(let image) = sample.content else { continue }
                #expect(image.width == 32 && image.height == 16)
                images.append(image.data)
            }
            return images
        }
        let tenth = MediaTime(value: 1, timescale: 10)
        try preparation.take(SyntheticMedia.videoSample(0, at: .zero, width: 64, height: 32, duration: tenth))
        let next = MediaTime(value: 5, timescale: 10)
        try preparation.take(SyntheticMedia.videoSample(1, at: next, width: 64, height: 32, duration: tenth))
        let first = try images()
        try preparation.take(nil, lastFrameEnd: MediaTime(value: 1, timescale: 1))
        let second = try images()
        #expect(first.count == 5 && second.count == 5)
        #expect(Set((first + second).map { ObjectIdentifier($0) }).count == 2)
        #expect(first.first !== second.first)
    }

    @Test func pacer_otherRate_repeatsAndOmitsFrames() {
        #expect(run([0, 0.2, 0.4], rate: 10, last: 0.2) == [0, 0.1, 0.2, 0.3, 0.4, 0.5])
        #expect(run([0, 0.05, 0.1, 0.15], rate: 10, last: 0.05) == [0, 0.1])
    }

    @Test func pacer_lastFrameEndsLater_isRepeatedUntilThen() {
        #expect(run([0, 0.2], rate: 10, end: 0.6) == [0, 0.1, 0.2, 0.3, 0.4, 0.5])
        #expect(run([0, 0.2], rate: 10, last: 0.2, end: 0.3) == [0, 0.1, 0.2, 0.3])
    }

    @Test func pacer_framesShorterThanHalfATick_returnsOne() {
        #expect(run([0], rate: 10, last: 0.04) == [0])
        #expect(run((0..<13).map { Double($0) * 0.04 }, rate: 0.5, last: 0.04) == [0])
        #expect(run([2.96], rate: 10, last: 0.04) == [3])
        #expect(run([], rate: 10).isEmpty)
    }

    @Test func pacer_lateFirstFrame_startsAtItsTick() {
        #expect(run([0.32, 0.4], rate: 10) == [0.3, 0.4])
    }

    @Test func pacer_broadcastRates_areExact() {
        #expect(FramePacer.ratio(29.97) == Ratio(30_000, 1001) && FramePacer.ratio(23.976) == Ratio(24_000, 1001))
        #expect(FramePacer.ratio(30) == Ratio(30_000, 1000) && FramePacer.ratio(12.5) == Ratio(12_500, 1000))
    }
}
