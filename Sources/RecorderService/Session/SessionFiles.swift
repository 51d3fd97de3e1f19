import CommandInterface
import Foundation
import Logging
import MediaTypes
import RealTime
import Signing

/// Begins the files of a session: where they are, what they say about themselves, and when they end. Any thread.
struct SessionFiles: Sendable {
    let name: RecordingName
    let foundations: SessionFoundations
    let latencies: SessionLatencies
    /// Where files are entered until they are whole.
    let unfinished: UnfinishedRecordings?
    /// Where the second copies go, and which recordings have some that are not whole; nil: there is one copy.
    let mirror: MirrorPlace?
    let mirrored: MirroredRecordings?
    let log: Logger
    let state: Locked<SessionState>
    let wallTimes: WallTimes

    /// The directory that all first copies are below, where the pattern names some.
    var root: String? {
        let settings = state.withLock { $0.settings }
        return (try? OutputLocation.expand(settings, now: foundations.wallClock()))?.root
    }

    /// The wall clock at a moment of the recording.
    func wallClock(at moment: MediaTime, of pipeline: LivePipeline?) -> Date {
        let now = wallTimes.now
        return Date(timeIntervalSince1970: now.wall - age(of: moment, now, pipeline))
    }

    /// How long ago a moment of the recording was.
    private func age(of moment: MediaTime, _ now: RecordingClock.WallTime, _ pipeline: LivePipeline?) -> Double {
        let present = MediaTime(nanoseconds: Int64(clamping: (now.at * 1e9).rounded()))
        return ((pipeline?.moment(of: present) ?? present) - moment).seconds
    }

    /// What relates a file that begins at a moment of the recording to others.
    func clock(at moment: MediaTime, of pipeline: LivePipeline?) -> FileClock {
        let time = pipeline?.time(of: moment) ?? moment
        return FileClock(start: time, group: state.withLock { $0.settings.group }, wallTimes: wallTimes) { end in
            let pipeline = state.withLock { $0.pipeline }
            return (pipeline?.pauses(from: moment, at: time, to: end) ?? []).map {
                RecordingClock.Pause(time: ($0.moment - moment).seconds, duration: $0.duration.seconds)
            }
        }
    }

    /// Begins a file of the recording. Called under the dispatcher's lock: constant work.
    func begin(
        _ opening: RecordingFileOpening, _ events: @escaping @Sendable (RecordingFileEvent) -> Void
    ) -> any RecordingFileSink {
        let (run, pipeline, signer) = state.withLock { ($0.run, $0.pipeline, $0.signer) }
        let created = wallClock(at: opening.start, of: pipeline)
        run?.opening(opening, started: created)
        var place =
            run?.place(
                of: opening.number, mirror: mirror, enter: enter, leave: leave,
                enterBoth: { mirrored?.enter($0) })
            ?? RecordingFilePlace { _ throws(MediaError) in
                throw MediaError(.invalidState, "cannot begin a file", reason: "there is no recording")
            }
        place.reserve = { state.withLock { $0.settings.diskReserve } }
        return foundations.makeFile(
            opening,
            plan(
                place, created: created, clock: clock(at: opening.start, of: pipeline), hasVideo: opening.video != nil,
                signer), events)
    }

    /// From here on a crash leaves something that the next start must find. Touches the disk.
    @Sendable func enter(_ path: String) {
        do { try unfinished?.add(path) } catch {
            log.warning(
                "for now a crash would leave this recording to be repaired by hand: \(error.localizedDescription)")
        }
    }

    /// What could not be entered when it began. Touches the disk when there is something.
    func enterMissing() {
        guard let unfinished, unfinished.isAnyMissing, let files = try? unfinished.addMissing() else { return }
        for file in files { log.notice("after a crash the next start makes \(file) whole, as it should") }
    }

    /// It is whole, or nothing of it is worth a repair. Touches the disk.
    @Sendable func leave(_ path: String) {
        do { try unfinished?.remove(path) } catch {
            log.warning("cannot update the list of unfinished recordings: \(error.localizedDescription)")
        }
    }

    /// - Parameter signer: signs it; nil: nobody does.
    func plan(
        _ place: RecordingFilePlace, created: Date, clock: FileClock, hasVideo: Bool, _ signer: RecordingSigner?
    ) -> RecordingFile.Plan {
        RecordingFile.Plan(
            place: place, created: created,
            timecode: hasVideo ? timecode : nil, writeLatency: latencies.write, syncLatency: latencies.sync,
            metadata: [
                MetadataItem(key: MetadataItem.creationDateKey, value: TimestampText.text(created)),
                MetadataItem(key: MetadataItem.softwareKey, value: RecorderVersion.text),
                MetadataItem(key: MetadataItem.titleKey, value: name.description),
                clock.begun.metadataItem,
            ],
            closingMetadata: { [clock.ended(at: $0).metadataItem] }, passingClock: { clock.passed() },
            sealing: signer?.file(begun: created))
    }

    /// The time of day, counted in the camera's frames.
    private var timecode: TimecodeFormat? {
        let interval = state.withLock { $0.frameInterval } ?? MediaTime(value: 1, timescale: 30)
        let framesPerSecond = max(1, min(255, Int(clamping: (1 / interval.seconds).rounded())))
        // 29.97 and 59.94 frames a second fall behind the clock unless numbers are left out.
        let isNTSC =
            // in range: an integer, at most 255
            framesPerSecond % 30 == 0 && interval == MediaTime(value: 1001, timescale: Int32(framesPerSecond * 1000))
        return TimecodeFormat(frameDuration: interval, framesPerSecond: framesPerSecond, dropsFrames: isNTSC)
    }

    /// Where files end, by the settings of this moment.
    func limits() -> PacketDispatcher.Limits {
        let (rules, largest) = state.withLock { ($0.settings.segments, $0.largestFile) }
        // Only where it is asked for: the calendar's first use costs milliseconds and megabytes.
        let clock = rules.duration == nil ? nil : SegmentClock(rules: rules)
        return PacketDispatcher.Limits(
            cut: { start, earliest in
                guard let clock else { return nil }
                let pipeline = state.withLock { $0.pipeline }
                func next(after start: MediaTime) -> MediaTime? {
                    clock.length(from: wallClock(at: start, of: pipeline)).map { start + $0 }
                }
                guard let end = next(after: start), end < earliest else { return next(after: start) }
                // Longer already than the rule allows, which is new: the next moment that it names.
                return rules.isAligned ? next(after: earliest) : earliest
            }, size: rules.size, largest: largest)
    }
}
