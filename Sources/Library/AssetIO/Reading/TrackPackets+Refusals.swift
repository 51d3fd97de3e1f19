import Demuxing
import MediaTypes

extension TrackPackets {
    /// Checks that a packet can be decoded or copied as the options request.
    ///
    /// - Throws: `unsupported` if it is encrypted, or if a frame is to be copied and its presentation time is unknown.
    func requireUsable(_ packet: MovieDemuxer.Packet, _ options: SourceOptions) throws(MediaError) {
        let isDecoded = options.settings != nil
        // A copy would lack the file's encryption information.
        if packet.isEncrypted, isDecoded || options.leavesUnread {
            throw MediaError(
                .unsupported, "cannot \(isDecoded ? "decode" : "copy") \(path)",
                reason: "track \(track.id) is encrypted",
                wayOut: isDecoded
                    ? "read the stored samples instead, or decrypt the file first" : "decrypt the file first")
        }
        guard isDecoded || !options.leavesUnread || saysWhenShown(packet) else {
            throw MediaError(
                .unsupported, "cannot copy \(path)", reason: "not every frame has a presentation time",
                wayOut: "re-encode it")
        }
    }

    /// Returns true if the presentation time of a packet is known, so that a copy can be shown correctly. AVI stores
    /// only decode times, which differ from presentation times if frames are stored out of order.
    private func saysWhenShown(_ packet: MovieDemuxer.Packet) -> Bool {
        guard packet.sample.presentationTime.isNumeric else { return false }
        return packet.hasPresentationTime || track.lacksPresentationTimes || !isVideo || track.videoDelay == 0
    }

    /// Returns a decoder's error, with the time and the position of the damaged packet added.
    func located(_ error: MediaError, _ packet: MovieDemuxer.Packet) -> MediaError {
        guard error.code == .corruptData else { return error }
        let place = packet.position >= 0 ? ", byte \(packet.position)" : ""
        return MediaError(
            .corruptData, "cannot read \(path) at \(packet.start.words)\(place)",
            reason: "\(error.action): \(error.reason)", underlying: error.underlying,
            wayOut: "media before the damage is usable; to continue after the damage, skip damaged media")
    }
}
