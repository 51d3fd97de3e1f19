import Foundation
import Glibc
import RealTime
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

/// The cost of ending a file is the same with a million entries as with a thousand.
@Suite(.serialized) struct RetentionCostTests {
    private let directory: TemporaryDirectory
    private let log = LogLines()
    private let moment = Locked(Moment(wall: 1_795_269_802, uptime: 1_000_000, boot: "a"))

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(at: directory.file("movies"), withIntermediateDirectories: true)
    }

    private func record(_ name: String, _ retention: Retention) throws {
        let path = directory.path("movies/\(name).mov")
        try Data(count: 100).write(to: URL(fileURLWithPath: path))
        try retention.catalogue.add(path, root: directory.path("movies"), at: moment.withLock { $0 })
    }

    /// Adds rows with different paths to the same file: `/movies/.//./…/same.mov`.
    private func fill(_ state: StateDirectory, _ name: RecordingName, rows: Int) throws {
        let path = directory.path("movies/same.mov")
        try Data(count: 100).write(to: URL(fileURLWithPath: path))
        var kind = stat()
        #expect(lstat(path, &kind) == 0)
        let identity = FinishedRecording.Identity(kind)
        let database = try Database(state.finished(name))
        try database.execute(
            """
            PRAGMA synchronous = OFF;
            BEGIN;
            DROP TRIGGER recording_added;
            CREATE TEMP TABLE bit (text TEXT);
            INSERT INTO bit VALUES ('/.'), ('//');
            CREATE TEMP TABLE word AS SELECT a.text || b.text || c.text || d.text || e.text AS text
                FROM bit a, bit b, bit c, bit d, bit e;
            CREATE TEMP TABLE path AS SELECT a.text || b.text AS text FROM word a, word b;
            INSERT INTO recording
                (place, boot, path, inode, size, modified, wall, uptime, ending)
            SELECT 1, 1, '\(directory.path("movies"))' || a.text || b.text || '/same.mov', \(identity.inode), 100,
                \(identity.modified), 1795269802, 1000000, 'split' FROM path a, path b LIMIT \(rows);
            UPDATE place SET files = files + \(rows), bytes = bytes + \(rows) * 100;
            CREATE TRIGGER recording_added AFTER INSERT ON recording WHEN NEW.away = 0 BEGIN
                UPDATE place SET files = files + 1, bytes = bytes + NEW.size WHERE id = NEW.place;
            END;
            COMMIT;
            """)
    }

    /// The processor time of this process, including the kernel's part. The wall clock is unsuitable: each row is
    /// synced, which takes any time on a disk that others use.
    private func processorTime() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    /// - Returns: the median processor time of ending a file, in seconds, and the peak memory, in bytes.
    private func cost(rows: Int) throws -> (seconds: Double, memory: Int) {
        let name = try RecordingName(parsing: "front-\(rows)")
        let state = StateDirectory(environment: ["XDG_STATE_HOME": directory.path("state")])
        let moment = moment
        let retention = Retention(
            name, below: directory.path("movies"), in: state, log: log.logger, moment: { moment.withLock { $0 } },
            freeSpace: { _ in 1 << 40 })
        let rounds = 15
        // The oldest files, which retention deletes.
        for round in 0...rounds { try record("\(rows)-old-\(round)", retention) }
        try fill(state, name, rows: rows)
        // Each row is synced: otherwise the first sync would wait for hundreds of megabytes that filling left in the
        // page cache.
        sync()
        let rules = RetentionRules(
            age: .init(value: 86_400, timescale: 1), totalSize: Int64(rows + rounds + 1) * 100, freeSpace: 1 << 30)
        #expect(retention.plan(rules).isEmpty)
        let before = memory("VmRSS")
        try Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/self/clear_refs"))
        var times: [Double] = []
        for round in 0..<rounds {
            let start = processorTime()
            try record("\(rows)-new-\(round)", retention)
            #expect(retention.apply(rules).map(\.path) == [directory.path("movies/\(rows)-old-\(round).mov")])
            times.append(processorTime() - start)
        }
        return (times.sorted()[rounds / 2], memory("VmHWM") - before)
    }

    private func memory(_ key: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(key + ":") }
        return (line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) } ?? 0)
            * 1024
    }

    @Test func retention_aMillionEntries_costsAsMuchAsAThousand() throws {
        let (few, many) = (try cost(rows: 1000), try cost(rows: 1_000_000))
        print("a file's end: \(few.seconds * 1000) ms with 1,000 entries, \(many.seconds * 1000) ms with 1,000,000;")
        print("memory \(few.memory >> 10) KiB, \(many.memory >> 10) KiB")
        #expect(many.seconds < 2 * few.seconds + 0.01)
        #expect(many.memory < 64 << 20)
    }
}
