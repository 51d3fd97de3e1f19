import CommandInterface

/// Checks that the wall clock is synchronized, because the names, stamps and times of recordings come from it.
enum ClockCheck {
    /// The maximum error, in microseconds, that does not cause a hint.
    private static let most = 1_000_000

    /// - Parameter error: The maximum error of the clock in microseconds; nil if no program sets the clock
    ///   (`WallClock`).
    static func finding(error: Int?) -> DoctorFinding {
        guard let error else {
            return DoctorFinding(
                .clock, "clock", .hint, "no program synchronizes it, so the times of recordings may be wrong",
                wayOut: "run `sudo timedatectl set-ntp true`, or install chrony")
        }
        let seconds = Double(error) / 1e6
        let size = seconds < 1 ? "\(NumberText.fixed(seconds * 1000, places: 1)) ms" : NumberText.duration(seconds)
        let values = ["errorSeconds": seconds]
        guard error > most else {
            return DoctorFinding(.clock, "clock", .ok, "synchronized; its error is at most \(size)", values: values)
        }
        return DoctorFinding(
            .clock, "clock", .hint, "its error may be \(size)",
            wayOut: "`chronyc tracking` or `timedatectl timesync-status` shows why", values: values)
    }
}
