import Foundation
import Glibc
import RealTime
import TestSupport
import Testing

/// A recorder in the lab with a camera and a microphone that capture claps, and every fault that can affect it.
final class FaultBench {
    static let frameRate = 30
    static let clapLength = 0.15

    let disk: LabDisk
    /// The disk with the recorder's lists.
    let stateDisk: LabDisk
    /// The disk of the mirror; nil if there is none.
    let mirrorDisk: LabDisk?
    private(set) var recorder: LabRecorder
    /// The time of the current process's first sample.
    private(set) var lastStart = 0.0
    /// The number of processes that ended because the disk was full.
    private(set) var fullDisks = 0
    /// The effects of the faults on the files.
    var account = FaultAccount()
    private var claps: LabCommand?
    private let started = MonotonicClock().nanoseconds
    private var configuration: String { disk.place.path("lab.yaml") }
    private var segmentSeconds = firstSegmentSeconds
    private static let firstSegmentSeconds = 120
    /// The parent of the directory that the pattern of names creates.
    var recordings: String { disk.mount + "/rec" }

    /// - Parameter megabytes: size of the disk.
    init(megabytes: Int) throws {
        disk = try LabDisk(size: megabytes, backing: megabytes + 16)
        stateDisk = try LabDisk(size: 8, backing: 12)
        let isMirrored = ProcessInfo.processInfo.environment["RECORDER_SOAK_MIRROR"] != nil
        mirrorDisk = isMirrored ? try LabDisk(size: megabytes, backing: megabytes + 16) : nil
        for disk in [disk] + [mirrorDisk].compactMap(\.self) {
            try FileManager.default.createDirectory(atPath: disk.mount + "/rec", withIntermediateDirectories: false)
        }
        try Self.write(Self.firstSegmentSeconds, to: disk.place.path("lab.yaml"))
        recorder = try Self.start(disk, stateDisk, mirrorDisk)
        lastStart = now
        clap()
    }

    private static func start(_ disk: LabDisk, _ state: LabDisk, _ mirror: LabDisk?) throws -> LabRecorder {
        let recorder = LabRecorder(
            [
                "--config", disk.place.path("lab.yaml"), "--camera", "/dev/video0", "--microphone", "hw:Loopback,1,0",
                "--size",
                "320x180", "--frame-rate", "\(frameRate)", "--pixel-format", "yuyv", "--preset", "ultrafast",
                "--reserve", "16M", "--keep-for", "30d", "--output", Self.pattern(disk),
            ] + (mirror.map { ["--mirror", $0.mount + "/rec"] } ?? []), in: disk.place, state: state.mount)
        try #require(recorder.waitsForStart(), "\(recorder.messages)")
        return recorder
    }

    static func pattern(_ disk: LabDisk) -> String { "\(disk.mount)/rec/%Y/%H-%M-%S.mov" }

    private static func write(_ segmentSeconds: Int, to path: String) throws {
        try "segment: \(segmentSeconds)s\n".write(toFile: path, atomically: true, encoding: .utf8)
    }

    /// Ends all programs and restores the devices.
    func close() {
        claps?.end()
        recorder.signal(SIGCONT)
        recorder.process.end()
        _ = LabCommand.run(Self.setRate(0))
        stateDisk.remove()
        mirrorDisk?.remove()
        disk.remove()
    }

    // MARK: Time

    /// Seconds since the recorder was first started.
    var now: Double { Double(MonotonicClock().nanoseconds - started) / 1e9 }

    func sleep(until moment: Double) {
        let end = started + Int64(moment * 1e9)
        var time = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }

    func sleep(_ seconds: Double) { sleep(until: now + seconds) }

    // MARK: Claps

    /// Starts claps, one every 42 frames.
    private func clap() {
        claps?.end()
        let length = Int(Self.clapLength * 1000)
        claps = LabCommand("exec lab-clap /dev/video0 hw:Loopback,0,0 1.4 100000 \(length)")
    }

    // MARK: Faults

    func carryOut(_ fault: Fault) throws {
        switch fault {
        case .cameraUnplugged(let seconds): try unplug("vivid", "/dev/video0", seconds)
        case .microphoneUnplugged(let seconds): try unplug("snd_aloop", "/dev/snd/pcmC0D1c", seconds)
        case .cameraDisconnected:
            try control("disconnect=1")
            // The camera returns when its last user closes it; the recorder closes it by itself.
            claps?.end()
            let isBack = eventually {
                LabCommand.run("v4l2-ctl -d /dev/video0 -c osd_text_mode=2") == 0
            }
            try #require(isBack, "vivid is not connected again")
            clap()
        case .buffersDropped(let percent, let seconds):
            try control("percentage_of_dropped_buffers=\(percent)")
            sleep(seconds)
            try control("percentage_of_dropped_buffers=0")
        case .bufferCorrupt: try control("inject_v4l2_buf_flag_error=1")
        case .streamError: try control("inject_fatal_streaming_error=1")
        case .rateShift(let partsPerMillion): try #require(LabCommand.run(Self.setRate(partsPerMillion)) == 0)
        case .processStopped(let seconds):
            recorder.signal(SIGSTOP)
            sleep(seconds)
            recorder.signal(SIGCONT)
        case .diskFull(let leaving): try fillDisk(leaving: leaving)
        case .hangUp(let segmentSeconds): try reload(segmentSeconds)
        case .fileDeleted: try deleteGrowingFile()
        case .fileMoved: try moveGrowingFile()
        case .directoryRenamed: try renameDirectory()
        case .directoryRemoved: try removeDirectory()
        case .clockAtEpoch(let seconds): try setClockBack(for: seconds)
        case .secondRecorder(let seconds): try runSecondRecorder(for: seconds)
        case .stateDiskFull(let seconds): try fillStateDisk(for: seconds)
        case .split: #expect(try recorder.post("split") == 200, "\(lastMessages)")
        case .pause(let seconds):
            #expect(try recorder.post("pause") == 200, "\(lastMessages)")
            sleep(seconds)
            #expect(try recorder.post("resume") == 200, "\(lastMessages)")
        }
    }

    private func control(_ assignment: String) throws {
        try #require(LabCommand.run("v4l2-ctl -d /dev/video0 -c \(assignment)") == 0, "\(assignment)")
    }

    private static func setRate(_ partsPerMillion: Int) -> String {
        let control = "iface=PCM,name='PCM Rate Shift 100000',device=1"
        return "amixer -q -c Loopback cset \"\(control)\" \(100_000 + partsPerMillion / 10)"
    }

    private func unplug(_ driver: String, _ node: String, _ seconds: Double) throws {
        let place = "/sys/bus/platform/drivers/\(driver)"
        // The unbinding returns when no program has the device open.
        let unbind = LabCommand("echo \(driver).0 > \(place)/unbind")
        sleep(seconds)
        claps?.end()
        let isUnplugged = eventually { unbind.isOver() }
        try #require(isUnplugged, "a program still holds \(driver): \(lastMessages)")
        try #require(LabCommand.run("echo \(driver).0 > \(place)/bind") == 0)
        try #require(eventually { access(node, R_OK | W_OK) == 0 }, "\(node) does not come back")
        clap()
    }

    private func fillDisk(leaving: Int) throws {
        try disk.fill(leaving: leaving)
        guard mirrorDisk == nil else { return try makeRoomForCopy() }
        let isOver = eventually(within: 60) { recorder.process.isOver() }
        try #require(isOver, "the disk is full and the recording continues: \(lastMessages)")
        #expect(recorder.process.wait() == 74, "\(lastMessages)")
        fullDisks += 1
        disk.makeRoom()
        recorder = try Self.start(disk, stateDisk, mirrorDisk)
        lastStart = now
    }

    /// Frees space. The recording continued on the mirror, and the first disk's files are completed afterwards.
    private func makeRoomForCopy() throws {
        func waits(for states: [String]) -> Bool {
            for _ in 0..<60 {
                if let state = recorder.status?.mirror?.first?.state, states.contains(state) { return true }
                sleep(1)
            }
            return false
        }
        #expect(waits(for: ["full"]), "the disk is full and it is not reported: \(lastMessages)")
        disk.makeRoom()
        #expect(waits(for: ["complete"]), "there is room again and it is not used: \(lastMessages)")
        #expect(!recorder.process.isOver(), "\(lastMessages)")
    }

    /// Reloads the configuration. An unchanged one is reported as such.
    private func reload(_ seconds: Int) throws {
        let answer = seconds == segmentSeconds ? "no changes" : "segment"
        func answers() -> Int { recorder.messages.components(separatedBy: answer).count }
        let before = answers()
        try Self.write(seconds, to: configuration)
        segmentSeconds = seconds
        recorder.signal(SIGHUP)
        #expect(eventually { answers() > before }, "no \"\(answer)\": \(lastMessages)")
    }

    /// The last messages, for a failure.
    var lastMessages: String { recorder.messages.split(separator: "\n").suffix(12).joined(separator: "\n") }
}
