import MediaTypes

/// What people call the channels of a sound track.
enum ChannelNames {
    /// - Parameter layout: nil: mono or stereo by the count, and numbers for more.
    static func names(_ layout: ChannelLayout?, count: Int) -> [String] {
        let known: [String] =
            switch layout {
            case nil: count == 1 ? ["mono"] : count == 2 ? ["left", "right"] : []
            case .mono: ["mono"]
            case .stereo: ["left", "right"]
            case .surround3: ["left", "right", "centre"]
            case .quad: ["left", "right", "centre", "back"]
            case .surround5: ["left", "right", "centre", "back left", "back right"]
            case .surround51: ["left", "right", "centre", "LFE", "back left", "back right"]
            case .surround61: ["left", "right", "centre", "LFE", "back", "side left", "side right"]
            case .surround71:
                ["left", "right", "centre", "LFE", "back left", "back right", "side left", "side right"]
            }
        return known.count == count ? known : (0..<max(0, count)).map { "channel \($0 + 1)" }
    }
}
