import CommandInterface
import Glibc
import MediaTypes
import RealTime
import RecorderControl
import RecorderStorage

/// Finds problems that prevent recording on this machine, or that could make it fail later: the command `recorder
/// doctor`.
///
/// The probes read facts from the system, each with a time limit. The checks turn these facts into findings without
/// accessing the system. Nothing is changed, and no privilege is needed.
package enum Doctor {
    /// The maximum wait for all configurations, in nanoseconds from the start.
    private static let patienceForSettings: Int64 = 1_000_000_000
    /// The maximum wait for all folders, in nanoseconds from the start.
    private static let patienceForFolders: Int64 = 2_000_000_000
    /// The maximum wait for everything else, in nanoseconds from the start.
    private static let patience: Int64 = 6_000_000_000
    /// The maximum wait for the tests of encoders.
    private static let patienceForTrials: Int64 = 30_000_000_000

    /// A recorder to examine. Its folders are read on a separate thread.
    private struct Patient: Sendable {
        var recorder: DoctorRecorder
        var file: String?
        var folders: TimeLimitedWork<FolderProbe>
    }

    /// Examines the recorders and the machine. Blocks for up to six seconds, or for up to 30 seconds with tests of
    /// encoders.
    ///
    /// - Parameter triesEncoders: True to let every hardware encoder encode five seconds of video.
    package static func examine(_ choice: DoctorChoice, triesEncoders: Bool = false) -> DoctorReport {
        let begin = MonotonicClock().nanoseconds
        let end = begin + patience
        let environment = choice.environment
        let runtime = RuntimeDirectory(environment: environment)
        var checks = choice.findings
        let patients = readRecorders(choice.sources, runtime, until: begin + patienceForSettings, &checks)
        let recorders = patients.map(\.recorder)

        let devices = TimeLimitedWork("doctor-devices") { DeviceProbe() }
        let chosen = TimeLimitedWork("doctor-chosen") { () -> [DeviceFacts?] in
            let probe = devices.value(until: end)
            return recorders.map { probe?.devices(of: $0.configuration) }
        }
        let user = TimeLimitedWork("doctor-user") { PermissionProbe.user }
        let nodes = TimeLimitedWork("doctor-nodes") { PermissionProbe.nodes() }
        let limits = TimeLimitedWork("doctor-limits") { LimitFacts.read() }
        let features = TimeLimitedWork("doctor-features") { FeatureFacts.read(recorders, environment: environment) }
        let trials = triesEncoders ? TimeLimitedWork("doctor-encoders") { EncoderTrial.all() } : nil
        let page = TimeLimitedWork("doctor-page") { PageProbe.read(runtime) }
        let service = TimeLimitedWork("doctor-service") {
            ServiceFacts.read(user.value(until: end) ?? thisUser(), environment: environment)
        }

        var folders = folderFacts(patients, until: begin + patienceForFolders, &checks)
        measure(&folders, until: end)

        let userFacts = user.value(until: end) ?? thisUser()
        let nodeFacts = nodes.value(until: end)
        if recorders.contains(where: \.usesCamera) {
            checks.append(PermissionCheck.finding(.camera, nodeFacts, userFacts, isNeeded: true))
        }
        if recorders.contains(where: \.usesMicrophone) {
            let isNeeded = recorders.contains(where: \.needsSoundCard)
            checks.append(PermissionCheck.finding(.microphone, nodeFacts, userFacts, isNeeded: isNeeded))
        }
        let deviceFacts = chosen.value(until: end) ?? [DeviceFacts?](repeating: nil, count: recorders.count)
        for (recorder, facts) in zip(recorders, deviceFacts) { checks += DeviceCheck.findings(recorder, facts) }
        checks += folderFindings(folders, recorders, deviceFacts)
        checks.append(ClockCheck.finding(error: WallClock.largestError))
        checks += LimitCheck.findings(limits.value(until: end))
        checks += PageCheck.findings(page.value(until: end))
        checks += ServiceCheck.findings(service.value(until: end), userFacts)
        checks += FeatureCheck.findings(features.value(until: end))
        let tests: [EncoderTrial]? = if let trials { trials.value(until: begin + patienceForTrials) } else { [] }
        return DoctorReport(
            system: SystemFacts(user: userFacts.name), checks: checks, devices: devices.value(until: end)?.list,
            board: BoardFacts.model(), trials: tests)
    }

    /// The user of this process without an account name, if the system's list of users does not answer.
    private static func thisUser() -> UserFacts { UserFacts(id: getuid(), name: "\(getuid())") }

    /// A recorder's settings, and the process that has its name.
    private struct Settings: Sendable {
        var effective: EffectiveConfiguration
        var recorder: DoctorRecorder
    }

    /// Reads all configurations at the same time. A configuration that is invalid, or whose disk does not answer,
    /// becomes a finding.
    private static func readRecorders(
        _ sources: [ConfigurationSource], _ runtime: RuntimeDirectory, until deadline: Int64,
        _ checks: inout [DoctorFinding]
    ) -> [Patient] {
        typealias Answer = Result<Settings, RecordingFailure>
        let works: [TimeLimitedWork<Answer>] = sources.map { source in
            TimeLimitedWork("doctor-settings") {
                Result { () throws(RecordingFailure) in try settings(source, runtime) }
            }
        }
        var patients: [Patient] = []
        for (source, work) in zip(sources, works) {
            let name = source.name.description
            switch work.value(until: deadline) {
            case .success(let settings)?:
                let effective = settings.effective
                patients.append(
                    Patient(
                        recorder: settings.recorder, file: effective.file,
                        folders: TimeLimitedWork("doctor-folders") { FolderProbe(effective) }))
            case .failure(let failure)?: checks.append(ConfigurationCheck.finding(name, failure.error))
            case nil: checks += ConfigurationCheck.findings(name, file: nil, missing: nil)
            }
        }
        return patients
    }

    private static func settings(
        _ source: ConfigurationSource, _ runtime: RuntimeDirectory
    ) throws(RecordingFailure) -> Settings {
        let effective = try source.resolve()
        let isRunning = runtime.isRunning(source.name)
        return Settings(
            effective: effective,
            recorder: DoctorRecorder(
                configuration: effective.configuration, isRunning: isRunning,
                processID: isRunning ? runtime.processID(source.name) : nil))
    }

    /// Returns the folders of all recorders. A recorder whose disk does not answer becomes a finding.
    private static func folderFacts(
        _ patients: [Patient], until deadline: Int64, _ checks: inout [DoctorFinding]
    ) -> [FolderProbe.Folder] {
        var folders: [FolderProbe.Folder] = []
        for patient in patients {
            let probe = patient.folders.value(until: deadline)
            checks += ConfigurationCheck.findings(patient.recorder.name, file: patient.file, missing: probe?.missing)
            folders += probe?.folders ?? []
        }
        return folders
    }

    /// Measures each disk once, all disks at the same time. Disks without enough free space are not measured.
    private static func measure(_ folders: inout [FolderProbe.Folder], until deadline: Int64) {
        typealias Answer = Result<WriteProbe.Speed, MediaError>
        var works: [UInt64: TimeLimitedWork<Answer>] = [:]
        for index in folders.indices {
            let (facts, existing) = (folders[index].facts, folders[index].existing)
            guard let disk = folders[index].disk, facts.problem == nil, works[disk] == nil else { continue }
            guard hasRoom(facts) else { continue }
            works[disk] = TimeLimitedWork("doctor-disk") {
                Result { () throws(MediaError) in try WriteProbe.measure(in: existing) }
            }
        }
        for index in folders.indices {
            guard hasRoom(folders[index].facts) else {
                folders[index].facts.writing = .skipped("the free space does not allow a test")
                continue
            }
            guard let disk = folders[index].disk, let work = works[disk] else { continue }
            switch work.value(until: deadline) {
            case .success(let speed)?: folders[index].facts.writing = .measured(speed.bytesPerSecond)
            case .failure(let error)?: folders[index].facts.writing = .failed(error)
            case nil: folders[index].facts.writing = .skipped("it does not answer within some seconds")
            }
        }
    }

    /// Returns true if there is enough free space for a test without touching the reserve.
    private static func hasRoom(_ folder: FolderFacts) -> Bool {
        guard let free = folder.free else { return false }
        return free - WriteProbe.most * 2 > folder.reserve
    }

    private static func folderFindings(
        _ folders: [FolderProbe.Folder], _ recorders: [DoctorRecorder], _ devices: [DeviceFacts?]
    ) -> [DoctorFinding] {
        var rates: [String: Double] = [:]
        for (recorder, facts) in zip(recorders, devices) {
            rates[recorder.name] = NeededRate.bytesPerSecond(recorder.configuration, facts)
        }
        var disks: [UInt64: Double] = [:]
        for folder in folders {
            guard let disk = folder.disk else { continue }
            disks[disk, default: 0] += rates[folder.facts.recorder] ?? 0
        }
        return folders.flatMap { folder in
            var facts = folder.facts
            facts.needed = folder.disk.flatMap { disks[$0] }
            return FolderCheck.findings(facts)
        }
    }
}
