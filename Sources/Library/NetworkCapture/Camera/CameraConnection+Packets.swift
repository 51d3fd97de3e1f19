import MediaTypes
import RTSP
import RealTime

/// Passes the camera's packets from its sockets to the receivers of its samples, and sends reports to the camera.
extension CameraConnection {
    func flush() {
        if let failure = socket?.flush() { perform(session.disconnected(lost(failure), at: clock.nanoseconds)) }
    }

    func readStream() {
        // Deliver after everything that arrived was read. If this thread was late, only the last packet arrived just
        // now (`CameraReception`).
        defer { deliver() }
        for _ in 0..<Self.mostReads {
            // The session may have closed the socket.
            guard let socket, !isOver else { return }
            let received = socket.receive(into: &buffer)
            arrival = clock.nanoseconds
            switch received {
            case .bytes(let count): carryOut(session.receive(buffer[..<count], at: arrival))
            case .nothing: return
            case .end: return carryOut(session.disconnected(at: arrival))
            case .failed(let failure): return carryOut(session.disconnected(lost(failure), at: arrival))
            }
        }
    }

    func readDatagrams(of stream: Int, isControl: Bool) {
        for _ in 0..<Self.mostReads {
            let camera = socket?.address
            guard
                let count = datagrams.receive(stream: stream, isControl: isControl, from: camera, into: &buffer)
            else { break }
            guard count > 0 else { continue }
            arrival = clock.nanoseconds
            if !isControl { session.packetArrived(stream: stream, at: arrival) }
            receive(Array(buffer[..<count]), stream: stream, isControl: isControl)
        }
        deliver()
    }

    func sendReports(_ now: Int64) {
        for index in streams.indices {
            guard let report = reception?.report(stream: index, now: now) else { return }
            if let bytes = session.interleaved(report, stream: index) {
                if let failure = socket?.send(bytes) { return perform(session.disconnected(lost(failure), at: now)) }
            } else {
                datagrams.send(report, stream: index, isControl: true, to: socket?.address)
            }
        }
    }

    /// Accepts a packet of the latest read.
    func receive(_ packet: [UInt8], stream: Int, isControl: Bool) {
        reception?.receive(packet, stream: stream, isControl: isControl, at: arrival, wall: wall)
    }

    func deliver() {
        reception?.deliver(&output)
        guard !output.isEmpty else { return }
        swap(&output, &delivering)
        defer { delivering.removeAll(keepingCapacity: true) }
        for result in delivering where !isOver {
            switch result {
            case .sample(let sample):
                if sample.format.mediaType == .video { hasNewVideo = true }
                samples.deliver(sample)
            case .lost(let type, let count, let cause, let near):
                if type == .video { hasNewVideo = true }
                samples.lose(type, count: count, cause: cause, near: near)
            case .changed(let type): if isOpen { fail(changed(type)) }
            case .notice(let text): note(text)
            }
        }
    }

    private func changed(_ type: MediaType) -> MediaError {
        MediaError(
            .deviceLost, "lost the camera \(setup.url.label)", reason: "the format of its \(type.rawValue) changed")
    }

    /// Reports that the camera is open, once its streams have begun.
    func announce(_ now: Int64) {
        guard !isOpen, !isOver, let reception, samples.hasVideo, let video = reception.format(of: .video), let playedAt
        else { return }
        awaitsAudio = reception.has(.audio) && reception.format(of: .audio) == nil
        guard !awaitsAudio || now >= playedAt + Self.audioPatience else { return }
        isOpen = true
        let described = streams.first { $0.description.kind == .video }?.description.frameRate
        let rate = described.flatMap { $0 >= 1 && $0 <= 240 ? FrameRate("\($0)") : nil }
        link.opened(
            NetworkLink.Streams(
                video: video, audio: reception.format(of: .audio) ?? reception.describedFormat(of: .audio),
                hasAudioBegun: !awaitsAudio, decodedAudio: reception.decodedAudio, frameRate: rate,
                transport: datagrams.isUsed ? "UDP" : session.isSecure ? "TLS" : "TCP"))
    }

    /// Reports the first audio of a camera that was opened without it.
    func announceAudio() {
        guard isOpen, awaitsAudio, let reception, let format = reception.format(of: .audio) else { return }
        awaitsAudio = false
        if reception.describedFormat(of: .audio) == nil {
            note("the camera sent its first audio late; the current recording has no audio track for it")
        }
        link.audioBegan(format, decodedFrom: reception.decodedAudio)
    }

    func publishFigures() {
        if let reception { setup.totals.update(reception.figures) }
    }

    /// Reports a deviation. Each text is reported once.
    func note(_ text: String) {
        guard notices.count < Self.mostNotices, notices.insert(text).inserted else { return }
        setup.report("\(setup.url.label): \(text)")
    }
}
