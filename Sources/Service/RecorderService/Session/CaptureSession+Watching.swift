import CommandInterface
import Foundation
import MediaTypes
import RealTime
import RecorderStorage

/// Checks that depend on the clock: a disk that fills, an encoder that lags, devices that send no samples.
extension CaptureSession {
    /// The interval between two checks. It is long in a steady recording, because each check wakes threads and little
    /// changes. It is short at the beginning and the end of a recording, so that a device that hangs is noticed soon.
    var tickInterval: Duration {
        pipeline?.isSteady == true && progress.end.deadline == nil ? .milliseconds(500) : .milliseconds(100)
    }

    func tick() {
        guard let pipeline, let dispatcher else { return }
        let now = clock.nanoseconds
        pipeline.tick(now: MediaTime(nanoseconds: now))
        files.wallTimes.tick(at: now)
        lookAtMemory(dispatcher, pipeline, now)
        lookAtActivity(dispatcher)
        pipeline.subStream?.tick(at: now)
        pipeline.rest(unless: currentRun != nil || feed.watcherCount > 0)
        let age = now - devices.startedAt
        if configuration.isArmedOnce, currentRun == nil, age > Self.beginPatience, quit.current == nil {
            log.error("no request to record came within a minute; ending")
            quit.set(now)
        }
        lookAtDamage(pipeline, now)
        guard let run = currentRun else { return }
        let bytes = run.bytes(dispatcher.files)
        state.disk.record(bytes: bytes, at: now)
        if !configuration.isArmed, age > startPatience.nanoseconds, run.failure == nil,
            pipeline.start == nil || damage.rejection != nil && !run.hasSample
        {
            stop(RecordingFailure(.devices, damage.rejection ?? devices.silence(after: startPatience)))
        }
        if progress.end.isOverdue(at: now) { dispatcher.endNow() }
        if disks.beginLook(at: now) { lookAtDisk(run) }
        if disks.isTidyDue(at: now) {
            tidy(run)
            if disks.beginCompletion() {
                Task {
                    await completeMirrored()
                    disks.endCompletion()
                }
            }
        }
        if let video = pipeline.video { lookAtLoad(video, dispatcher, pipeline, now) }
        if let audio = pipeline.audio, audio.silencedValues > 0, !progress.hasInvalidAudio {
            progress.hasInvalidAudio = true
            warn(Self.invalidAudio)
        }
    }

    private static let invalidAudio = MediaError(
        .invalidSample, "the microphone delivers invalid audio",
        reason: "some values are not numbers, or far too loud; they become silence", wayOut: "connect it again")

    /// Rejects the camera if none of its frames can be recorded, because it may be out of step with its stream.
    private func lookAtDamage(_ pipeline: LivePipeline, _ now: Int64) {
        guard let camera = devices.camera else { return }
        let isPresent = pipeline.awayFor(.video) == nil
        let damaged = isPresent ? context.stage.damage ?? pipeline.video?.damage : nil
        guard let error = damage.look(damaged, at: now) else { return }
        camera.reject(damage.reject(camera.summary, error)) { $0.isDecodable }
    }

    /// Reports the beginning and the end of activity in the log and to the user's hooks. An armed process reports them
    /// even while it does not record.
    private func lookAtActivity(_ dispatcher: PacketDispatcher) {
        let (rules, file) = (settings.activity, activeFile)
        for second in dispatcher.activity(after: activity.last) {
            switch activity.look(at: second, threshold: rules.threshold, hold: rules.hold.ticks(in: 1, rounding: .up)) {
            case .began(let value):
                let fields = LoggedEvent.hook(.activity).fields(file: file, activity: value)
                log.info("activity \(value)", metadata: fields)
                hooks?.run(.activity, HookInfo(file: file, activity: value))
            case .ended:
                let fields = LoggedEvent.hook(.activityEnd).fields(file: file)
                log.info("no activity for \(DurationText.text(rules.hold))", metadata: fields)
                hooks?.run(.activityEnd, HookInfo(file: file))
            case nil: break
            }
        }
    }

    /// The file that is being written; nil without a recording.
    private var activeFile: String? { currentRun.flatMap { $0.hasSample ? $0.location.path : nil } }

    /// Queries the free space in a separate task. If the file system hangs, `stop` and `split` still work.
    private func lookAtDisk(_ run: RecordingRun) {
        Task {
            if files.unfinished?.isAnyMissing == true {
                let files = files
                await blockingCall("enter-missing") { files.enterMissing() }
            }
            await judgeDisk(run)
            disks.endLook()
        }
    }

    private func judgeDisk(_ run: RecordingRun) async {
        let places = files.places(of: run.location)
        var verdicts: [DiskWatch.Verdict] = []
        for (index, place) in places.enumerated() {
            let free = await freeSpace(place.directory)
            guard currentRun === run else { return }
            verdicts.append(disks.judge(index, free: free, reserve: settings.diskReserve))
            if case .low(let free) = verdicts[index] {
                log.warning(
                    "the disk of \(place.directory) is almost full: \(NumberText.bytes(free)) left",
                    metadata: LoggedEvent.hook(.diskLow).fields(file: place.path, free: free))
                hooks?.run(.diskLow, HookInfo(file: place.path, free: free))
            }
        }
        guard verdicts.contains(where: { $0 != .enough }) else { return }
        // Retention may be able to free space.
        if catalogues.isKept { await applyRules(run) }
        var left: [Int64?] = []
        for place in places { left.append(await freeSpace(place.directory)) }
        guard currentRun === run, !hasSpaceToContinue(run, free: left) else { return }
        for (index, place) in places.enumerated() {
            let verdict = disks.judge(index, free: left[index], reserve: settings.diskReserve)
            guard case .full(let free) = verdict else { continue }
            return stop(RecordingFailure(.recording, disks.fullness(free, in: place.directory)))
        }
    }

    private func freeSpace(_ directory: String) async -> Int64? {
        let look = foundations.freeSpace
        return await blockingCall("free-space") { look(directory) }
    }

    private func lookAtLoad(_ video: LiveTrack, _ dispatcher: PacketDispatcher, _ pipeline: LivePipeline, _ now: Int64)
    {
        switch progress.overload.news(video.effort, at: now) {
        case .eased(let effort):
            log.notice(
                "\(video.queueDepth) frames wait for the encoder; effort reduced (\(effort.summary)) to avoid drops")
        case .full: log.notice("the encoder keeps up again, at full effort")
        case nil: break
        }
        if let reason = progress.overload.takeCopyReason(video.copyReason) { log.notice("\(reason)") }
        let losses = video.encoderLosses
        progress.overload.recordLost(losses.count)
        guard progress.overload.isNew(video.ledger[dropped: .encoder], at: now) else { return }
        let fault = progress.overload.takeLoss() ? losses.fault : nil
        warn(settings.encoder == .x264 ? Self.overload : Self.loss(fault))
        guard settings.overload == .stepDown, let preset = plan.stepDown() else { return }
        let moment = dispatcher.nextCut ?? pipeline.moment(of: MediaTime(nanoseconds: now))
        log.notice("from the next file on, the encoder uses the preset \(preset)")
        video.renewEncoder(at: moment)
    }

    private static let overload = MediaError(
        .busy, "the encoder could not keep up with the camera", reason: "frames were dropped",
        wayOut: "choose a faster --preset, a smaller --size or a lower --frame-rate")

    /// Returns the error for frames that a hardware encoder dropped.
    ///
    /// - Parameter fault: The failure after which the encoder was started again; nil if the encoder was only too slow.
    private static func loss(_ fault: MediaError?) -> MediaError {
        guard let fault else {
            return MediaError(
                .busy, "the hardware encoder could not keep up with the camera", reason: "frames were dropped",
                wayOut: "choose a smaller --size or a lower --frame-rate")
        }
        return MediaError(
            .codecFailure, "the hardware encoder was started again, and dropped frames", reason: fault.reason,
            underlying: fault.underlying, wayOut: "`recorder doctor --report` tests the encoder")
    }

    /// Returns memory that was needed only for a past peak to the system. Does so only while the load is low, on a
    /// separate thread.
    private func lookAtMemory(_ dispatcher: PacketDispatcher, _ pipeline: LivePipeline, _ now: Int64) {
        let depth = pipeline.video?.queueDepth ?? 0
        let isCalm = depth <= MemoryWatch.calmDepth && dispatcher.backlog <= MemoryWatch.calmBacklog
        guard memory.begin(at: now, isCalm: isCalm) else { return }
        Task {
            let returning = foundations.memory
            let resident = await blockingCall("give-memory-back") {
                returning.deallocateUnused()
                return returning.resident()
            }
            if let resident, memory.hasGrown(to: resident) {
                let left = await blockingCall("trim-heaps") {
                    returning.trimHeaps()
                    return returning.resident() ?? resident
                }
                memory.recordTrimmed(to: left)
                log.debug("returned \(NumberText.bytes(Int64(max(0, resident - left)))) of memory to the system")
            }
            memory.end()
        }
    }
}
