import AssetIO
import MediaTypes

/// The routing of audio. Each audio packet waits until the frames have reached its time. It is then stored in the file
/// that contains this time, or in two files if a cut divides the packet.
extension PacketRouter {
    mutating func acceptAudio(_ packet: SampleBuffer, _ actions: inout [RouterAction]) {
        held.waiting.append(packet)
        release(all: false, into: &actions)
        endIfComplete(&actions)
    }

    /// Routes the audio up to the time that the frames have reached.
    mutating func release(all: Bool, into actions: inout [RouterAction]) {
        while let first = held.waiting.first {
            let time = first.presentationTime
            let isOverdue = (held.waiting.last?.presentationTime ?? time) - time > Self.patience
            guard all || !video.isLive || isOverdue || video.frontier.map({ time <= $0 }) ?? false else { return }
            // Audio of the current encoder waits until a file with its format is open. Audio of an earlier encoder
            // belongs to an earlier file, or to none.
            if let current, current.opening.audio != first.format, first.format == audio.format, video.isLive,
                !isOverdue, !all
            {
                return
            }
            held.waiting.removeFirst()
            route(first, &actions)
        }
    }

    mutating func route(_ packet: SampleBuffer, _ actions: inout [RouterAction]) {
        let (time, packetEnd) = (packet.presentationTime, packet.endTime)
        var isStored = false
        defer {
            audio.frontier = packetEnd
            held.recent.append((packet, isStored))
            // The packets that decoding needs before a packet that is divided, and this packet.
            let most = max(3, 1 + (packet.format.audio.map(AudioPreroll.stored) ?? 0))
            if held.recent.count > most { held.recent.removeFirst() }
        }
        switch phase {
        case .idle: return
        case .waiting(let from):
            guard !video.isLive, from.map({ packetEnd > $0 }) ?? true else { return }
            open(at: from.map { max($0, time) } ?? time, into: &actions)
        case .recording: break
        }
        if !video.isLive, ending.time == nil { cutAudio(packet, &actions) }
        guard var current else { return }
        if let closing {
            let isForEarlier = time < closing.end && packet.format == closing.audio
            if isForEarlier {
                actions.append(.append(segment: closing.segment, packet))
                isStored = true
            }
            if packetEnd >= closing.end {
                self.closing?.awaitsAudio = false
                closeEarlierIfComplete(&actions)
            }
            if isForEarlier {
                if packetEnd > closing.end, packet.format == current.opening.audio {
                    appendAudio(packet.accounting(for: 0), &current, &actions)
                }
                self.current = current
                return
            }
        }
        if let end = ending.time, time >= end, !ending.waitsForTracks { return }
        guard packetEnd > current.opening.start else {
            // The packet is from before the recording, or so late that its file is closed, or its file has no audio of
            // this format.
            if current.opening.number > 1 { drop(packet, .queue, &actions) }
            return
        }
        guard packet.format == current.opening.audio else { return drop(packet, .queue, &actions) }
        // The file does not store the part before its start. That part belongs to an earlier file, which is closed or
        // has no audio of this format.
        let early = packet.framesCut(before: current.opening.start)
        if early > 0, current.opening.number > 1 { recordLoss(.audio, early, .queue, into: &actions) }
        appendAudio(packet, &current, &actions)
        isStored = true
        self.current = current
    }

    mutating func appendAudio(
        _ packet: SampleBuffer, _ current: inout Current, _ actions: inout [RouterAction]
    ) {
        if !current.hasAudio {
            current.hasAudio = true
            for (earlier, isStored) in held.recent where earlier.format == packet.format {
                let isCounted = countsLead && !isStored
                append(isCounted ? earlier : earlier.accounting(for: 0), to: &current, &actions)
            }
        }
        append(packet, to: &current, &actions)
    }

    /// Ends a file without video at the exact time of its limit.
    mutating func cutAudio(_ packet: SampleBuffer, _ actions: inout [RouterAction]) {
        // The next file has the format of the current encoder, so audio of an earlier one does not begin it.
        guard let current, packet.format == audio.format else { return }
        let isOther = packet.format != current.opening.audio
        let isWanted = limits.endsAtNextKeyframe && packet.presentationTime > current.opening.start
        if isOther || isFull(current) || isWanted {
            cut(at: packet.presentationTime, &actions)
        } else if let nextCut = limits.time, packet.endTime > nextCut {
            cut(at: max(nextCut, packet.presentationTime), &actions)
        }
    }
}

extension SampleBuffer {
    /// Returns the number of captured audio frames of this packet that a file does not store, because they are before
    /// the file's start. PCM is cut exactly at an audio frame; other packets are stored completely.
    /// `SessionEntry.inside` makes the same cut.
    fileprivate func framesCut(before start: MediaTime) -> Int64 {
        guard presentationTime < start, case .audio(let format) = format, format.bytesPerFrame != nil else { return 0 }
        let early = (start - presentationTime).ticks(in: Int32(clamping: format.sampleRate))
        return max(0, ledgerCount - max(0, Int64(sampleCount) - early))
    }
}
