import Foundation
import Glibc
import TestSupport
import Testing

/// `recorder repair`, and the automatic repair at the next start.
@Suite(.serialized, .timeLimit(.minutes(10))) struct RepairTests {
    private let testSources = ["--camera", "test", "--microphone", "test", "--size", "160x120"]

    /// Makes a recording that was killed after its file got its first data.
    ///
    /// - Parameter complete: the recording is killed once this returns true.
    private func interrupted(
        _ command: Command, _ name: String = "a", output: String = "a.mov", codec: String = "h264",
        when complete: () -> Bool = { true }
    ) async throws {
        let running = try command.start(
            ["start", name, "--foreground", "--output", output, "--codec", codec] + testSources)
        try await waitUntil { running.output.hasPrefix("recording") }
        try await waitUntil { complete() }
        running.send(SIGKILL)
        _ = try await running.result()
    }

    @Test(arguments: ["h264", "hevc", "av1"]) func repair_killedRecording_makesAnOrdinaryMovie(codec: String)
        async throws
    {
        try await Command.inDirectory { command in
            try await interrupted(command, codec: codec)
            #expect(command.files(in: "work") == ["a.recording.mov"])
            let repair = try await command.run("repair", "a.recording.mov")
            #expect(repair.exitCode == 0, "\(repair.errors)")
            let (torn, whole) = (command.path("work/a.recording.mov"), command.path("work/a.mov"))
            #expect(repair.output.hasPrefix("\(torn) → \(whole): ") && repair.output.contains(" kept"))
            #expect(command.files(in: "work") == ["a.mov"])
            let probe = try Probe(command.path("work/a.mov"), decodes: true)
            #expect(probe.complaints == "" && probe.video.map { $0.frames > 0 } == true)
            #expect(probe.video?.codecName == codec)
            #expect(try await command.run("info", "a.mov").output.contains(" · finalized"))
        }
    }

    @Test func repair_damagedEnd_isRemovedAndReported() async throws {
        try await Command.inDirectory { command in
            try await interrupted(command)
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: command.path("work/a.recording.mov")))
            try file.seekToEnd()
            try file.write(contentsOf: Data(SyntheticMedia.noise(10_000)))
            try file.close()
            let repair = try await command.run("repair", "--json", "a.recording.mov")
            #expect(repair.exitCode == 0, "\(repair.errors)")
            let answer = try JSONSerialization.jsonObject(with: Data(repair.output.utf8)) as? [String: Any]
            let report = try #require((answer?["files"] as? [[String: Any]])?.first)
            #expect(report["outcome"] as? String == "repaired" && report["wasTorn"] as? Bool == true)
            #expect(report["abandonedBytes"] as? Int == 10_000)
            #expect(report["file"] as? String == command.path("work/a.mov"))
            #expect(try Probe(command.path("work/a.mov"), decodes: true).complaints == "")
        }
    }

    /// Returns the positions of the fragments in a recording.
    private func fragments(_ path: String) -> [Int] {
        let bytes = [UInt8]((try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data())
        var (places, place) = ([Int](), 0)
        while place + 8 <= bytes.count {
            if bytes[place + 4..<place + 8].elementsEqual("moof".utf8) { places.append(place) }
            let size = bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
            guard size >= 8 else { break }
            place += size
        }
        return places
    }

    @Test func repair_damageBetweenFragments_reportsItAndKeepsEveryFrame() async throws {
        try await Command.inDirectory { command in
            let path = command.path("work/a.recording.mov")
            try await interrupted(command) { fragments(path).count >= 3 }
            let url = URL(fileURLWithPath: path)
            var bytes = try Data(contentsOf: url)
            // The same recording without the damage.
            try bytes.write(to: URL(fileURLWithPath: command.path("work/b.recording.mov")))
            let second = try #require(fragments(path).dropFirst().first)
            bytes.insert(contentsOf: [1, 2, 3, 4, 5], at: second)
            try bytes.write(to: url)
            let repair = try await command.run("repair", "a.recording.mov")
            #expect(
                repair.exitCode == 0 && repair.output.contains("; damaged, 5 B cannot be read"), "\(repair.output)")
            #expect(try await command.run("repair", "b.recording.mov").exitCode == 0)
            let damaged = try Probe(command.path("work/a.mov"), decodes: true).video?.frames ?? 0
            let whole = try Probe(command.path("work/b.mov"), decodes: true).video?.frames ?? 0
            // The first fragment has only one frame.
            #expect(whole > 10 && damaged == whole, "\(damaged) of \(whole)")
        }
    }

    /// The file-size limit of the process acts as a full disk (setrlimit(2): EFBIG, and SIGXFSZ).
    @Test func repair_fullDisk_isReportedAndCanBeRetried() async throws {
        try await Command.inDirectory { command in
            try await interrupted(command)
            let path = command.path("work/a.recording.mov")
            let before = try Data(contentsOf: URL(fileURLWithPath: path))
            let blocks = (before.count + 511) / 512
            let result = try TestSupport.Command.run(
                "bash", "-c",
                "ulimit -f \((blocks + 1) / 2); \(Command.leavingTemporaryFilesAlone) "
                    + "exec \(command.executablePath) repair \(path)")
            #expect(result.status == 74 && result.errors.contains("EFBIG"), "\(result.status) \(result.errors)")
            #expect(command.files(in: "work") == ["a.recording.mov"])
            let repair = try await command.run("repair", "a.recording.mov")
            #expect(repair.exitCode == 0, "\(repair.errors)")
            #expect(try Probe(command.path("work/a.mov"), decodes: true).complaints == "")
        }
    }

    @Test func repair_fragmentsOfAnotherProgram_makesANewFile() async throws {
        try await Command.inDirectory { command in
            let path = command.path("work/stream.mp4")
            let made = try TestSupport.Command.run(
                "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:d=3", "-f", "lavfi", "-i",
                "sine=d=3:r=48000", "-c:v", "libx264", "-g", "25", "-c:a", "aac", "-movflags",
                "frag_keyframe+empty_moov+default_base_moof", path)
            #expect(made.status == 0, "\(made.errors)")
            var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            let first = Int(bytes[3]) + Int(bytes[2]) << 8
            bytes.insert(contentsOf: [0, 0, 0, 8] + Array("free".utf8), at: first)
            try bytes.write(to: URL(fileURLWithPath: path))
            let refused = try await command.run("repair", "stream.mp4")
            #expect(refused.exitCode == 65 && refused.errors.contains("-o"), "\(refused.errors)")
            let repair = try await command.run("repair", "stream.mp4", "-o", "whole.mp4")
            #expect(repair.exitCode == 0, "\(repair.errors)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
            let (before, after) = (
                try Probe(path, decodes: true), try Probe(command.path("work/whole.mp4"), decodes: true)
            )
            #expect(after.complaints == "" && after.video?.frames == 75)
            #expect(after.audio?.frames == before.audio?.frames && abs(after.format.seconds - 3) < 0.1)
            #expect(command.files(in: "work") == ["stream.mp4", "whole.mp4"])
            #expect(try await command.run("repair", "stream.mp4", "-o", "whole.mp4").exitCode == 73)
        }
    }

    @Test func repair_truncatedRecording_makesANewFile() async throws {
        try await Command.inDirectory { command in
            let run = try await command.run(
                ["start", "--foreground", "--duration", "2500ms", "--output", "a.mov"] + testSources)
            #expect(run.exitCode == 0, "\(run.errors)")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: command.path("work/a.mov")))
            let half = URL(fileURLWithPath: command.path("work/half.mov"))
            try bytes.prefix(bytes.count / 2).write(to: half)
            let refused = try await command.run("repair", "half.mov")
            #expect(refused.exitCode == 65 && refused.errors.contains("-o"), "\(refused.errors)")
            let repair = try await command.run("repair", "half.mov", "-o", "rest.mov")
            #expect(repair.exitCode == 0, "\(repair.errors)")
            #expect(try Data(contentsOf: half) == bytes.prefix(bytes.count / 2))
            let probe = try Probe(command.path("work/rest.mov"), decodes: true)
            #expect(probe.complaints == "" && probe.video?.frames ?? 0 > 15)
        }
    }

    @Test func repair_unrepairableFile_failsInOneLineAndKeepsIt() async throws {
        try await Command.inDirectory { command in
            try Data("not a movie at all".utf8).write(to: URL(fileURLWithPath: command.path("work/text.mov")))
            let text = try await command.run("repair", "text.mov")
            #expect(text.exitCode == 65 && text.errorLines.count == 1 && text.output.isEmpty)
            #expect(text.errors.hasPrefix("recorder: cannot repair \(command.path("work/text.mov")): "))
            let missing = try await command.run("repair", "missing.mov")
            #expect(missing.exitCode == 66 && missing.errorLines.count == 1)
            let directory = try await command.run("repair", ".")
            #expect(directory.exitCode != 0 && directory.errorLines.count == 1)
            #expect(command.files(in: "work") == ["text.mov"])
        }
    }

    @Test func repair_intactMovie_isUnchanged() async throws {
        try await Command.inDirectory { command in
            let run = try await command.run(
                ["start", "--foreground", "--duration", "500ms", "--output", "a.mov"] + testSources)
            #expect(run.exitCode == 0, "\(run.errors)")
            let before = try Data(contentsOf: URL(fileURLWithPath: command.path("work/a.mov")))
            let repair = try await command.run("repair", "a.mov")
            let told = command.path("work/a.mov") + ": already intact, nothing to do\n"
            #expect(repair.exitCode == 0 && repair.output == told)
            #expect(try Data(contentsOf: URL(fileURLWithPath: command.path("work/a.mov"))) == before)
        }
    }

    @Test func repair_runningRecording_isRefused() async throws {
        try await Command.inDirectory { command in
            let running = try command.start(["start", "--foreground", "--output", "a.mov"] + testSources)
            try await waitUntil { running.output.hasPrefix("recording") }
            let repair = try await command.run("repair", "a.recording.mov")
            #expect(repair.exitCode == 75 && repair.errors.contains("being recorded"), "\(repair.errors)")
            running.send(SIGINT)
            #expect(try await running.result().exitCode == 0)
            #expect(try Probe(command.path("work/a.mov"), decodes: true).complaints == "")
        }
    }

    @Test func repair_existingName_addsANumber() async throws {
        try await Command.inDirectory { command in
            try await interrupted(command)
            try Data("precious".utf8).write(to: URL(fileURLWithPath: command.path("work/a.mov")))
            let repair = try await command.run("repair", "a.recording.mov")
            #expect(repair.exitCode == 0, "\(repair.errors)")
            #expect(command.files(in: "work") == ["a-2.mov", "a.mov"])
            #expect(try String(contentsOfFile: command.path("work/a.mov"), encoding: .utf8) == "precious")
        }
    }

    @Test func start_afterInterruptions_repairsItsRecordings() async throws {
        try await Command.inDirectory { command in
            try await interrupted(command, output: "first.mov")
            try await interrupted(command, output: "second.mov")
            // A recorder does not repair another recorder's file.
            try await interrupted(command, "other", output: "other.mov")
            #expect(command.files(in: "work") == ["first.mov", "other.recording.mov", "second.recording.mov"])
            let run = try await command.run(
                ["start", "a", "--foreground", "--duration", "500ms", "--output", "third.mov"] + testSources)
            #expect(run.exitCode == 0, "\(run.errors)")
            #expect(run.errors.contains("repaired an interrupted recording: "))
            #expect(command.files(in: "work") == ["first.mov", "other.recording.mov", "second.mov", "third.mov"])
            for name in ["first", "second", "third"] {
                #expect(try Probe(command.path("work/\(name).mov"), decodes: true).complaints == "")
            }
        }
    }

    @Test func start_interruptedRecordingOfTheSameName_isRepairedFirst() async throws {
        try await Command.inDirectory { command in
            try await interrupted(command)
            let again = try await command.run(["start", "a", "--foreground", "--output", "a.mov"] + testSources)
            #expect(again.exitCode == 73, "\(again.errors)")
            #expect(again.errors.contains("a.mov: a repaired recording has this name: "))
            #expect(again.errors.hasSuffix("; choose another name\n"), "\(again.errors)")
            #expect(command.files(in: "work") == ["a.mov"])
        }
    }
}
