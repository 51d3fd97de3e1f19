package import CommandInterface
package import MediaTypes

/// The size, the frame rate and the bit rate of the sub-stream: `320x180@5`, `640x360@10:400k`.
package struct SubstreamSettings: Sendable, Hashable {
    /// The maximum size. Frames keep their aspect ratio, and are never enlarged.
    package var size: FrameSize
    package var frameRate: FrameRate
    /// The average bit rate in bits per second, or nil for a constant quality.
    package var bitRate: Int?

    package init(_ size: FrameSize, frameRate: FrameRate, bitRate: Int? = nil) {
        self.size = size
        self.frameRate = frameRate
        self.bitRate = bitRate
    }

    /// The smallest width or height in pixels that every encoder accepts, and the largest that counts as a small
    /// stream.
    private static let (least, most) = (32, 1920)
    private static let rates = 1.0...60.0

    package init(parsing text: String) throws(OptionError) {
        let parts = text.split(separator: "@", omittingEmptySubsequences: false)
        let speeds = parts.count == 2 ? parts[1].split(separator: ":", omittingEmptySubsequences: false) : []
        guard (1...2).contains(speeds.count), let size = FrameSize(String(parts[0])),
            let rate = FrameRate(String(speeds[0]))
        else { throw OptionError(text, isNot: "a sub-stream", write: "320x180@5 or 640x360@10:400k") }
        guard size.width.isMultiple(of: 2), size.height.isMultiple(of: 2) else {
            throw OptionError("“\(text.prefix(80))” has odd numbers: write even ones, such as 320x180@5")
        }
        let sides = Self.least...Self.most
        guard sides.contains(size.width), sides.contains(size.height) else {
            throw OptionError(
                "“\(text.prefix(80))” is not a small frame: write sides from \(Self.least) to \(Self.most) pixels")
        }
        guard Self.rates.contains(rate.framesPerSecond) else {
            throw OptionError("“\(text.prefix(80))” has an invalid frame rate: write 1 to 60 frames per second")
        }
        var bitRate: Int?
        if speeds.count == 2 { bitRate = try QuantityText.parseBitRate(String(speeds[1])) }
        self.init(size, frameRate: rate, bitRate: bitRate)
    }

    /// The settings as users write them.
    package var text: String {
        let rate = frameRate.seconds == 1 ? "\(frameRate.frames)" : "\(frameRate.frames)/\(frameRate.seconds)"
        return "\(size)@\(rate)" + (bitRate.map { ":" + QuantityText.text(Int64($0)) } ?? "")
    }
}
