/// The width and height of a frame in pixels.
public struct FrameSize: Sendable, Hashable {
    public let width: Int
    public let height: Int

    public init(_ width: Int, _ height: Int) {
        self.width = width
        self.height = height
    }

    /// Parses user input such as `1280x720` or `1280×720`: two positive numbers of at most five digits. nil for other
    /// text.
    public init?(_ text: String) {
        let parts = text.split(omittingEmptySubsequences: false) { "xX×".contains($0) }
        guard parts.count == 2, parts.allSatisfy({ (1...5).contains($0.count) }),
            let width = Int(parts[0]), let height = Int(parts[1]), width > 0, height > 0
        else { return nil }
        self.init(width, height)
    }

    package var area: Int { width * height }

    /// The difference between two sizes in pixels: the difference in width plus the difference in height.
    package func distance(to other: FrameSize) -> Int { abs(width - other.width) + abs(height - other.height) }
}

extension FrameSize: CustomStringConvertible {
    /// The size in the form that can be typed: "1280x720".
    public var description: String { "\(width)x\(height)" }
}
