public import Foundation

/// The files of the project from which the tests were built.
public enum Project {
    private static let directory = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// - Parameter name: a path relative to the project, such as `Tests/Judges/browser.py`.
    public static func file(_ name: String) -> URL { directory.appendingPathComponent(name) }
    public static func path(_ name: String = "") -> String { name.isEmpty ? directory.path : file(name).path }
}
