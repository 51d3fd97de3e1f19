import Glibc
import MediaTypes
import RTSP
import RealTime

/// Carries out the decisions of the session with the camera: its requests, its streams and its end.
extension CameraConnection {
    /// Carries out actions, and delivers the samples that result.
    func perform(_ actions: [SessionAction]) {
        carryOut(actions)
        deliver()
    }

    /// Carries out actions. The samples that result wait for the next call of `deliver`.
    func carryOut(_ first: [SessionAction]) {
        var actions = first
        var index = 0
        while index < actions.count, !isOver {
            switch actions[index] {
            case .connect(let url):
                // If the camera redirects a session that plays, the receivers already have the formats of that session.
                // The camera then has to be opened again.
                deliver()
                if isOpen { fail(lost("it moved the session to another URL")) } else { actions += connect(to: url) }
            case .send(let bytes):
                if let failure = socket?.send(bytes) {
                    actions += session.disconnected(lost(failure), at: clock.nanoseconds)
                }
            case .disconnect: socket = nil
            case .packet(let stream, let isControl, let bytes): receive(bytes, stream: stream, isControl: isControl)
            case .event(let event): take(event)
            }
            index += 1
        }
    }

    private func take(_ event: SessionEvent) {
        switch event {
        case .described(let description):
            for complaint in description.complaints { note("the camera's description: \(complaint)") }
        case .ready(let streams): begin(streams)
        case .playing(let beginnings):
            playedAt = clock.nanoseconds
            reception?.begin(at: beginnings)
        case .notice(let text): note(text)
        case .ended(let error):
            // Packets from the same read came before the end.
            deliver()
            self.error = error
            isOver = true
        }
    }

    private func begin(_ streams: [SessionStream]) {
        playedAt = nil
        self.streams = streams
        datagrams.begin(streams, resolver)
        samples.begin()
        publishFigures()
        setup.totals.endConnection()
        reception = nil
        do throws(MediaError) {
            reception = try CameraReception(
                streams, mostDelay: datagrams.isUsed ? setup.reorderDelay : 0,
                source: UInt32.random(in: 1...UInt32.max), keepsOpus: setup.keepsOpus,
                keyframeInterval: setup.totals.figures?.video?.keyframeInterval)
        } catch {
            return fail(error)
        }
        nextReport = clock.nanoseconds + Self.reportInterval
        guard datagrams.isUsed else { return }
        datagrams.openPaths(to: socket?.address)
        sendReports(clock.nanoseconds)
    }

    /// Ends the session for a reason that only this side knows.
    func fail(_ error: MediaError) {
        let actions = session.stop(at: clock.nanoseconds)
        for case .send(let bytes) in actions { _ = socket?.send(bytes) }
        self.error = error
        isOver = true
    }

    func lost(_ reason: String) -> MediaError {
        MediaError(.deviceLost, "lost the camera \(setup.url.label)", reason: reason)
    }

    func lost(_ failure: StreamFailure) -> MediaError {
        MediaError(
            .deviceLost, "lost the camera \(setup.url.label)", reason: failure.reason, underlying: failure.underlying)
    }

    /// Sends TEARDOWN, and waits briefly until the camera has read it. Some cameras keep a session that ends without
    /// it.
    func sayGoodbye() {
        let actions = session.stop(at: clock.nanoseconds)
        for case .send(let bytes) in actions { _ = socket?.send(bytes) }
        guard let socket, !actions.isEmpty else { return }
        socket.endSending()
        let end = clock.nanoseconds + Self.goodbyePatience
        while clock.nanoseconds < end {
            var waits = [pollfd(fd: socket.descriptor, events: Int16(POLLIN), revents: 0)]
            guard poll(&waits, 1, PollTimeout.milliseconds(until: end, now: clock.nanoseconds)) > 0 else { continue }
            switch socket.receive(into: &buffer) {
            case .bytes, .nothing: break
            case .end, .failed: return
            }
        }
    }

    /// Connects, and returns the actions that follow.
    private func connect(to url: RTSPURL) -> [SessionAction] {
        do throws(MediaError) {
            guard let connected = try opening.open(url) else {
                (isStopped, isOver) = (true, true)
                return []
            }
            socket = connected
            return session.connected(at: clock.nanoseconds)
        } catch {
            return session.disconnected(error, at: clock.nanoseconds)
        }
    }
}
