import Foundation
import Testing

/// `recorder doctor` from the user's side.
@Suite(.timeLimit(.minutes(10))) struct DoctorCommandTests {
    private func write(_ text: String, _ command: Command) throws {
        let directory = command.path("home/.config/recorder")
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: "\(directory)/front.yaml"))
    }

    @Test func doctor_testSources_printsALineForEachCheckAndLeavesNothing() async throws {
        try await Command.inDirectory { command in
            try write("camera: test\nmicrophone: test\noutput: \(command.path("work"))/%Y/a.mov\n", command)
            let result = try await command.run("doctor", "front")
            #expect(result.exitCode == 0, "\(result.output)\(result.errors)")
            let verdicts = Set(result.outputLines.map { String($0.prefix { $0 != " " }) })
            #expect(verdicts.isSubset(of: ["ok", "hint", "unknown"]), "\(result.output)")
            #expect(result.output.contains("ok       front: camera: the test source\n"))
            #expect(command.files(in: "work").isEmpty)
        }
    }

    @Test func doctor_missingCamera_isAProblem() async throws {
        try await Command.inDirectory { command in
            try write("camera: /dev/video99\nmicrophone: none\n", command)
            let result = try await command.run("doctor", "front", "--json")
            #expect(result.exitCode == 69 && result.errors.isEmpty, "\(result.errors)")
            let object = try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any]
            #expect(object?["verdict"] as? String == "problem")
            let checks = try #require(object?["checks"] as? [[String: Any]])
            let camera = try #require(checks.first { $0["subject"] as? String == "front: camera" })
            #expect(camera["verdict"] as? String == "problem" && camera["wayOut"] is String)
            #expect((camera["text"] as? String)?.contains("/dev/video99") == true)
        }
    }

    @Test func doctor_brokenConfiguration_isAProblemWithItsLine() async throws {
        try await Command.inDirectory { command in
            try write("camera: test\nsegment: never\n", command)
            let result = try await command.run("doctor")
            #expect(result.exitCode == 69, "\(result.output)")
            #expect(result.output.contains("problem  front: "), "\(result.output)")
            #expect(result.output.contains("front.yaml:2: segment"), "\(result.output)")
        }
    }

    @Test func doctor_report_beginsWithTheSystem() async throws {
        try await Command.inDirectory { command in
            try write("camera: test\nmicrophone: none\n", command)
            let result = try await command.run("doctor", "front", "--report")
            #expect(result.output.hasPrefix("recorder "), "\(result.output)")
            #expect(result.output.contains(" · Linux ") && result.output.contains("\nmicrophones\n"))
        }
    }

    @Test(
        arguments: [
            (["doctor", "no-such-recorder"], 1, "no-such-recorder"), (["doctor", "@nowhere"], 1, "nowhere"),
            (["doctor", "--report", "--json"], 64, "--report"), (["doctor", "../etc"], 64, "../etc"),
            (["doctor", "a", "b", "--config", "a.yaml"], 64, "--config"),
            (["doctor", "--config", "missing.yaml"], 69, "missing.yaml"),
        ] as [([String], Int32, String)])
    func doctor_badInput_isNamed(words: [String], exitCode: Int32, mentions: String) async throws {
        try await Command.inDirectory { command in
            let result = try await command.run(words)
            #expect(result.exitCode == exitCode, "\(result.output)\(result.errors)")
            #expect((result.output + result.errors).contains(mentions), "\(result.output)\(result.errors)")
        }
    }
}
