import CALSA
import MediaTypes

/// The loudspeakers that a sound card reports for its channels, in the order in which it delivers them. A plain value.
///
/// Only a reversed stereo pair is trusted. The kernel's driver for USB invents a map if the device has none. For
/// example, it calls six microphones FL FR FC LFE RL RR, and some encoders would then store the fourth as a
/// low-frequency channel.
///
/// Source: alsa-lib, snd_pcm_get_chmap; Linux, snd-usb-audio, convert_chmap.
struct ChannelMap: Equatable {
    /// ALSA's numbers (`snd_pcm_chmap_position`) without their flags.
    let positions: [UInt32]

    /// - Parameter reported: The device's numbers, one for each channel; they may have flags above the low 16 bits.
    init(_ reported: [UInt32]) {
        positions = reported.map { $0 & UInt32(SND_CHMAP_POSITION_MASK) }
    }

    /// Reads the map of a device that is set up; nil if the device reports no map, or one for a different number of
    /// channels.
    init?(_ pcm: OpaquePointer, channelCount: Int) {
        var reported = [UInt32](repeating: 0, count: channelCount)
        guard calsa_channel_map(pcm, &reported, UInt32(clamping: channelCount)) == UInt32(clamping: channelCount)
        else { return nil }
        self.init(reported)
    }

    private static let (left, right) = (SND_CHMAP_FL.rawValue, SND_CHMAP_FR.rawValue)

    /// The layout to record with. If the map is a reversed stereo pair, the layout is reversed too, so that left stays
    /// left. Any other map is ignored: the layout is mono, stereo, or channels without loudspeakers.
    var layout: ChannelLayout? {
        if positions == [Self.right, Self.left] { return ChannelLayout([.frontRight, .frontLeft]) }
        return positions.count > 2 ? .discrete(positions.count) : nil
    }

    /// The names to report, such as "FL FR RL RR FC LFE"; nil if they are the usual ones or unknown.
    var text: String? {
        let isUnknown = positions.allSatisfy { $0 == SND_CHMAP_UNKNOWN.rawValue }
        guard positions.count > 1, !isUnknown, positions != [Self.left, Self.right] else { return nil }
        return positions.map { Self.name($0) }.joined(separator: " ")
    }

    /// Returns alsa-lib's name; the number if it has none.
    private static func name(_ position: UInt32) -> String {
        guard position <= SND_CHMAP_LAST.rawValue,
            let name = snd_pcm_chmap_name(snd_pcm_chmap_position(rawValue: position))
        else { return String(position) }
        return String(cString: name)
    }
}
