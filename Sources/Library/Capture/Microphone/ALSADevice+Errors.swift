import CALSA
import Glibc
import MediaTypes

extension ALSADevice {
    /// Returns the error for a failed call on the open device.
    func error(_ code: Int32, _ action: String) -> MediaError {
        if code == -EBUSY || code == -ENODEV { return Self.openError(code, name) }
        return MediaError(
            .ioFailure, action, reason: String(cString: snd_strerror(code)).lowercased(), underlying: .alsa(code))
    }

    /// Returns the error for a device that could not be opened, with advice.
    static func openError(_ code: Int32, _ name: String) -> MediaError {
        let action = "cannot open the microphone \(name)"
        switch -code {
        case EBUSY:
            return MediaError(
                .busy, action, reason: DeviceHolders.reason { isCapture($0, of: name) }, underlying: .alsa(code),
                wayOut: "run `fuser -v /dev/snd/*` to see which; if it is a sound server, record from `default`")
        case EACCES, EPERM:
            return MediaError(
                .notPermitted, action, reason: "permission denied", underlying: .alsa(code),
                wayOut: "join the group `audio`: `sudo usermod -aG audio $USER`, then log in again")
        case ENOENT, ENODEV, ENXIO, EINVAL:
            if onlyPlays(name) {
                return MediaError(
                    .deviceUnsuitable, "cannot record from \(name)", reason: "it is a playback device",
                    underlying: .alsa(code),
                    wayOut: "`recorder devices` lists the microphones")
            }
            return MediaError(
                .notFound, action, reason: "no such microphone", underlying: .alsa(code),
                wayOut: "`recorder devices` lists the connected microphones")
        case ECONNREFUSED:
            return MediaError(
                .notFound, action, reason: "its sound server is not running", underlying: .alsa(code),
                wayOut: "`recorder devices` lists the hardware microphones")
        default:
            return MediaError(
                .ioFailure, action, reason: String(cString: snd_strerror(code)).lowercased(), underlying: .alsa(code))
        }
    }

    /// Returns true if a node records from the card that the name means. If the name means no card, any card will do.
    private static func isCapture(_ path: String, of name: String) -> Bool {
        guard path.hasPrefix("/dev/snd/pcmC"), path.hasSuffix("c") else { return false }
        guard let card = ALSAName(name).card else { return true }
        let number = snd_card_get_index(card)
        return number < 0 || path.hasPrefix("/dev/snd/pcmC\(number)D")
    }

    private static func onlyPlays(_ name: String) -> Bool {
        var handle: OpaquePointer?
        let code = snd_pcm_open(&handle, name, SND_PCM_STREAM_PLAYBACK, Int32(SND_PCM_NONBLOCK))
        if let handle, code == 0 { snd_pcm_close(handle) }
        return code == 0 || code == -EBUSY
    }
}
