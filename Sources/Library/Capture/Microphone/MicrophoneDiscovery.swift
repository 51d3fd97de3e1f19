import CALSA
import Glibc
public import MediaTypes

/// A microphone that can be recorded from.
public struct MicrophoneDevice: Sendable, Hashable {
    /// ALSA's name, which does not change when other cards come and go: `hw:CARD=Webcam,DEV=0`, or `default`.
    public var name: String
    /// The names that the card and the device report.
    public var title: String
    /// True if the microphone is a sound card; false for a name of ALSA's configuration, such as that of a sound
    /// server.
    public var isHardware: Bool
    /// The capabilities; nil if they were not read because the device is in use or is not hardware.
    public var capabilities: MicrophoneCapabilities?
    /// The reason why the capabilities could not be read.
    public var problem: MediaError?
}

/// Finds microphones.
public enum MicrophoneDiscovery {
    /// Returns every microphone: the sound cards in their order, then the names of ALSA's configuration that can
    /// record.
    ///
    /// Blocks for some milliseconds. Sound cards are opened without waiting; other names are not opened.
    public static func microphones() -> [MicrophoneDevice] {
        calsa_silence()
        return hardware() + configured()
    }

    /// Returns the default microphone; nil if there is no microphone. A free sound card is preferred. If there is none,
    /// for example because a sound server uses the cards, ALSA's `default` is returned if it can be opened. Otherwise a
    /// sound card that is in use is returned.
    public static func first() -> MicrophoneDevice? {
        let all = microphones()
        let cards = all.filter(\.isHardware)
        if let free = cards.first(where: { $0.problem == nil }) { return free }
        if (try? ALSADevice("default")) != nil {
            return all.first { $0.name == "default" }
                ?? MicrophoneDevice(name: "default", title: "ALSA's default", isHardware: false)
        }
        return cards.first
    }

    /// Returns the reason why a microphone cannot be opened; nil if it can. Opens it briefly, without streaming.
    ///
    /// - Parameter name: The name by which `ALSAMicrophone` opens it.
    package static func problem(of name: String) -> MediaError? {
        do throws(MediaError) {
            _ = try ALSAMicrophone.open(name)
            return nil
        } catch { return error }
    }

    /// Returns ALSA's name for the first microphone of the card with this name; nil if there is none.
    static func device(ofCard name: String) -> String? {
        let wanted = name.lowercased()
        return hardware(isProbing: false).first { $0.cardNames.contains { $0.lowercased() == wanted } }?.name
    }

    /// Returns the id of the card that now has this number, as used in `hw:CARD=…`; nil without such a card.
    static func id(ofCard number: Int) -> String? {
        calsa_silence()
        var control: OpaquePointer?
        var info: OpaquePointer?
        guard snd_ctl_open(&control, "hw:\(number)", Int32(SND_CTL_NONBLOCK)) == 0, let control else { return nil }
        defer { snd_ctl_close(control) }
        guard snd_ctl_card_info_malloc(&info) == 0, let info else { return nil }
        defer { snd_ctl_card_info_free(info) }
        guard snd_ctl_card_info(control, info) == 0 else { return nil }
        return String(cString: snd_ctl_card_info_get_id(info))
    }

    private static func hardware(isProbing: Bool = true) -> [MicrophoneDevice] {
        calsa_silence()
        var found: [MicrophoneDevice] = []
        var card: Int32 = -1
        while snd_card_next(&card) == 0, card >= 0 {
            var control: OpaquePointer?
            guard snd_ctl_open(&control, "hw:\(card)", Int32(SND_CTL_NONBLOCK)) == 0, let control else { continue }
            defer { snd_ctl_close(control) }
            found += devices(of: control, isProbing: isProbing)
        }
        return found
    }

    private static func devices(of control: OpaquePointer, isProbing: Bool) -> [MicrophoneDevice] {
        var cardInfo: OpaquePointer?
        var pcmInfo: OpaquePointer?
        guard snd_ctl_card_info_malloc(&cardInfo) == 0, let cardInfo else { return [] }
        defer { snd_ctl_card_info_free(cardInfo) }
        guard snd_pcm_info_malloc(&pcmInfo) == 0, let pcmInfo, snd_ctl_card_info(control, cardInfo) == 0 else {
            return []
        }
        defer { snd_pcm_info_free(pcmInfo) }
        let id = String(cString: snd_ctl_card_info_get_id(cardInfo))
        let cardName = String(cString: snd_ctl_card_info_get_name(cardInfo))
        var found: [MicrophoneDevice] = []
        var number: Int32 = -1
        while snd_ctl_pcm_next_device(control, &number) == 0, number >= 0 {
            snd_pcm_info_set_device(pcmInfo, UInt32(number))
            snd_pcm_info_set_subdevice(pcmInfo, 0)
            snd_pcm_info_set_stream(pcmInfo, SND_PCM_STREAM_CAPTURE)
            guard snd_ctl_pcm_info(control, pcmInfo) == 0 else { continue }
            let deviceName = String(cString: snd_pcm_info_get_name(pcmInfo))
            var device = MicrophoneDevice(
                name: "hw:CARD=\(id),DEV=\(number)", title: "\(cardName), \(deviceName)", isHardware: true)
            if isProbing {
                do throws(MediaError) {
                    device.capabilities = try ALSADevice(device.name).capabilities()
                } catch { device.problem = error }
            }
            found.append(device)
        }
        return found
    }

    /// Names that are only another way to address a sound card; the cards themselves are already listed.
    private static let namesOfCards: Set<String> = [
        "hw", "plughw", "sysdefault", "front", "rear", "center_lfe", "side", "dmix", "dsnoop", "usbstream", "iec958",
        "spdif", "hdmi", "surround21", "surround40", "surround41", "surround50", "surround51", "surround71", "modem",
        "phoneline",
    ]
    /// The names of ALSA plug-ins that only convert audio of another device.
    private static let converters: Set<String> = [
        "null", "samplerate", "speexrate", "lavrate", "upmix", "vdownmix", "speex", "oss", "a52", "jack",
    ]

    private static func configured() -> [MicrophoneDevice] {
        calsa_silence()
        var hints: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
        guard snd_device_name_hint(-1, "pcm", &hints) == 0, let hints else { return [] }
        defer { _ = snd_device_name_free_hint(hints) }
        var found: [MicrophoneDevice] = []
        var next = hints
        while let hint = next.pointee {
            next += 1
            // A name without a direction both plays and records.
            if let direction = text("IOID", of: hint), direction != "Input" { continue }
            guard let name = text("NAME", of: hint) else { continue }
            let kind = String(name.prefix { $0 != ":" })
            guard !namesOfCards.contains(kind), !converters.contains(kind), !name.hasPrefix("default:"),
                !found.contains(where: { $0.name == name })
            else { continue }
            let title = text("DESC", of: hint)?.split(separator: "\n").joined(separator: ", ") ?? name
            found.append(MicrophoneDevice(name: name, title: title, isHardware: false))
        }
        return found
    }

    private static func text(_ key: String, of hint: UnsafeMutableRawPointer) -> String? {
        guard let value = snd_device_name_get_hint(hint, key) else { return nil }
        defer { free(value) }
        return String(cString: value)
    }
}

extension MicrophoneDevice {
    /// The names by which a user may call the card: `Loopback` of "hw:CARD=Loopback,DEV=1" and the first part of its
    /// title.
    fileprivate var cardNames: [String] {
        let id = name.drop { $0 != "=" }.dropFirst().prefix { $0 != "," }
        return [String(id), title.split(separator: ",").first.map(String.init) ?? title]
    }
}
