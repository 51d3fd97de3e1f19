/// The loudspeakers that the channels of a track belong to, in the order of the channels.
///
/// ```swift
/// let sixMicrophones = AudioSettings(codec: .alac, channelCount: 6, layout: .discrete(6))
/// let surround = AudioSettings(codec: .aac, channelCount: 6, layout: .surround51)
/// ```
public struct ChannelLayout: RawRepresentable, Sendable, Hashable, Codable, CaseIterable, CustomStringConvertible {
    public let positions: [ChannelPosition]

    public init(_ positions: [ChannelPosition]) { self.positions = positions }

    public static let mono = ChannelLayout([.frontCenter])
    public static let stereo = ChannelLayout(mask: 0x3)
    public static let surround3 = ChannelLayout(mask: 0x7)
    public static let quad = ChannelLayout(mask: 0x107)
    public static let surround5 = ChannelLayout(mask: 0x37)
    public static let surround51 = ChannelLayout(mask: 0x3F)
    public static let surround61 = ChannelLayout(mask: 0x70F)
    public static let surround71 = ChannelLayout(mask: 0x63F)

    /// The usual layout for each channel count from 1 to 8.
    public static let allCases: [ChannelLayout] = [
        .mono, .stereo, .surround3, .quad, .surround5, .surround51, .surround61, .surround71,
    ]

    /// A layout whose channels belong to no loudspeaker. Each channel is coded in full. Channels are mixed only if the
    /// channel count changes.
    public static func discrete(_ count: Int) -> ChannelLayout {
        ChannelLayout(Array(repeating: .discrete, count: max(0, count)))
    }

    public var channelCount: Int { positions.count }

    /// True if no channel belongs to a loudspeaker.
    public var isDiscrete: Bool { positions.allSatisfy { $0 == .discrete } }

    // MARK: Names

    /// FFmpeg's layout names, keyed by the bit mask of the loudspeakers.
    private static let names: [UInt64: String] = [
        0x4: "mono", 0x3: "stereo", 0xB: "2.1", 0x7: "3.0", 0x103: "3.0(back)", 0x107: "4.0", 0x33: "quad",
        0x603: "quad(side)", 0xF: "3.1", 0x37: "5.0", 0x607: "5.0(side)", 0x10F: "4.1", 0x3F: "5.1", 0x60F: "5.1(side)",
        0x707: "6.0", 0x6C3: "6.0(front)", 0x137: "hexagonal", 0x70F: "6.1", 0x13F: "6.1(back)", 0x6CB: "6.1(front)",
        0x637: "7.0", 0x6C7: "7.0(front)", 0x63F: "7.1", 0xFF: "7.1(wide)", 0x6CF: "7.1(wide-side)", 0x737: "octagonal",
        0x6000_0000: "downmix",
    ]

    /// FFmpeg's name, such as `5.1(side)`. If a layout has no such name, the value lists its loudspeakers, such as
    /// `FL+FR+LFE2`, or states a count, such as `6 discrete`.
    public var rawValue: String {
        if let mask, let name = Self.names[mask] { return name }
        return isDiscrete ? "\(channelCount) discrete" : positions.map(\.description).joined(separator: "+")
    }

    public init?(rawValue: String) {
        if let mask = Self.names.first(where: { $0.value == rawValue })?.key {
            self.init(mask: mask)
            return
        }
        if rawValue.hasSuffix(" discrete"), let count = Int(rawValue.dropLast(9)), (1...64).contains(count) {
            self = .discrete(count)
            return
        }
        let positions = rawValue.split(separator: "+", omittingEmptySubsequences: false)
            .map { ChannelPosition(name: String($0)) }
        guard positions.count <= 64, !positions.contains(nil) else { return nil }
        self.init(positions.compactMap { $0 })
    }

    public var description: String { rawValue }

    // MARK: Order

    /// Creates the layout of a mask, in ascending bit order.
    package init(mask: UInt64) {
        self.init((0..<64).filter { mask >> $0 & 1 == 1 }.map { ChannelPosition(rawValue: UInt8($0)) })
    }

    /// The mask whose bits are the loudspeakers; nil if the loudspeakers are not in ascending bit order, if one occurs
    /// twice, or if a channel is discrete.
    package var mask: UInt64? {
        var (mask, last) = (UInt64(0), -1)
        for position in positions {
            guard position.rawValue < 64, Int(position.rawValue) > last else { return nil }
            last = Int(position.rawValue)
            mask |= 1 << position.rawValue
        }
        return mask == 0 ? nil : mask
    }

    /// The same loudspeakers in ascending order of their numbers; the unchanged layout if a channel is discrete.
    package var inUsualOrder: ChannelLayout {
        positions.contains(.discrete) ? self : ChannelLayout(positions.sorted { $0.rawValue < $1.rawValue })
    }

    /// Returns, for each channel of `other`, the channel of this layout for the same loudspeaker; nil if the
    /// loudspeakers differ, or if a channel is discrete.
    ///
    /// If a layout has only one pair of surround loudspeakers, side and back count as the same position, because few
    /// containers distinguish the two.
    package func order(for other: ChannelLayout) -> [Int]? {
        guard channelCount == other.channelCount else { return nil }
        if positions == other.positions, !positions.contains(.discrete) { return Array(positions.indices) }
        let (mine, theirs) = (surroundsBehind, other.surroundsBehind)
        guard !mine.contains(.discrete), Set(mine).count == mine.count, Set(mine) == Set(theirs) else { return nil }
        return theirs.compactMap { mine.firstIndex(of: $0) }
    }

    private var surroundsBehind: [ChannelPosition] {
        guard !positions.contains(.backLeft), !positions.contains(.backRight) else { return positions }
        return positions.map { $0 == .sideLeft ? .backLeft : $0 == .sideRight ? .backRight : $0 }
    }
}

/// The way to convert the channels of one audio format into the channels of another.
package enum ChannelRoute: Sendable, Hashable {
    /// Copies each channel. The array holds the source channel for each channel of the result; empty means the same
    /// order.
    case each([Int])
    /// Mixes the source's loudspeakers into those of the result. The first layout is the source's, the second is the
    /// result's, and both are in the usual order. `order` has, for each channel of the first layout, the channel of the
    /// source that belongs to it. An empty `order` means the same order.
    case mixed(ChannelLayout, ChannelLayout, order: [Int])
    /// Mixes with a matrix of gains: one row for each channel of the result, one column for each channel of the source.
    /// Used for channels without loudspeakers.
    case gains([[Double]])

    /// Chooses the route. Channels are mixed only if the counts or the loudspeakers differ. Channels without
    /// loudspeakers stay unchanged if the counts are equal.
    package init(from source: AudioFormat, to target: AudioFormat) {
        let (from, to) = (source.statedLayout, target.statedLayout)
        if source.channelCount == target.channelCount {
            guard let from, let to, !from.isDiscrete, !to.isDiscrete else {
                self = .each([])
                return
            }
            if let order = from.order(for: to) {
                self = .each(order == Array(order.indices) ? [] : order)
                return
            }
        }
        if let from, let to, to.mask != nil, from.inUsualOrder.mask != nil {
            let usual = from.inUsualOrder
            self = .mixed(usual, to, order: usual == from ? [] : from.order(for: usual) ?? [])
        } else {
            self = .gains(Self.gains(source.channelCount, target.channelCount))
        }
    }

    /// Returns gains with which every source channel is heard and the result never exceeds full scale.
    private static func gains(_ source: Int, _ target: Int) -> [[Double]] {
        let share = 1 / Double(max(1, (source + target - 1) / max(1, target)))
        return (0..<target).map { row in
            (0..<source).map { column in
                source == 1 || column % max(1, target) == row ? share : 0
            }
        }
    }
}

extension AudioFormat {
    /// The layout. If none is set, the channel count determines it: mono for one channel, stereo for two, nil for more.
    package var statedLayout: ChannelLayout? {
        layout ?? (channelCount == 1 ? .mono : channelCount == 2 ? .stereo : nil)
    }
}
