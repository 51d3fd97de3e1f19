import MediaTypes

/// Handles a file that cannot grow any more while the recording continues.
extension PacketRouter {
    /// Begins another file with the samples that the failed one did not write. The new file does not wait for a
    /// keyframe. `rest` also contains the earlier frames that the first frames depend on; those earlier frames are not
    /// shown.
    ///
    /// - Parameter end: The end of the failed file, if it was set already.
    mutating func moveOn(
        from segment: Int, _ rest: UnwrittenRest, end: MediaTime?, into actions: inout [RouterAction]
    ) {
        if let old = current, old.opening.number == segment { return replace(old, rest, &actions) }
        // True if new packets already go to another file, and the failed file only waits for its last audio.
        let isClosing = closing?.segment == segment
        guard let start = rest.start else {
            // Later audio of the failed file's time range is counted as dropped, because no file stores it.
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
        // The next frames depend on frames that are missing.
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
