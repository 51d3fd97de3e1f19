public import Foundation

extension OutputLocation {
    /// What a recording's retention is confined to: the output's directory, in front of the pattern's first field.
    ///
    /// - Returns: nil for an output that means nothing.
    public static func retentionDirectory(
        _ configuration: RecordingConfiguration,
        workingDirectory: String = FileManager.default.currentDirectoryPath
    ) -> String? {
        guard let place = try? expand(configuration, workingDirectory: workingDirectory) else { return nil }
        return place.root ?? (place.path as NSString).deletingLastPathComponent
    }
}
