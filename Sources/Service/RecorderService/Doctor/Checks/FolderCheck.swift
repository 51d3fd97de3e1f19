import CommandInterface
import MediaTypes
import RecorderStorage

/// Checks that a recording can be stored in a folder: permissions, free space and the speed of its disk.
enum FolderCheck {
    /// The minimum ratio of the disk's speed to the needed speed. It leaves a margin for other programs that use the
    /// disk.
    private static let margin = 3.0
    /// The recording time in seconds below which the free space causes a hint, unless retention deletes old recordings.
    private static let short = 3600.0

    static func findings(_ folder: FolderFacts) -> [DoctorFinding] {
        let subject = "\(folder.recorder): \(folder.path)"
        if let problem = folder.problem { return [DoctorFinding(.space, subject, .problem, problem)] }
        return [space(folder, subject), speed(folder, subject)]
    }

    private static func space(_ folder: FolderFacts, _ subject: String) -> DoctorFinding {
        guard let free = folder.free else {
            return DoctorFinding(.space, subject, .unknown, "the free space cannot be read")
        }
        var values = ["freeBytes": Double(free), "reserveBytes": Double(folder.reserve)]
        let watch = DiskWatch(reserve: folder.reserve)
        if let full = watch.refusal(free: free, in: folder.path) {
            return DoctorFinding(
                .space, subject, .problem, full.reason, wayOut: full.wayOut, values: values)
        }
        let text = "\(NumberText.bytes(free)) free"
        guard let needed = folder.needed, needed > 0 else {
            return DoctorFinding(.space, subject, .ok, text, values: values)
        }
        let seconds = Double(free - folder.reserve) / needed
        values["seconds"] = seconds
        let time = "\(text), for about \(duration(seconds)) of recording"
        guard seconds < short, !folder.deletesOldest else {
            return DoctorFinding(.space, subject, .ok, time, values: values)
        }
        return DoctorFinding(
            .space, subject, .hint, time, wayOut: "free space, or let --keep-free delete the oldest recordings",
            values: values)
    }

    private static func speed(_ folder: FolderFacts, _ subject: String) -> DoctorFinding {
        let needed = folder.needed
        switch folder.writing {
        case .failed(let error): return DoctorFinding(.speed, subject, .problem, error)
        case .skipped(let reason):
            return DoctorFinding(.speed, subject, .unknown, "the speed of the disk is unknown: \(reason)")
        case .measured(let rate):
            var values = ["bytesPerSecond": rate]
            let text = "the disk writes \(perSecond(rate))"
            guard let needed else { return DoctorFinding(.speed, subject, .ok, text, values: values) }
            values["neededBytesPerSecond"] = needed
            let both = "\(text), and recording needs about \(perSecond(needed))"
            let wayOut = "use another disk, or a lower --bit-rate or --size"
            if rate < needed {
                return DoctorFinding(.speed, subject, .problem, both, wayOut: wayOut, values: values)
            }
            if rate < needed * margin {
                return DoctorFinding(.speed, subject, .hint, both, wayOut: wayOut, values: values)
            }
            return DoctorFinding(.speed, subject, .ok, both, values: values)
        }
    }

    private static func duration(_ seconds: Double) -> String {
        let days = Int64(clamping: seconds / 86_400)
        return days >= 2 ? "\(NumberText.grouped(days)) days" : NumberText.wholeSeconds(seconds)
    }

    private static func perSecond(_ rate: Double) -> String { NumberText.bytes(Int64(clamping: rate)) + "/s" }
}
