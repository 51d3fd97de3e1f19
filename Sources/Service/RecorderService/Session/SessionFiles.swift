import CommandInterface
import Foundation
import MediaTypes
import RealTime
import RecorderStorage
import Signing

/// Begins the files of a session, with their locations, metadata and limits. Thread-safe.
struct SessionFiles: Sendable {
    let context: SessionContext
    /// The list of files that are not finalized yet.
    let unfinished: UnfinishedRecordings?
    /// The directory on the second disk; nil without a mirror. `mirrored` lists the recordings whose mirrored files may
    /// be incomplete.
    let mirror: MirrorPlace?
    let mirrored: MirroredRecordings?
    let state: Locked<SessionState>
    let wallTimes: WallTimes

    /// The directory that contains all files on the first disk; nil if the pattern contains no directories.
    var root: String? {
        let settings = state.withLock { $0.settings }
        return (try? OutputLocation.expand(settings, now: context.foundations.wallClock()))?.root
    }

    /// Returns the location of a recording's first file. With a mirror, one usable disk is enough for a service
    /// (`numbersTakenNames`), because a service cannot ask the user.
    func location(
        _ settings: RecordingConfiguration, now: Date, numbersTaken: Bool = false
    ) throws(MediaError) -> OutputLocation {
        guard let mirror else {
            return try OutputLocation.resolve(settings, now: now, numbersTaken: numbersTaken)
        }
        let unchecked = try OutputLocation.resolve(settings, now: now, numbersTaken: numbersTaken, isChecked: false)
        try unchecked.check(mirror: mirror.directory)
        var failures: [MediaError] = []
        for location in [unchecked, mirror.location(of: unchecked)] {
            do throws(MediaError) { try mirror.check(location) } catch {
                guard error.code != .outputExists else { throw error }
                failures.append(error)
            }
        }
        if let failure = failures.first, failures.count == 2 || !settings.numbersTakenNames { throw failure }
        if let failure = failures.first {
            context.log.error("\(failure); the recording starts on one disk only")
        }
        return unchecked
    }

    /// Returns a file's location, and the one of its mirrored file if there is a mirror.
    func places(of location: OutputLocation) -> [OutputLocation] {
        [location] + [mirror?.location(of: location)].compactMap(\.self)
    }

    /// Returns the wall clock at a time of the recording.
    func wallClock(at moment: MediaTime, of pipeline: LivePipeline?) -> Date {
        let now = wallTimes.now
        return Date(timeIntervalSince1970: now.wall - age(of: moment, now, pipeline))
    }

    /// Returns the seconds since a time of the recording.
    private func age(of moment: MediaTime, _ now: RecordingClock.WallTime, _ pipeline: LivePipeline?) -> Double {
        let present = MediaTime(nanoseconds: Int64(clamping: (now.at * 1e9).rounded()))
        let age = ((pipeline?.moment(of: present) ?? present) - moment).seconds
        return age * (pipeline?.timeLapse?.speed ?? 1)
    }

    /// Returns the clock of a file that begins at a time of the recording. The clock serves to align the file with
    /// other files.
    func clock(at moment: MediaTime, of pipeline: LivePipeline?) -> FileClock {
        let time = pipeline?.time(of: moment) ?? moment
        return FileClock(start: time, group: state.withLock { $0.settings.group }, wallTimes: wallTimes) { end in
            let pipeline = state.withLock { $0.pipeline }
            return (pipeline?.pauses(from: moment, at: time, to: end) ?? []).map {
                RecordingClock.Pause(time: ($0.moment - moment).seconds, duration: $0.duration.seconds)
            }
        }
    }

    /// Begins a file of the recording. Called under the dispatcher's lock, so its work is constant.
    func begin(
        _ opening: RecordingFileOpening, _ accounts: FileAccounts,
        _ events: @escaping @Sendable (RecordingFileEvent) -> Void
    ) -> any RecordingFileSink {
        let (run, pipeline, signer) = state.withLock { ($0.run, $0.pipeline, $0.signature.signer) }
        let created = wallClock(at: opening.start, of: pipeline)
        run?.opening(opening, started: created)
        var place =
            run?.place(
                of: opening.number, mirror: mirror, enter: enter, leave: leave,
                enterBoth: { mirrored?.enter($0) })
            ?? RecordingFilePlace { _ throws(MediaError) in
                throw MediaError(.invalidState, "cannot create a file", reason: "no recording is in progress")
            }
        place.reserve = { state.withLock { $0.settings.diskReserve } }
        var plan = self.plan(
            place, created: created, clock: clock(at: opening.start, of: pipeline), start: opening.start,
            hasVideo: opening.video != nil, signer)
        plan.accounts = accounts
        return context.foundations.makeFile(opening, plan, events)
    }

    /// Lists a file as unfinished, so that the next start finds it after a crash. Accesses the disk.
    @Sendable func enter(_ path: String) {
        do { try unfinished?.add(path) } catch {
            context.log.warning(
                "cannot list this recording as unfinished: \(error); after a crash run `recorder repair`")
        }
    }

    /// Lists the files that could not be listed when they began. Accesses the disk if there are such files.
    func enterMissing() {
        guard let unfinished, unfinished.isAnyMissing, let files = try? unfinished.addMissing() else { return }
        for file in files {
            context.log.notice("\(file) is listed as unfinished now; after a crash the next start repairs it")
        }
    }

    /// Removes a file from the list, because it is finalized or has nothing to repair. Accesses the disk.
    @Sendable func leave(_ path: String) {
        do { try unfinished?.remove(path) } catch {
            context.log.warning("cannot update the list of unfinished recordings: \(error)")
        }
    }

    /// Returns the plan for one file.
    ///
    /// - Parameters:
    ///   - start: The file's beginning, a time of the recording.
    ///   - signer: Signs the file; nil if it is not signed.
    func plan(
        _ place: RecordingFilePlace, created: Date, clock: FileClock, start: MediaTime, hasVideo: Bool,
        _ signer: RecordingSigner?
    ) -> RecordingFile.Plan {
        let masks: @Sendable (MediaTime?) -> [MetadataItem] = { end in
            hasVideo ? [self.masks(from: start, to: end)?.metadataItem].compactMap(\.self) : []
        }
        let timeLapse = context.configuration.timeLapse
        let lapseItems = timeLapse.map { [RecordedTimeLapse($0).metadataItem] } ?? []
        return RecordingFile.Plan(
            place: place, created: created,
            // A timecode counts frames by the time of day, which is not possible in a time-lapse.
            timecode: hasVideo && timeLapse == nil ? timecode : nil, writeLatency: context.latencies.write,
            syncLatency: context.latencies.sync,
            metadata: [
                MetadataItem(key: MetadataItem.creationDateKey, value: TimestampText.text(created)),
                MetadataItem(key: MetadataItem.softwareKey, value: RecorderVersion.text),
                MetadataItem(key: MetadataItem.titleKey, value: context.configuration.name.description),
                clock.begun.metadataItem,
            ] + masks(nil) + lapseItems,
            closingMetadata: { end in
                [clock.ended(at: end).metadataItem] + masks(end) + self.timeLapse(from: start, to: end)
            }, passingClock: { clock.passed() },
            sealing: signer?.file(begun: created))
    }

    /// Returns the capture times of a time-lapse's frames between two times of the movie; empty for other recordings.
    private func timeLapse(from start: MediaTime, to end: MediaTime) -> [MetadataItem] {
        guard let line = state.withLock({ $0.pipeline })?.lapse else { return [] }
        return [RecordedTimeLapse(line, from: start, to: end).metadataItem]
    }

    /// Returns the masks of a file between two times of the recording; nil if it has none.
    private func masks(from start: MediaTime, to end: MediaTime?) -> RecordedMasks? {
        let pipeline = state.withLock { $0.pipeline }
        let changes = context.stage.changes.map { change in
            (time: pipeline?.moment(of: change.time) ?? change.time, settings: change.settings)
        }
        return RecordedMasks(changes, from: start, to: end)
    }

    /// The format of the timecode track, which counts the time of day in the camera's frames.
    private var timecode: TimecodeFormat? {
        let interval = state.withLock { $0.tracks.frameInterval } ?? MediaTime(value: 1, timescale: 30)
        let framesPerSecond = max(1, min(255, Int(clamping: (1 / interval.seconds).rounded())))
        // At 29.97 and 59.94 frames per second, the timecode falls behind the clock unless frame numbers are skipped.
        let isNTSC =
            // in range: an integer, at most 255
            framesPerSecond % 30 == 0 && interval == MediaTime(value: 1001, timescale: Int32(framesPerSecond * 1000))
        return TimecodeFormat(frameDuration: interval, framesPerSecond: framesPerSecond, dropsFrames: isNTSC)
    }

    /// Returns the limits of files according to the current settings.
    func limits() -> PacketDispatcher.Limits {
        let (rules, largest) = state.withLock { ($0.settings.segments, $0.largestFile) }
        let clock = rules.duration == nil ? nil : SegmentClock(rules: rules)
        return PacketDispatcher.Limits(
            cut: { start, earliest in
                guard let clock else { return nil }
                let pipeline = state.withLock { $0.pipeline }
                func next(after start: MediaTime) -> MediaTime? {
                    clock.length(from: wallClock(at: start, of: pipeline)).map { length in
                        start + (pipeline?.timeLapse?.played(length) ?? length)
                    }
                }
                guard let end = next(after: start), end < earliest else { return next(after: start) }
                // The file is already longer than a new rule allows, so it ends at the next time that the rule permits.
                return rules.isAligned ? next(after: earliest) : earliest
            }, size: rules.size, largest: largest)
    }
}
