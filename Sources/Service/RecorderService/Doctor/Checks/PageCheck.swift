import RecorderControl

/// Checks that `recorder web` is installed, and that its addresses are free or already used by it.
enum PageCheck {
    /// - Parameter facts: nil if they could not be read in time.
    static func findings(_ facts: PageFacts?) -> [DoctorFinding] {
        guard let facts else { return [DoctorFinding(.page, "page", .unknown, "its state could not be read in time")] }
        var findings: [DoctorFinding] = []
        if !facts.hasProgram {
            findings.append(
                DoctorFinding(
                    .page, "page", .hint, "\(facts.program) is missing, so `recorder web` cannot run",
                    wayOut: PageProgram.wayOut))
        }
        return findings + facts.addresses.map(finding)
    }

    private static func finding(_ address: PageAddress) -> DoctorFinding {
        func finding(
            _ verdict: DoctorFinding.Verdict, _ text: String, _ wayOut: String? = nil
        ) -> DoctorFinding {
            DoctorFinding(.page, "page: \(address.place)", verdict, text, wayOut: wayOut)
        }
        switch address.state {
        case .free: return finding(.ok, "free")
        case .stale: return finding(.ok, "left by an earlier server; the next one replaces it")
        case .served: return finding(.ok, "recorder-web listens there")
        case .taken(let program):
            let holder = program ?? "another program"
            return finding(
                .hint, "in use by \(holder), so the page cannot be served there",
                "choose another address with --listen or --socket, or stop that program")
        case .unknown(let reason): return finding(.unknown, reason)
        }
    }
}
