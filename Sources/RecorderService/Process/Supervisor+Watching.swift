import Foundation
import MediaTypes
import RealTime

/// What only the clock shows: a disk that fills, an encoder that falls behind, devices that say nothing.
extension Supervisor {
    /// While a recording just goes on there is little to see, and every look wakes threads; where something begins or ends
    /// a device that hangs must not cost much.
    var tickInterval: Duration {
        pipeline?.isSteady == true && endDeadline == nil ? .milliseconds(500) : .milliseconds(100)
    }

    func tick() {
        guard let pipeline, let hub else { return }
        let now = process.clock.nanoseconds
        pipeline.tick(now: MediaTime(nanoseconds: now))
        guard let run = currentRun else { return }
        let bytes = run.bytes(hub.files)
        process.facts.withLock { $0.disk.note(bytes: bytes, at: now) }
        if !configuration.isArmed, pipeline.start == nil, now - begun > Self.startPatience, run.failure == nil {
            stop(RecordingFailure(.devices, silence()))
        }
        if let endDeadline, now >= endDeadline, !hasHubEnded {
            self.endDeadline = nil
            hub.endNow()
        }
        if !isLookingAtDisk, watch.isDue(at: now) { lookAtDisk(run) }
        if now - lastTidied > Self.tidyInterval {
            lastTidied = now
            Task { await tidy(run) }
        }
        if let video = pipeline.video { lookAtLoad(video, hub, pipeline, now) }
    }

    /// Asks the file system beside everything else: one that hangs holds up no stop and no split.
    private func lookAtDisk(_ run: RecordingRun) {
        isLookingAtDisk = true
        Task {
            await judgeDisk(run)
            isLookingAtDisk = false
        }
    }

    private func judgeDisk(_ run: RecordingRun) async {
        let directory = run.location.directory
        let free = await freeSpace(directory)
        guard currentRun === run else { return }
        watch.reserve = process.settings.diskReserve
        switch watch.look(free: free) {
        case .enough: break
        case .low(let free):
            process.log.warning("the disk is getting full: \(NumberText.bytes(free)) left")
            process.hooks?.run(.diskLow, HookFacts(file: run.location.path, free: free))
            await tidy(run)
        case .full:
            // Perhaps old recordings may go.
            await tidy(run)
            let left = await freeSpace(directory)
            guard currentRun === run, case .full(let free) = watch.look(free: left) else { return }
            stop(RecordingFailure(.recording, watch.fullness(free, in: directory)))
        }
    }

    private func freeSpace(_ directory: String) async -> Int64? {
        let look = process.foundations.freeSpace
        return await blockingCall("free-space") { look(directory) }
    }

    private func lookAtLoad(_ video: LiveTrack, _ hub: PacketHub, _ pipeline: LivePipeline, _ now: Int64) {
        switch overload.news(video.effort, at: now) {
        case .eased(let effort):
            process.log.notice(
                "\(video.queueDepth) pictures wait for the encoder: \(effort.summary), so that none is dropped")
        case .full: process.log.notice("the encoder keeps up again, with everything it was set to")
        case nil: break
        }
        guard overload.isNew(video.ledger[dropped: .encoder], at: now) else { return }
        process.warn(
            MediaError(
                .busy, "the encoder could not keep up with the camera", reason: "pictures were dropped",
                wayOut: "a faster --preset, a smaller --size or a lower --frame-rate"))
        guard process.settings.overload == .stepDown, let preset = plan.stepDown() else { return }
        let moment = hub.nextCut ?? pipeline.moment(of: MediaTime(nanoseconds: now))
        process.log.notice("from the next file on x264 works with the preset \(preset)")
        video.renewEncoder(at: moment)
    }

    private func silence() -> MediaError {
        let name = (devices.camera ?? devices.microphone)?.summary ?? "the device"
        return MediaError(
            .deviceLost, "cannot record \(name)", reason: "it delivered nothing within 15 s",
            wayOut: "unplug it and plug it in again, or choose another one from `recorder devices`")
    }
}
