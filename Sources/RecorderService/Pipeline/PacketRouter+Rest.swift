import MediaTypes

/// A file that can take no more, in the middle of the recording.
extension PacketRouter {
    /// Another file begins with what that one did not write. Nothing waits for a key frame: the pictures that the first
    /// one leans on are in `rest`, and are not shown.
    ///
    /// - Parameter end: where the file ends, for one that was told its end.
    mutating func moveOn(
        from segment: Int, _ rest: UnwrittenRest, end: MediaTime?, into actions: inout [RouterAction]
    ) {
        if let old = current, old.opening.number == segment { return replace(old, rest, &actions) }
        // The last of an earlier file, while packets go to another one already.
        guard let start = rest.start else { return }
        let isClosing = closing?.segment == segment
        segmentCount += 1
        let opening = RecordingFileOpening(
            number: segmentCount, start: start, video: rest.format(.video), audio: rest.format(.audio))
        actions.append(.open(opening))
        for packet in rest.packets { actions.append(.append(segment: opening.number, packet)) }
        if let closing, isClosing {
            self.closing = (opening.number, max(start, closing.end))
        } else {
            actions.append(.close(segment: opening.number, end: max(start, end ?? rest.end ?? start)))
        }
    }

    private mutating func replace(_ old: Current, _ rest: UnwrittenRest, _ actions: inout [RouterAction]) {
        let isCutWanted = cutsAtNextKeyFrame
        countsLead = false
        open(
            at: rest.start ?? max(old.end, old.opening.start), video: old.opening.video, audio: old.opening.audio,
            into: &actions)
        guard var new = current else { return }
        for packet in rest.packets {
            if packet.format.mediaType == .audio { new.hasSound = true }
            append(packet, to: &new, &actions)
        }
        current = new
        let hasPictures = rest.packets.contains { $0.format.mediaType == .video }
        // Pictures that come now lean on one that nobody has.
        if old.opening.video != nil, !hasPictures { isDroppingGroups = true }
        if isCutWanted || isDroppingGroups { cut(soon: &actions) }
    }
}

extension UnwrittenRest {
    fileprivate func format(_ type: MediaType) -> FormatDescription? {
        packets.first { $0.format.mediaType == type }?.format
    }

    fileprivate var end: MediaTime? { packets.map(\.endTime).max() }
}
