/// Checks that the programs, libraries and fonts of a feature are installed.
enum FeatureCheck {
    /// - Parameter features: nil if they could not be read in time.
    static func findings(_ features: [FeatureFacts]?) -> [DoctorFinding] {
        guard let features else {
            return [DoctorFinding(.features, "features", .unknown, "the libraries could not be loaded in time")]
        }
        return features.map(finding)
    }

    private static func finding(_ feature: FeatureFacts) -> DoctorFinding {
        let need = feature.users.isEmpty ? "" : " (needed by \(feature.users.joined(separator: " and ")))"
        let subject = feature.name + need
        let verdict = feature.isRequired ? DoctorFinding.Verdict.problem : .hint
        if let problem = feature.problem { return DoctorFinding(.features, subject, verdict, problem) }
        guard feature.missingPrograms.isEmpty else {
            return DoctorFinding(
                .features, subject, verdict,
                "\(feature.missingPrograms.joined(separator: " and ")) not found in PATH",
                wayOut: "run `sudo apt install \(feature.missingPrograms.joined(separator: " "))`")
        }
        let text = feature.programs.isEmpty ? "ready" : "\(feature.programs.joined(separator: " and ")) found"
        return DoctorFinding(.features, subject, .ok, text)
    }
}
