package import MediaTypes

extension StreamConfiguration {
    /// The format of every frame.
    package var videoFormat: VideoFormat {
        guard let pixelFormat = format.pixelFormat else {
            return VideoFormat(codec: .mjpeg, width: width, height: height, color: color)
        }
        return VideoFormat(pixelFormat: pixelFormat, width: width, height: height, color: color)
    }

    /// The time between two frames, in nanoseconds; nil if it varies or is unknown. Also nil if it is shorter than the
    /// shortest interval at which a helper may send frames. Otherwise every interval would count as thousands of lost
    /// frames.
    var fixedInterval: Int64? {
        shortestInterval >= MessageBudget.interval && shortestInterval == longestInterval ? shortestInterval : nil
    }

    /// The frame rate; nil if it varies or is unknown.
    package var frameRate: FrameRate? {
        guard let fixedInterval else { return nil }
        // libcamera rounds the interval to microseconds: 33,333 µs are 30 frames a second.
        let microseconds = (fixedInterval + 500) / 1_000
        for rate in Self.usualRates where abs(rate.interval.ticks(in: 1_000_000) - microseconds) <= 1 { return rate }
        guard let seconds = UInt32(exactly: microseconds) else { return nil }
        return FrameRate(frames: 1_000_000, seconds: seconds)
    }

    private static let usualRates: [FrameRate] = {
        let whole: [Int32] = [5, 10, 15, 20, 24, 25, 30, 40, 48, 50, 60, 72, 75, 90, 100, 120]
        let broadcast: [Int32] = [24_000, 30_000, 60_000]
        return whole.map { FrameRate($0) } + broadcast.map { FrameRate($0, per: 1001) }
    }()

    /// The color tags. If libcamera reports none, those of a webcam are used: sRGB, and BT.601 for YUV.
    private var color: ColorDescription {
        let isRGB = format.pixelFormat?.isRGB == true
        let isJPEG = format == .mjpeg
        return ColorDescription(
            primaries: primaries == 0 ? 1 : primaries, transfer: transfer == 0 ? 13 : transfer,
            // JPEG has BT.601 with the full range, whatever the pipeline reports (JFIF 1.02). A matrix of 0 is RGB.
            matrix: isJPEG || matrix == 0 ? 6 : matrix,
            isFullRange: isJPEG || (isFullRange ?? isRGB))
    }
}
