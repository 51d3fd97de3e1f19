import FileSystem
package import Foundation
package import MediaTypes

/// What the files of one recording are called: a value that says the next name.
///
/// The first one is the pattern's. A later one is the pattern's anew, at its own beginning, where the pattern has the time
/// in it; else, and when the camera came back, it is the last name with a number: `front.mov`, `front-002.mov`,
/// `front-003.mov` …. A name that looks taken is passed over; whoever finds it taken all the same asks for the next.
package struct SegmentNames: Sendable {
    private let configuration: RecordingConfiguration
    private let videos: String
    private let workingDirectory: String
    /// What the pattern gave last.
    private var expanded: String
    /// The file that numbers are added to.
    private var base: OutputLocation
    private var number = 1

    /// - Parameters:
    ///   - first: where the recording's first file is.
    ///   - now: the moment of its name.
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

    /// The first file got another name than was thought.
    mutating func begin(at first: OutputLocation) { base = first }

    /// The next file's place; `makeDirectories` makes what it needs.
    ///
    /// - Parameters:
    ///   - now: the wall clock when the file begins.
    ///   - keepsStem: the file continues the one before it, as after a lost camera.
    /// - Throws: `outputExists` when ten thousand names are taken.
    package mutating func next(at now: Date, keepsStem: Bool = false) throws(MediaError) -> OutputLocation {
        try next(at: now, keepsStem: keepsStem, isTaken: OutputLocation.isThere)
    }

    /// - Parameter isTaken: whether something has that path; asked for the names while recording too.
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
            reason: "ten thousand such names are taken",
            wayOut: "choose another place with --output")
    }

    private func expand(at now: Date) throws(MediaError) -> (path: String, root: String?) {
        try OutputLocation.expand(configuration, videos: videos, workingDirectory: workingDirectory, now: now)
    }
}
