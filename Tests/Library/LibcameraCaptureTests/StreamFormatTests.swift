import MediaTypes
import Testing

@testable import LibcameraCapture

@Suite struct StreamFormatTests {
    private func configuration(_ message: HelperBytes) throws -> StreamConfiguration {
        guard case .configured(let configuration) = try HelperMessage(message.bytes, descriptors: 0) else {
            throw MessageFault.kind(0)
        }
        return configuration
    }

    @Test(arguments: [
        (33_333_000, FrameRate(30)), (33_367_000, FrameRate(30_000, per: 1001)), (20_000_000, FrameRate(50)),
        (16_683_000, FrameRate(60_000, per: 1001)), (8_333_000, FrameRate(120)), (2_000_000_000, FrameRate(1, per: 2)),
        (123_456_000, FrameRate(15_625, per: 1929)),
    ])
    func rate_intervalInMicroseconds_isTheUsualRate(interval: Int, rate: FrameRate) throws {
        #expect(try configuration(.configured(interval: UInt64(interval))).frameRate == rate)
    }

    @Test func rate_unknownOrVariable_isNone() throws {
        #expect(try configuration(.configured(interval: 0)).frameRate == nil)
        let variable = HelperBytes.configured().with(long: 100_000_000, at: MessageLayout.longestIntervalAt)
        #expect(try configuration(variable).frameRate == nil)
    }

    @Test func rate_thatNoHelperMaySend_isNone() throws {
        for interval in [1, 1_000, 999_999] as [UInt64] {
            #expect(try configuration(.configured(interval: interval)).frameRate == nil)
        }
        #expect(try configuration(.configured(interval: 1_000_000)).frameRate == FrameRate(1_000))
    }

    @Test func color_withoutTags_isThatOfAWebcam() throws {
        let raw = try configuration(.configured()).videoFormat
        #expect(raw.pixelFormat == .nv12 && raw.codec == .raw)
        #expect(raw.color == ColorDescription(primaries: 1, transfer: 13, matrix: 6))
        let jpeg = try configuration(.configured(.mjpeg)).videoFormat
        #expect(jpeg.pixelFormat == nil && jpeg.codec == .mjpeg && jpeg.color.isFullRange)
        let rgb = try configuration(.configured(.bgr888)).videoFormat
        #expect(rgb.pixelFormat == .rgb24 && rgb.color.isFullRange)
    }

    @Test func color_tagsOfTheCamera_areKept() throws {
        let message = HelperBytes.configured().with(1, at: MessageLayout.primariesAt)
            .with(1, at: MessageLayout.transferAt).with(1, at: MessageLayout.matrixAt)
            .with(2, at: MessageLayout.rangeAt)
        let color = try configuration(message).videoFormat.color
        #expect(color == ColorDescription(primaries: 1, transfer: 1, matrix: 1, isFullRange: true))
        // JPEG has its own matrix and range, whatever the pipeline reports.
        let jpeg = message.with(FrameFormat.mjpeg.rawValue, at: MessageLayout.formatAt)
            .with(1, at: MessageLayout.rangeAt)
        let colorOfJPEG = try configuration(jpeg).videoFormat.color
        #expect(colorOfJPEG.matrix == 6 && colorOfJPEG.isFullRange)
    }
}
