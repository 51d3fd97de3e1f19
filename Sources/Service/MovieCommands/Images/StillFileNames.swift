import FileSystem
import Foundation
import Glibc
import MediaTypes

/// The paths of still images: beside the movie unless the user chose otherwise, with names that sort by time.
struct StillFileNames {
    private let input: String
    private let output: String?
    let format: StillImageFormat

    /// Creates the naming.
    ///
    /// - Throws: `invalidSettings` for an output whose extension is not an image's.
    init(input: String, output: String?, format: StillImageFormat?) throws(MediaError) {
        self.input = input
        self.output = output
        let named = output.flatMap(Self.format(of:))
        if let output, named == nil, format == nil, !Self.isDirectory(output),
            !output.fileExtension.isEmpty
        {
            throw MediaError(
                .invalidSettings, "cannot create \(output)", reason: "unknown image type",
                wayOut: "use .png or .jpg, or set --format")
        }
        self.format = format ?? named ?? .png
    }

    static func format(of path: String) -> StillImageFormat? {
        StillImageFormat(fileExtension: path.fileExtension)
    }

    /// Returns the path of one file for all images: `movie-frames.png`.
    ///
    /// - Parameter suffix: A suffix appended to the movie's name.
    func single(_ suffix: String) -> String {
        guard let output else { return beside(suffix) }
        return Self.isDirectory(output) ? inside(output, suffix) : output
    }

    /// Returns one path for each time: `movie-00h01m30.500s.png`.
    ///
    /// - Throws: `invalidSettings` if the output is a single name but there are several images, or if two images would
    ///   get the same name.
    func each(_ times: [MediaTime]) throws(MediaError) -> [String] {
        let names: [String]
        if let output, !Self.isDirectory(output) {
            if output.contains("%") {
                names = try expand(output, times)
            } else if times.count == 1 {
                names = [output]
            } else {
                throw MediaError(
                    .invalidSettings, "cannot write \(times.count) images to \(output)", reason: "it is one file name",
                    wayOut: "give a directory, or a pattern such as frame-%03d.\(format.fileExtension)")
            }
        } else {
            names = times.map { time in
                let suffix = "-" + Self.text(time)
                return output.map { inside($0, suffix) } ?? beside(suffix)
            }
        }
        var seen: Set<String> = []
        if let twice = names.first(where: { !seen.insert($0).inserted }) {
            throw MediaError(
                .invalidSettings, "cannot write \(times.count) images", reason: "two of them would be named \(twice)",
                wayOut: "put %03d into --output")
        }
        return names
    }

    /// Returns a time such as "00h01m30.500s".
    static func text(_ time: MediaTime) -> String {
        let milliseconds = max(0, time.ticks(in: 1000))
        let seconds = milliseconds / 1000
        return String(
            format: "%02lldh%02lldm%02lld.%03llds", seconds / 3600, seconds / 60 % 60, seconds % 60,
            milliseconds % 1000)
    }

    /// Expands a pattern: `%d` and `%03d` are the image's number, `%t` is its time, `%%` a percent sign.
    private func expand(_ pattern: String, _ times: [MediaTime]) throws(MediaError) -> [String] {
        let parts = pattern.split(separator: /%(?:0?[0-9]?d|t|%)/, omittingEmptySubsequences: false)
        let fields = pattern.matches(of: /%(0?)([0-9]?)(d|t|%)/)
        guard !parts.contains(where: { $0.contains("%") }), fields.count + 1 == parts.count else {
            throw MediaError(
                .invalidSettings, "cannot use the pattern \(pattern)",
                reason: "only %d, %03d, %t and %% are allowed")
        }
        return times.enumerated().map { index, time in
            var name = String(parts[0])
            for (field, part) in zip(fields, parts.dropFirst()) {
                switch field.output.3 {
                case "t": name += Self.text(time)
                case "%": name += "%"
                default:
                    let number = String(index + 1)
                    let width = Int(field.output.2) ?? 0
                    let padding = field.output.1.isEmpty ? " " : "0"
                    name += String(repeating: padding, count: max(0, width - number.count)) + number
                }
                name += part
            }
            return name
        }
    }

    private func beside(_ suffix: String) -> String {
        let directory = input.parentDirectory
        return directory.isEmpty ? stem + suffix + "." + format.fileExtension : inside(directory, suffix)
    }

    private func inside(_ directory: String, _ suffix: String) -> String {
        let place = directory.hasSuffix("/") ? directory : directory + "/"
        return place + stem + suffix + "." + format.fileExtension
    }

    private var stem: String { input.lastComponent.removingExtension }

    private static func isDirectory(_ path: String) -> Bool {
        var kind = stat()
        return path.hasSuffix("/") || (stat(path, &kind) == 0 && kind.st_mode & S_IFMT == S_IFDIR)
    }
}
