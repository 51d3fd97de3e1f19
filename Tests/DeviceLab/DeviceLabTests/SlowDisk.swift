import Foundation
import TestSupport
import Testing

/// A slow disk for one recorder, by `Tests/Support/SlowDisk/slowdisk.c`, which is loaded before the C library.
struct SlowDisk {
    private let place: TemporaryDirectory
    private var library: String { place.path("slowdisk.so") }
    private var stop: String { place.path("stop") }
    private var log: String { place.path("slowdisk.log") }

    /// Builds the library.
    init(in place: TemporaryDirectory) throws {
        self.place = place
        let source = Project.path("Tests/Support/SlowDisk/slowdisk.c")
        let result = try Program.run("cc", ["-shared", "-fPIC", "-O2", "-o", library, source])
        try #require(result.status == 0, "\(result.errors)")
    }

    /// Returns environment variables for the recorder.
    func environment(percent: Int = 0, milliseconds: Int = 500, seed: UInt64 = 1) -> [String] {
        [
            "LD_PRELOAD=\(library)", "SLOWDISK_PERCENT=\(percent)", "SLOWDISK_DELAY=\(milliseconds)",
            "SLOWDISK_SEED=\(seed)", "SLOWDISK_STOP=\(stop)", "SLOWDISK_LOG=\(log)",
        ]
    }

    /// Blocks all writes from now on.
    func standStill() throws { try Data().write(to: URL(fileURLWithPath: stop)) }

    func resume() { unlink(stop) }

    /// The number of writes and syncs that were delayed or blocked.
    var delays: Int { ((try? String(contentsOfFile: log, encoding: .utf8)) ?? "").split(separator: "\n").count }
}
