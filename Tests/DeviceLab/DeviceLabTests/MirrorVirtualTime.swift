import Foundation
import Glibc
import RealTime
import TestSupport
import Testing

/// Two real file systems under a recording; one after the other is disabled and restored.
@Suite(.serialized) struct MirrorVirtualTime {
    /// The number of times that a disk is disabled: an hour in `scripts/soak mirror`, a few minutes otherwise.
    private static let takes = ProcessInfo.processInfo.environment["RECORDER_SOAK_TAKES"].flatMap { Int($0) } ?? 2
    private static let interval = ProcessInfo.processInfo.environment["RECORDER_SOAK_TAKES"] == nil ? 30.0 : 360.0

    @Test func mirror_disksRemovedInTurn_keepsEveryFrame() throws {
        let seed = ProcessInfo.processInfo.environment["RECORDER_SOAK_SEED"].flatMap { UInt64($0) } ?? 1
        var random = SeededRandom(seed: seed)
        print("seed \(seed): \(Self.takes) takes")
        let size = Self.takes > 2 ? 400 : 100
        let disks = try (0..<2).map { _ in try LabDisk(size: size, backing: size + 16) }
        defer { for disk in disks { disk.remove() } }
        for disk in disks {
            try FileManager.default.createDirectory(atPath: disk.mount + "/rec", withIntermediateDirectories: false)
        }
        let recorder = LabRecorder(
            [
                "--camera", "test", "--microphone", "test", "--size", "320x180", "--frame-rate", "25", "--preset",
                "ultrafast",
                "--reserve", "8M", "--segment", "2m", "--output", disks[0].mount + "/rec/%H-%M-%S.mov", "--mirror",
                disks[1].mount + "/rec",
            ], in: disks[0].place)
        defer { recorder.process.end() }
        try #require(recorder.waitsForStart(), "\(recorder.messages)")
        for _ in 0..<Self.takes {
            sleep(Double.random(in: 0.6...1, using: &random) * Self.interval)
            let index = Int.random(in: 0...1, using: &random)
            let away = Double.random(in: 0.02...0.3, using: &random) * Self.interval
            print("  disk \(index + 1) is away for \(Int(away)) s")
            try disks[index].take()
            let isLost = becomes(within: 20) { recorder.status?.mirror?[index].state == "lost" }
            #expect(isLost, "\(String(describing: recorder.status?.mirror)) \(recorder.messages)")
            sleep(away)
            try disks[index].putBack()
            let isBack = becomes(within: 60) {
                recorder.status?.mirror?.allSatisfy { $0.state == "complete" } == true
            }
            #expect(isBack, "\(String(describing: recorder.status?.mirror)) \(recorder.messages)")
            #expect(!recorder.process.isOver())
        }
        let end = try #require(try recorder.stop(), "\(recorder.messages)")
        #expect(recorder.process.wait() == 0, "\(recorder.messages)")
        for account in RecorderAccount.all(in: recorder.messages) {
            #expect(account.isExact(frameRate: 30), "\(account.line)")
        }
        #expect(end.video?.droppedInAll == 0 && end.audio?.droppedInAll == 0, "\(end)")
        let repair = try Program.run(
            Program.recorder, ["mirror", "repair", disks[0].mount + "/rec", disks[1].mount + "/rec"])
        #expect(repair.status == 0, "\(repair.errors)")
        try judge(disks, frames: end.video?.written ?? 0)
    }

    /// Expects the same finalized files on both disks, with every frame.
    private func judge(_ disks: [LabDisk], frames: Int64) throws {
        let names = try disks.map { try FileManager.default.contentsOfDirectory(atPath: $0.mount + "/rec").sorted() }
        #expect(names[0] == names[1])
        var found: Int64 = 0
        for name in names[0] {
            #expect(name.hasSuffix(".mov") && !name.contains(".recording."), "\(name)")
            let files = disks.map { "\($0.mount)/rec/\(name)" }
            #expect(LabCommand.run("cmp \(files[0]) \(files[1])") == 0, "\(name) differs")
            let movie = MovieMeasure(url: URL(fileURLWithPath: files[1]))
            let complaints = try movie.decodingErrors()
            #expect(complaints == "", "\(name): \(complaints)")
            found += try Int64(movie.shownPackets("v"))
        }
        #expect(found == frames)
        print("  \(names[0].count) files, \(found) frames on both disks")
    }

    /// Checks once a second: each check starts a program, which needs no virtual time and much real time.
    private func becomes(within seconds: Int, _ condition: () -> Bool) -> Bool {
        for _ in 0..<seconds {
            if condition() { return true }
            sleep(1)
        }
        return condition()
    }

    private func sleep(_ seconds: Double) {
        let end = MonotonicClock().nanoseconds + Int64(seconds * 1e9)
        var time = timespec(tv_sec: Int(end / 1_000_000_000), tv_nsec: Int(end % 1_000_000_000))
        while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
    }
}
