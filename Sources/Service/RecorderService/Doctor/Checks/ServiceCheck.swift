/// Checks that recorders can be started at boot, and that a user's own units run without a login.
enum ServiceCheck {
    /// - Parameter facts: nil if they could not be read in time.
    static func findings(_ facts: ServiceFacts?, _ user: UserFacts) -> [DoctorFinding] {
        guard let facts else {
            return [DoctorFinding(.service, "service", .unknown, "the units could not be read in time")]
        }
        guard facts.hasSystemd else {
            return [DoctorFinding(.service, "service", .unknown, "systemd does not run this machine")]
        }
        return [unit(facts), rules(facts), linger(facts, user)].compactMap(\.self)
    }

    private static let wayOut = "install the package, or run `sudo -E scripts/install`"

    private static func unit(_ facts: ServiceFacts) -> DoctorFinding {
        guard let unit = facts.unit else {
            return DoctorFinding(
                .service, "service", .hint, "recorder@.service is not installed, so no recorder starts at boot",
                wayOut: wayOut)
        }
        return DoctorFinding(.service, "service", .ok, "\(unit) is installed")
    }

    private static func rules(_ facts: ServiceFacts) -> DoctorFinding {
        guard let rules = facts.rules else {
            return DoctorFinding(
                .service, "udev rules", .hint,
                "90-recorder.rules is not installed, so no camera has a name in /dev/recorder", wayOut: wayOut)
        }
        return DoctorFinding(.service, "udev rules", .ok, "\(rules) is installed")
    }

    /// Returns nil if the user has no units of their own.
    private static func linger(_ facts: ServiceFacts, _ user: UserFacts) -> DoctorFinding? {
        guard let unit = facts.userUnits.first else { return nil }
        let wayOut = "run `sudo loginctl enable-linger \(user.name)`"
        switch facts.lingers {
        case true?: return DoctorFinding(.service, "user units", .ok, "\(unit) runs without a login")
        case false?:
            return DoctorFinding(
                .service, "user units", .hint, "\(unit) ends when \(user.name) logs out", wayOut: wayOut)
        case nil:
            return DoctorFinding(
                .service, "user units", .unknown, "cannot find out whether \(unit) runs without a login")
        }
    }
}
