import Foundation
import MediaTypes
import TestSupport
import Testing

/// A recording with a fault every twenty seconds, and the judgement of all its files.
struct FaultSoak {
    let schedule: FaultSchedule
    let seconds: Double
    /// The number of claps at the end of a file that are measured; their median counts. In real time, the host may be
    /// busy during one of them.
    let claps: Int

    /// The maximum offset between flash and click, in addition to the frame that the camera needs to see the flash.
    static let tolerance = 0.020
    /// The seconds from which a file must contain a clap, whatever the faults.
    private static let longEnough = 15.0

    /// - Parameters:
    ///   - seed: used unless `RECORDER_SOAK_SEED` is set.
    ///   - minutes: used unless `RECORDER_SOAK_MINUTES` is set.
    ///   - claps: number of measured claps per file.
    init(seed: UInt64, minutes: Double, claps: Int) {
        let environment = ProcessInfo.processInfo.environment
        seconds = 60 * (environment["RECORDER_SOAK_MINUTES"].flatMap { Double($0) } ?? minutes)
        schedule = FaultSchedule(
            seed: environment["RECORDER_SOAK_SEED"].flatMap { UInt64($0) } ?? seed, seconds: seconds)
        self.claps = claps
    }

    /// Makes a soak of chosen faults.
    init(_ faults: [Fault], claps: Int) {
        schedule = FaultSchedule(faults)
        seconds = schedule.end
        self.claps = claps
    }

    /// The seeds that together cover every kind of fault in `ordinaryMinutes` each.
    static let ordinarySeeds: [UInt64] = [1, 3, 34]
    static let ordinaryMinutes = 3.0

    /// Returns the seeds of an ordinary run. A requested soak has one seed, which `init` reads.
    static func seeds(_ seeds: [UInt64]) -> [UInt64] {
        ProcessInfo.processInfo.environment["RECORDER_SOAK_SEED"] == nil ? seeds : [0]
    }

    func run() throws {
        print("seed \(schedule.seed): \(schedule.entries.count) faults in \(Int(seconds)) s")
        let bench = try FaultBench(megabytes: 320)
        defer {
            keep(bench)
            bench.close()
        }
        for entry in schedule.entries {
            bench.sleep(until: entry.time)
            print("  \(String(format: "%7.2f", bench.now))  \(entry.fault)")
            try bench.carryOut(entry.fault)
            let isAlive = !bench.recorder.process.isOver()
            try #require(isAlive, "seed \(schedule.seed), \(entry): it ended: \(bench.lastMessages)")
        }
        bench.sleep(until: seconds)
        let length = bench.now - bench.lastStart
        let end = try bench.recorder.stop()
        #expect(bench.recorder.process.wait() == 0, "\(bench.lastMessages)")
        try judge(bench, try #require(end, "no status at the end: \(bench.lastMessages)"), length: length)
    }

    /// Copies the recordings and the log to the directory `RECORDER_SOAK_KEEP`, if it is set.
    private func keep(_ bench: FaultBench) {
        guard let directory = ProcessInfo.processInfo.environment["RECORDER_SOAK_KEEP"] else { return }
        let place = "\(directory)/seed-\(schedule.seed)"
        _ = LabCommand.run("mkdir -p \(place); cp -r \(bench.recorder.log) \(bench.disk.mount)/* \(place)/")
    }

    // MARK: The judgement

    /// - Parameter length: seconds of the last process, from its first sample on.
    private func judge(_ bench: FaultBench, _ end: RecorderAnswer, length: Double) throws {
        bench.judgeCopies()
        // The second disk has all files, including those deleted on the first.
        let judged = bench.mirrorDisk ?? bench.disk
        let left = bench.movies(".recording.") + bench.movies(".recording.", on: judged)
        #expect(left == [], "all must be whole by now, also where it was moved: \(bench.lastMessages)")
        for account in RecorderAccount.all(in: bench.recorder.messages) {
            #expect(account.isExact(frameRate: FaultBench.frameRate), "seed \(schedule.seed): \(account.line)")
        }
        // The keys are file names, because a directory may have been renamed.
        var ledgers: [String: [String: Ledger]] = [:]
        var worst = 0.0
        var fileCount = 0
        var clapCount = 0
        for path in bench.movies(on: judged) where !path.contains(".recording.") {
            let url = URL(fileURLWithPath: path)
            if bench.account.strangers.contains(FaultBench.identity(path)) {
                let complaints = try MovieMeasure(url: url).decodingErrors()
                #expect(complaints == "", "seed \(schedule.seed), \(path): \(complaints)")
                continue
            }
            let (tracks, claps, error) = try judge(path)
            if let tracks { ledgers[url.lastPathComponent] = tracks }
            fileCount += 1
            clapCount += claps
            worst = max(worst, error ?? 0)
        }
        #expect(fileCount - ledgers.count <= bench.fullDisks, "only what was repaired is without a ledger")
        let deleted = bench.mirrorDisk == nil ? bench.account.deletedSeconds : 0
        judge("video", end.video, of: end, ledgers, deleted: deleted * Double(FaultBench.frameRate))
        judge("audio", end.audio, of: end, ledgers, deleted: deleted * 48_000)
        // The devices delivered samples for all this time, so no loss is uncounted. The first sample is in the file a
        // moment after its capture.
        for (track, rate) in [(end.video, Double(FaultBench.frameRate)), (end.audio, 48_000)] {
            let missing = length - Double(track?.captured ?? 0) / rate
            #expect(abs(missing) < 2, "seed \(schedule.seed): \(missing) s are in no account of \(rate) a second")
        }
        print(
            """
              seed \(schedule.seed): \(fileCount) files, \(bench.fullDisks) full disks, \(clapCount) claps, worst distance of flash and click \
            \(String(format: "%.1f", worst * 1000)) ms beyond the frame; the last process: \
            video \(Self.text(end.video)), audio \(Self.text(end.audio))
            """)
    }

    private static func text(_ track: RecorderAnswer.Track?) -> String {
        guard let track else { return "none" }
        let causes = track.dropped.filter { $0.value > 0 }.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
        return "\(track.captured) captured, \(track.written) written, dropped: \(causes.joined(separator: ", "))"
    }

    /// Judges the drop counts of the last process: they are exact, and the sum of its files' counts.
    ///
    /// - Parameter deleted: maximum seconds in deleted files.
    private func judge(
        _ type: String, _ track: RecorderAnswer.Track?, of end: RecorderAnswer, _ ledgers: [String: [String: Ledger]],
        deleted: Double
    ) {
        guard let track else {
            Issue.record("no \(type) in the last status")
            return
        }
        #expect(
            track.captured == track.written + track.droppedInAll + (track.paused ?? 0),
            "seed \(schedule.seed): \(type) \(track)")
        let written = end.segments.reduce(0) {
            $0 + (ledgers[URL(fileURLWithPath: $1.file).lastPathComponent]?[type]?.written ?? 0)
        }
        #expect(
            (0...Int64(deleted)).contains(track.written - written),
            "seed \(schedule.seed): \(type) \(track), in the files \(written), deleted \(deleted) at most")
    }

    /// Judges one file: it decodes without errors, its drop counts are exact, and its last clap is in sync.
    private func judge(_ path: String) throws -> (ledgers: [String: Ledger]?, claps: Int, error: Double?) {
        let movie = MovieMeasure(url: URL(fileURLWithPath: path))
        let name = "seed \(schedule.seed), \(movie.url.lastPathComponent)"
        let complaints = try movie.decodingErrors()
        #expect(complaints == "", "\(name): \(complaints)")
        let ledgers = try movie.storedLedger()
        for (type, ledger) in ledgers ?? [:] { #expect(ledger.pending == 0, "\(name): \(type) \(ledger)") }
        if let video = ledgers?["video"] {
            let shown = try movie.shownPackets("v")
            #expect(video.written == shown, "\(name): \(shown) frames are there, \(video)")
        }
        let measure = try ClapMeasure(
            movie.url, frame: 1 / Double(FaultBench.frameRate), length: FaultBench.clapLength)
        let last = measure.offsets.suffix(claps).sorted()
        let duration = try movie.duration("v")
        guard !last.isEmpty else {
            #expect(
                !(duration > Self.longEnough),
                "\(name): no clap in \(duration) s, flashes \(measure.flashes.count), beeps \(measure.beeps.count)")
            return (ledgers, 0, nil)
        }
        let offset = last[last.count / 2]
        // A flash is seen in the next frame, so up to one frame late is exact.
        let frame = 1 / Double(FaultBench.frameRate)
        let error = max(0, -offset, offset - frame)
        #expect(error <= Self.tolerance, "\(name): flash − click is \(offset) s; all: \(measure.offsets)")
        return (ledgers, measure.offsets.count, error)
    }
}
