import Foundation
import TestSupport
import Testing

/// Two cameras with a microphone each, and claps that both capture at one instant: two recorders begin together, and
/// their video and audio stay in sync.
@Suite(.serialized) struct TwoCamerasVirtualPair {
    private struct Recorders {
        let place: TemporaryDirectory

        /// Makes two recorders of one group from their configuration files.
        init(seconds: Int) throws {
            place = try TemporaryDirectory()
            for name in ["config/recorder", "runtime", "state"] {
                try FileManager.default.createDirectory(atPath: place.path(name), withIntermediateDirectories: true)
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: place.path("runtime"))
            for (index, name) in ["left", "right"].enumerated() {
                let text = """
                    camera: /dev/video\(index)
                    microphone: hw:Loopback,1,\(index)
                    group: stage
                    size: 640x360
                    frame-rate: 30
                    preset: ultrafast
                    duration: \(seconds)s
                    output: \(place.path("\(name).mov"))
                    """
                try Data(text.utf8).write(to: URL(fileURLWithPath: place.path("config/recorder/\(name).yaml")))
            }
        }

        func run(_ words: String...) throws -> Command {
            let variables = [
                "XDG_RUNTIME_DIR=\(place.path("runtime"))", "XDG_STATE_HOME=\(place.path("state"))",
                "XDG_CONFIG_HOME=\(place.path("config"))",
            ]
            return try Program.run("env", variables + [Program.recorder] + words)
        }

        func movie(_ name: String) -> MovieMeasure {
            MovieMeasure(url: URL(fileURLWithPath: place.path("\(name).mov")))
        }
    }

    /// Records claps every 1.4 s, an integral number of frames.
    private func record(seconds: Int) throws -> (recorders: Recorders, left: [Double], right: [Double]) {
        let recorders = try Recorders(seconds: seconds)
        for index in 0...1 {
            _ = try Program.run("v4l2-ctl", ["-d", "/dev/video\(index)", "-c", "test_pattern=5,osd_text_mode=2"])
        }
        let claps = Int(Double(seconds) / 1.4) + 8
        let clap = LabCommand(
            "exec lab-clap /dev/video0+/dev/video1 hw:Loopback,0,0+hw:Loopback,0,1 1.4 \(claps) 150")
        defer { clap.end() }
        let start = try recorders.run("start", "@stage")
        try #require(start.status == 0, "\(start.errors)")
        #expect(
            eventually(within: Double(seconds) + 60) {
                ["left", "right"].allSatisfy {
                    FileManager.default.fileExists(atPath: recorders.place.path("\($0).mov"))
                }
            })
        return (recorders, try recorders.movie("left").flashes(), try recorders.movie("right").flashes())
    }

    @Test func twoRecorders_tenMinutesOfClaps_stayInSync() throws {
        let (recorders, left, right) = try record(seconds: 600)
        // Both files begin at the same instant, so their own times can be compared.
        let distances = left.compactMap { flash in
            right.min { abs($0 - flash) < abs($1 - flash) }.map { $0 - flash }
        }.filter { abs($0) < 0.5 }
        #expect(distances.count > 400, "\(left.count) and \(right.count)")
        let lowest = try #require(distances.min())
        let highest = try #require(distances.max())
        #expect(max(abs(lowest), abs(highest)) <= 0.0345, "right less left from \(lowest) to \(highest) s")
        #expect(highest - lowest <= 0.002, "right less left from \(lowest) to \(highest) s")
        let (one, other) = (try recorders.movie("left").beeps(), try recorders.movie("right").beeps())
        let beeps = one.compactMap { beep in other.min { abs($0 - beep) < abs($1 - beep) }.map { $0 - beep } }
            .filter { abs($0) < 0.5 }
        #expect(beeps.count > 400)
        let (first, last) = (try #require(beeps.min()), try #require(beeps.max()))
        #expect(last - first <= 0.002, "right less left from \(first) to \(last) s")

        // The tracks of the combined movie match as well.
        let both = recorders.place.path("both.mov")
        let combined = try recorders.run(
            "combine", recorders.place.path("left.mov"), recorders.place.path("right.mov"), "-o", both)
        #expect(
            combined.status == 0 && combined.errors.contains("in sync by the machine's own clock"), "\(combined.errors)"
        )
        #expect(try MovieMeasure(url: URL(fileURLWithPath: both)).decodingErrors() == "")
    }
}
