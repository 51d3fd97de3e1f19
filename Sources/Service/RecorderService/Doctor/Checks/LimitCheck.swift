import Glibc
import MediaTypes

/// Checks the kernel's limits on which a recording depends: open files, memory, priorities, and watches for devices
/// that are connected later. The limit of locked memory is not checked, because a recorder does not lock memory.
enum LimitCheck {
    /// - Parameter facts: nil if they could not be read in time.
    static func findings(_ facts: LimitFacts?) -> [DoctorFinding] {
        guard let facts else { return [DoctorFinding(.limits, "limits", .unknown, "the limits could not be read")] }
        return [resources(facts), priority(facts), watches(facts)]
    }

    private static func resources(_ facts: LimitFacts) -> DoctorFinding {
        guard let error = facts.resources else {
            return DoctorFinding(.limits, "open files and memory", .ok, "the limits allow a recording")
        }
        return DoctorFinding(.limits, "open files and memory", .problem, error)
    }

    private static func priority(_ facts: LimitFacts) -> DoctorFinding {
        let lacking = (facts.mayRaisePriority ? [] : ["nice -10"]) + (facts.mayUseRealTime ? [] : ["rtprio 1"])
        guard !lacking.isEmpty else {
            return DoctorFinding(.limits, "priority", .ok, "recording may run before other programs")
        }
        let lines = lacking.map { "`USER - \($0)`" }.joined(separator: " and ")
        return DoctorFinding(
            .limits, "priority", .hint,
            "recordings that this user starts get no priority, so a busy machine may drop frames",
            wayOut: "write \(lines) in /etc/security/limits.d/recorder.conf; recorder@.service needs neither")
    }

    private static func watches(_ facts: LimitFacts) -> DoctorFinding {
        let subject = "device watches"
        switch facts.watchError {
        case 0: return DoctorFinding(.limits, subject, .ok, "a device that is connected later is found at once")
        case EMFILE, ENOSPC:
            let limit = facts.watchError == EMFILE ? "max_user_instances" : "max_user_watches"
            return DoctorFinding(
                .limits, subject, .hint, "no watch is left, so a device that reconnects is found later",
                wayOut: "raise fs.inotify.\(limit) with sysctl")
        default:
            return DoctorFinding(
                .limits, subject, .hint, MediaError(errno: facts.watchError, "cannot watch for devices"))
        }
    }
}
