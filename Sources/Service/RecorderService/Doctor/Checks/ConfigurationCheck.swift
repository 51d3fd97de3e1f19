import MediaTypes

/// Checks that a recorder's configuration can be read, and that the files that it names exist.
enum ConfigurationCheck {
    /// Returns the finding for a configuration that cannot be used.
    static func finding(_ recorder: String, _ error: MediaError) -> DoctorFinding {
        DoctorFinding(.configuration, recorder, .problem, error)
    }

    /// Returns the findings for a valid configuration.
    ///
    /// - Parameters:
    ///   - file: The path of the configuration file; nil without one.
    ///   - missing: One error for each setting that names a file or folder that does not exist; nil if the disk does
    ///     not answer.
    static func findings(_ recorder: String, file: String?, missing: [MediaError]?) -> [DoctorFinding] {
        guard let missing else {
            return [DoctorFinding(.configuration, recorder, .unknown, "the disk of its files does not answer")]
        }
        guard missing.isEmpty else { return missing.map { finding(recorder, $0) } }
        let text = file.map { "\($0) is valid" } ?? "the default settings, because there is no configuration file"
        return [DoctorFinding(.configuration, recorder, .ok, text)]
    }
}
