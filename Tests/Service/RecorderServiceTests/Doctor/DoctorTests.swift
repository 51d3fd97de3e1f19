import CommandInterface
import Foundation
import MediaTypes
import TestSupport
import Testing

@testable import RecorderControl
@testable import RecorderService
@testable import RecorderStorage

@Suite struct DoctorTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private var environment: [String: String] {
        [
            "HOME": directory.url.path, "XDG_CONFIG_HOME": directory.path("config"),
            "XDG_RUNTIME_DIR": directory.url.path, "PATH": "/usr/bin:/bin",
        ]
    }

    private func write(_ text: String, _ name: String) throws {
        try FileManager.default.createDirectory(
            at: directory.file("config/recorder"), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: directory.file("config/recorder/\(name)"))
    }

    private func report(_ findings: [DoctorFinding]) -> DoctorReport {
        DoctorReport(
            system: SystemFacts(user: "ana", kernel: "6.1.0\n", release: "NAME=x\nPRETTY_NAME=\"Debian 12\"\n"),
            checks: findings, devices: nil)
    }

    @Test func report_severalVerdicts_hasTheWorst() {
        let findings = [DoctorFinding.Verdict.ok, .hint, .unknown, .problem].map {
            DoctorFinding(.clock, "clock", $0, "text")
        }
        #expect(report([]).verdict == .ok)
        #expect(report(Array(findings[..<2])).verdict == .hint && report(Array(findings[..<2])).exitCode == .done)
        #expect(report(Array(findings[..<3])).verdict == .unknown && report(Array(findings[..<3])).exitCode == .done)
        #expect(report(findings).verdict == .problem && report(findings).exitCode == .unavailable)
    }

    @Test func report_text_hasALineForEachCheck() {
        let findings = [
            DoctorFinding(.clock, "clock", .ok, "synchronized"),
            DoctorFinding(.page, "page", .unknown, "no answer", wayOut: "look"),
        ]
        #expect(report(findings).text == "ok       clock: synchronized\nunknown  page: no answer; look")
        #expect(report(findings).fullText.contains("Debian 12 · Linux 6.1.0 · "))
    }

    @Test func report_json_hasEveryKey() throws {
        let findings = [DoctorFinding(.clock, "clock", .ok, "synchronized", values: ["errorSeconds": 0.5])]
        let text = JSONText.line(report(findings))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(object.keys.sorted() == ["checks", "system", "verdict"] && object["verdict"] as? String == "ok")
        let check = try #require((object["checks"] as? [[String: Any]])?.first)
        #expect(check.keys.sorted() == ["check", "subject", "text", "values", "verdict", "wayOut"])
        #expect(check["wayOut"] is NSNull && (check["values"] as? [String: Double]) == ["errorSeconds": 0.5])
        let system = try #require(object["system"] as? [String: Any])
        #expect(system.keys.sorted() == ["architecture", "distribution", "kernel", "user", "version"])
    }

    @Test func choice_configuredRecorders_areAllExamined() throws {
        try write("camera: test\n", "front.yaml")
        try write("camera: test\n", "back.yaml")
        try write("camera: test\n", "no name.yaml")
        let choice = try DoctorChoice([], file: nil, environment: environment)
        let names = choice.sources.map(\.name.description)
        #expect(names.contains("front") && names.contains("back") && !names.contains("default"))
        #expect(choice.findings.contains { $0.verdict == .hint && $0.subject == "no name.yaml" })
    }

    @Test func choice_namedFile_isTheOnlyRecorder() throws {
        try write("camera: test\n", "front.yaml")
        let file = directory.path("config/recorder/front.yaml")
        let choice = try DoctorChoice([], file: file, environment: environment)
        #expect(choice.sources.map(\.name) == [.standard])
        let name = try RecordingName(parsing: "front")
        let same = try DoctorChoice([.recorder(name), .recorder(name)], file: file, environment: environment)
        #expect(same.sources.map(\.name) == [name])
    }

    @Test func choice_unknownRecorderOrGroup_isRefused() throws {
        let name = try RecordingName(parsing: "no-such-recorder")
        #expect(throws: OptionError.self) {
            try DoctorChoice([.recorder(name)], file: nil, environment: environment)
        }
        #expect(throws: OptionError.self) {
            try DoctorChoice([.group("no-such-group")], file: nil, environment: environment)
        }
    }

    @Test func doctor_invalidConfiguration_isAProblemAndTheRestIsChecked() throws {
        try write("camera: [\n", "front.yaml")
        let file = directory.path("config/recorder/front.yaml")
        let report = Doctor.examine(try DoctorChoice([], file: file, environment: environment))
        #expect(report.verdict == .problem)
        #expect(report.checks.contains { $0.check == .configuration && $0.verdict == .problem })
        #expect(report.checks.contains { $0.check == .clock })
    }

    @Test func doctor_testSources_leavesNoFile() throws {
        try FileManager.default.createDirectory(at: directory.file("videos"), withIntermediateDirectories: true)
        let output = directory.path("videos/%Y/a.mov")
        try write("camera: test\nmicrophone: test\noutput: \(output)\n", "front.yaml")
        let file = directory.path("config/recorder/front.yaml")
        let report = Doctor.examine(try DoctorChoice([], file: file, environment: environment))
        let folders = report.checks.filter { $0.subject == "default: " + directory.path("videos") }
        #expect(folders.map(\.check) == [.space, .speed], "\(report.text)")
        #expect(report.checks.filter { $0.check == .devices }.map(\.verdict) == [.ok, .ok])
        #expect(!report.checks.contains { $0.check == .permissions })
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path("videos")).isEmpty)
    }
}
