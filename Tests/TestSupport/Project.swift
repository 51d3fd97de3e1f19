public import Foundation

/// The project's own files, where the tests were built from.
public enum Project {
    private static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// - Parameter name: as `Tests/Judges/browser.py`, from the project's directory.
    public static func file(_ name: String) -> URL { directory.appendingPathComponent(name) }
    public static func path(_ name: String = "") -> String { name.isEmpty ? directory.path : file(name).path }
}
