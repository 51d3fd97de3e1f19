import FileSystem
package import Foundation
package import MediaTypes

/// Chooses the names of one recording's files. A value: each request returns the next name.
///
/// The first name comes from the pattern. If the pattern contains the time, each later name is the pattern expanded for
/// that file's beginning. Otherwise, and after a reconnect of the camera, the next name is the last name with a number:
/// `front.mov`, `front-002.mov`, `front-003.mov` …. A name that seems taken is skipped. If a name turns out to be taken
/// later, the caller requests the next one.
package struct SegmentNames: Sendable {
    private let configuration: RecordingConfiguration
    private let videos: String
    private let workingDirectory: String
    /// The last result of the pattern.
    private var expanded: String
    /// The file to whose name numbers are appended.
    private var base: OutputLocation
    private var number = 1

    /// Creates the names of one recording.
    ///
    /// - Parameters:
    ///   - first: The location of the recording's first file.
    ///   - now: The time from which the first file's name was made.
    package init(
        _ configuration: RecordingConfiguration, first: OutputLocation, now: Date,
        videos: @autoclosure () -> String = VideosDirectory.path(),
        workingDirectory: String = ProcessText.workingDirectory
    ) {
        self.configuration = configuration
        self.workingDirectory = workingDirectory
        self.videos = videos()
        base = first
        expanded = first.path
        expanded = (try? expand(at: now).path) ?? first.path
    }

    /// Records that the first file got another name than expected.
    package mutating func begin(at first: OutputLocation) { base = first }

    /// Returns the next file's location; `makeDirectories` creates its directories.
    ///
    /// - Parameters:
    ///   - now: The wall clock at the file's beginning.
    ///   - keepsStem: True if the file continues the previous one, as after a disconnect of the camera.
    /// - Throws: `outputExists` if ten thousand names are taken.
    package mutating func next(at now: Date, keepsStem: Bool = false) throws(MediaError) -> OutputLocation {
        try next(at: now, keepsStem: keepsStem, isTaken: OutputLocation.isThere)
    }

    /// Returns the next file's location.
    ///
    /// - Parameter isTaken: Returns true if a path exists; also called with temporary names.
    mutating func next(
        at now: Date, keepsStem: Bool = false, isTaken: (String) -> Bool
    ) throws(MediaError) -> OutputLocation {
        func isFree(_ location: OutputLocation) -> Bool {
            !isTaken(location.path) && !isTaken(location.temporaryPath)
        }
        if !keepsStem {
            let (path, root) = try expand(at: now)
            if path != expanded {
                expanded = path
                base = OutputLocation(
                    path: path, root: root, makesRoot: configuration.output == nil, isNumbered: true)
                number = 1
                if isFree(base) { return base }
            }
        }
        for _ in 0..<10_000 {
            number += 1
            let digits = String(number)
            let padding = String(repeating: "0", count: max(0, 3 - digits.count))
            let location = base.renamed(OutputLocation.adding("-\(padding)\(digits)", to: base.path))
            if isFree(location) { return location }
        }
        throw MediaError(
            .outputExists, "cannot create \(OutputLocation.adding("-…", to: base.path))",
            reason: "10,000 of these names are taken",
            wayOut: "choose another place with --output")
    }

    private func expand(at now: Date) throws(MediaError) -> (path: String, root: String?) {
        try OutputLocation.expand(configuration, videos: videos, workingDirectory: workingDirectory, now: now)
    }
}
