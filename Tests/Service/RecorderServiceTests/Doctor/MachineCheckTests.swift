import Glibc
import MediaTypes
import RecorderStorage
import Testing

@testable import RecorderService

/// The checks of the clock, the limits, the service and the features.
@Suite struct MachineCheckTests {
    private let ana = UserFacts(id: 1000, name: "ana")

    @Test func clock_synchronized_namesTheError() {
        let finding = ClockCheck.finding(error: 12_345)
        #expect(finding.verdict == .ok && finding.text.hasSuffix("at most 12.3 ms"))
        #expect(finding.values == ["errorSeconds": 0.012345])
    }

    @Test func clock_notSynchronized_isAHint() {
        #expect(ClockCheck.finding(error: nil).verdict == .hint)
        #expect(ClockCheck.finding(error: nil).wayOut?.contains("timedatectl") == true)
        let far = ClockCheck.finding(error: 16_000_000)
        #expect(far.verdict == .hint && far.text == "its error may be 16.00 s")
    }

    private func limits(
        _ resources: MediaError? = nil, raises: Bool = true, realTime: Bool = true, watch: Int32 = 0
    ) -> [DoctorFinding] {
        LimitCheck.findings(
            LimitFacts(resources: resources, mayRaisePriority: raises, mayUseRealTime: realTime, watchError: watch))
    }

    @Test func limits_sufficient_areOK() {
        #expect(limits().map(\.verdict) == [.ok, .ok, .ok])
    }

    @Test func limits_tooFewFiles_areAProblem() {
        let error = MediaError(.unsupported, "cannot run", reason: "only 64 files", wayOut: "run `ulimit -n 1024`")
        let found = limits(error)
        #expect(found.map(\.verdict) == [.problem, .ok, .ok] && found[0].wayOut == "run `ulimit -n 1024`")
    }

    @Test func limits_noPriority_namesTheMissingLines() {
        let found = limits(raises: false, realTime: false)[1]
        #expect(found.verdict == .hint)
        #expect(found.wayOut?.contains("`USER - nice -10` and `USER - rtprio 1`") == true)
        #expect(limits(realTime: false)[1].wayOut?.contains("nice") == false)
    }

    @Test func limits_noWatch_namesTheSetting() {
        #expect(limits(watch: EMFILE)[2].wayOut == "raise fs.inotify.max_user_instances with sysctl")
        #expect(limits(watch: ENOSPC)[2].wayOut == "raise fs.inotify.max_user_watches with sysctl")
        #expect(limits(watch: ENOSYS)[2].verdict == .hint)
    }

    @Test func limits_noAnswer_areUnknown() {
        #expect(LimitCheck.findings(nil).map(\.verdict) == [.unknown])
    }

    private func service(_ change: (inout ServiceFacts) -> Void) -> [DoctorFinding] {
        var facts = ServiceFacts(
            hasSystemd: true, unit: "/usr/lib/systemd/system/recorder@.service",
            rules: "/usr/lib/udev/rules.d/90-recorder.rules", userUnits: [], lingers: false)
        change(&facts)
        return ServiceCheck.findings(facts, ana)
    }

    @Test func service_installed_isOK() {
        #expect(service({ _ in }).map(\.verdict) == [.ok, .ok])
    }

    @Test func service_notInstalled_isAHint() {
        let found = service { ($0.unit, $0.rules) = (nil, nil) }
        #expect(found.map(\.verdict) == [.hint, .hint] && found.allSatisfy { $0.wayOut != nil })
    }

    @Test func service_userUnits_needLinger() {
        let ending = service { $0.userUnits = ["front.service"] }
        #expect(ending.last?.verdict == .hint)
        #expect(ending.last?.wayOut == "run `sudo loginctl enable-linger ana`")
        let staying = service { ($0.userUnits, $0.lingers) = (["front.service"], true) }
        #expect(staying.last?.verdict == .ok)
        let unknown = service { ($0.userUnits, $0.lingers) = (["front.service"], nil) }
        #expect(unknown.last?.verdict == .unknown)
    }

    @Test func service_noAnswer_isUnknown() {
        #expect(ServiceCheck.findings(nil, ana).map(\.verdict) == [.unknown])
    }

    @Test func service_noSystemd_isUnknown() {
        #expect(service({ $0.hasSystemd = false }).map(\.verdict) == [.unknown])
    }

    @Test(arguments: [
        ("[Service]\nExecStart=/usr/bin/recorder run front\n", true),
        ("ExecStart=/usr/bin/env A=b recorder run front", true), ("ExecStart=/usr/local/bin/recorder-web --open", true),
        ("ExecStart=/usr/bin/true\n# recorder run\n", false), ("ExecStart=", false), ("", false),
        ("ExecStart=/usr/bin/recorder-player", false), ("ExecStart=/usr/bin/nice \\\n  recorder run front\n", true),
    ])
    func unit_ofARecorder_isRecognized(text: String, isRecorder: Bool) {
        #expect(ServiceFacts.runsRecorder(text) == isRecorder)
    }

    @Test func feature_missingProgram_isAHintThatNamesItsUsers() {
        let feature = FeatureFacts(
            name: "publishing", programs: ["curl", "ffmpeg"], missingPrograms: ["ffmpeg"], users: ["front"])
        let finding = FeatureCheck.findings([feature])[0]
        #expect(finding.verdict == .hint && finding.subject == "publishing (needed by front)")
        #expect(finding.text == "ffmpeg not found in PATH" && finding.wayOut == "run `sudo apt install ffmpeg`")
    }

    @Test func feature_missingFont_isAProblemForARecorderWithAStamp() {
        let error = MediaError(.notFound, "cannot draw the stamp", reason: "no font", wayOut: "install one")
        let used = FeatureFacts(name: "the stamp", problem: error, users: ["front"], isRequired: true)
        let unused = FeatureFacts(name: "the stamp", problem: error, users: [])
        #expect(FeatureCheck.findings([used, unused]).map(\.verdict) == [.problem, .hint])
    }

    @Test func features_recorderOfHEVC_includeItsEncoder() {
        var configuration = RecordingConfiguration()
        configuration.video = .encoded(
            .hevc, preset: "ultrafast", rateControl: .constantQuality(22),
            keyframeInterval: MediaTime(value: 2, timescale: 1))
        let recorders = [configuration, RecordingConfiguration()].map { DoctorRecorder(configuration: $0) }
        let features = FeatureFacts.read(recorders, environment: ["PATH": "/usr/bin"])
        let encoders = features.filter { $0.name.hasPrefix("encoding") }
        #expect(encoders.map(\.name) == ["encoding hevc"] && encoders.map(\.isRequired) == [true])
        #expect(encoders.map(\.users) == [[configuration.name.description]])
    }

    @Test func feature_installed_isOK() {
        let feature = FeatureFacts(name: "copies on another machine", programs: ["rclone"], users: [])
        #expect(FeatureCheck.findings([feature]).map(\.text) == ["rclone found"])
        #expect(FeatureCheck.findings(nil).map(\.verdict) == [.unknown])
    }

    @Test func program_searched_isFoundOnlyInAbsoluteDirectories() {
        #expect(FeatureFacts.isInstalled("sh", in: "/nowhere:/bin"))
        #expect(!FeatureFacts.isInstalled("sh", in: "bin:"))
        #expect(!FeatureFacts.isInstalled("no-such-program", in: "/bin:/usr/bin"))
    }
}
