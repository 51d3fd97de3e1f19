import MediaTypes

/// Handles a file that cannot grow any more, in the middle of the recording.
extension PacketRouter {
    /// Begins another file with the samples that the failed one did not write. The new file does not wait for a
    /// keyframe: `rest` also contains the earlier frames that its first frames depend on, which are not shown.
    ///
    /// - Parameter end: The end of the failed file, if it was set already.
    mutating func moveOn(
        from segment: Int, _ rest: UnwrittenRest, end: MediaTime?, into actions: inout [RouterAction]
    ) {
        if let old = current, old.opening.number == segment { return replace(old, rest, &actions) }
        // True if the failed file still gets its last audio, while new packets already go to another file.
        let isClosing = closing?.segment == segment
        guard let start = rest.start else {
            // Audio that is still to come for the failed file has no file, and is counted as dropped.
            if isClosing { closing = nil }
            return
        }
        segmentCount += 1
        let opening = RecordingFileOpening(
            number: segmentCount, start: start, video: rest.format(.video), audio: rest.format(.audio))
        actions.append(.open(opening))
        for packet in rest.packets { actions.append(.append(segment: opening.number, packet)) }
        if var moved = closing, isClosing {
            moved.segment = opening.number
            moved.end = max(start, moved.end)
            moved.audio = opening.audio
            if opening.video != moved.keyframe?.format { moved.keyframe = nil }
            closing = moved
            closeEarlierIfComplete(&actions)
        } else {
            actions.append(.close(segment: opening.number, end: max(start, end ?? rest.end ?? start)))
        }
    }

    private mutating func replace(_ old: Current, _ rest: UnwrittenRest, _ actions: inout [RouterAction]) {
        let isCutWanted = limits.endsAtNextKeyframe
        countsLead = false
        open(
            at: rest.start ?? max(old.end, old.opening.start), video: old.opening.video, audio: old.opening.audio,
            into: &actions)
        guard var new = current else { return }
        for packet in rest.packets {
            if packet.format.mediaType == .audio { new.hasAudio = true }
            append(packet, to: &new, &actions)
        }
        current = new
        let hasVideo = rest.packets.contains { $0.format.mediaType == .video }
        // The next frames depend on one that is missing.
        if old.opening.video != nil, !hasVideo { isDroppingGroups = true }
        if isCutWanted || isDroppingGroups { cut(soon: &actions) }
    }
}

extension UnwrittenRest {
    fileprivate func format(_ type: MediaType) -> FormatDescription? {
        packets.first { $0.format.mediaType == type }?.format
    }

    fileprivate var end: MediaTime? { packets.map(\.endTime).max() }
}
