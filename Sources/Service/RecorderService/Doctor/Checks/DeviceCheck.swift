import MediaTypes

/// Checks that the camera and the microphone of a recorder are connected and free.
enum DeviceCheck {
    /// Returns the findings for one recorder.
    ///
    /// - Parameter facts: The recorder's devices; nil if they did not answer in time.
    static func findings(_ recorder: DoctorRecorder, _ facts: DeviceFacts?) -> [DoctorFinding] {
        guard let facts else {
            guard recorder.usesCamera || recorder.usesMicrophone else { return [] }
            return [DoctorFinding(.devices, recorder.name, .unknown, "the drivers of its devices do not answer")]
        }
        let isAlone = facts.camera == .unused
        return [
            finding(facts.camera, "camera", recorder, missing: noCamera),
            finding(facts.microphone, "microphone", recorder, missing: isAlone ? noMicrophone : noAudio),
            finding(facts.encoder, "encoder", recorder, missing: noEncoder),
        ].compactMap(\.self)
    }

    private struct Absence {
        var verdict: DoctorFinding.Verdict
        var text: String
        var wayOut: String
    }

    private static let noCamera = Absence(
        verdict: .problem, text: "no camera is connected",
        wayOut: "connect one, use --camera test, or record only audio with --camera none")
    private static let noMicrophone = Absence(
        verdict: .problem, text: "no microphone is connected", wayOut: "connect one, or use --microphone test")
    private static let noAudio = Absence(
        verdict: .hint, text: "no microphone is connected, so recordings have no audio",
        wayOut: "connect one, or write --microphone none")

    private static let noEncoder = Absence(
        verdict: .problem, text: "no encoder for H.264 is connected", wayOut: "write --encoder x264")

    /// Returns nil if the recorder has no such track.
    private static func finding(
        _ state: DeviceState, _ kind: String, _ recorder: DoctorRecorder, missing: Absence
    ) -> DoctorFinding? {
        let subject = "\(recorder.name): \(kind)"
        switch state {
        case .unused: return nil
        case .test: return DoctorFinding(.devices, subject, .ok, "the test source")
        case .missing:
            return DoctorFinding(.devices, subject, missing.verdict, missing.text, wayOut: missing.wayOut)
        case .present(let name, let title):
            return DoctorFinding(.devices, subject, .ok, name == title ? name : "\(name) (\(title))")
        case .failed(let error):
            // libcamera does not list cameras that are in use by another process.
            let isUnlisted = kind == "camera" && recorder.usesLibcamera && error.code == .notFound
            guard error.code == .busy || isUnlisted, recorder.isRunning else {
                return DoctorFinding(.devices, subject, .problem, error)
            }
            // The reason names the process that uses the device, if this user may see that process (`DeviceHolders`).
            if let process = recorder.processID, error.reason.contains("(process \(process))") {
                return DoctorFinding(.devices, subject, .ok, "in use by \(recorder.name), which is running")
            }
            return DoctorFinding(
                .devices, subject, .unknown, "in use, perhaps by \(recorder.name), which is running",
                wayOut: "`recorder status \(recorder.name)` shows what it records")
        }
    }
}
