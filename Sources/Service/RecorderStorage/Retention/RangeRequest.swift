import CommandInterface
import FileSystem
import Foundation
import MediaTypes

/// A request to keep a time range as a clip. It is stored until it is carried out. `recorder keep --resume`
/// continues it after a crash.
package struct RangeRequest: Codable, Sendable, Hashable {
    /// A file of the range.
    package struct File: Codable, Sendable, Hashable {
        /// The path at the time of the request. The path of an unfinished file has the temporary name.
        package let path: String
        /// The inode number of the file, which stays the same if the file is renamed.
        package let inode: UInt64
    }

    /// Eight hexadecimal digits. The names of the clips contain them, so that no other file has the same name.
    package let id: String
    package let recorder: String
    /// The time range, in seconds since 1970.
    package let from: Double
    package let to: Double
    package let note: String?
    /// True to stop keeping the files once the clips are kept.
    package let releasesFiles: Bool
    package let files: [File]
    /// The paths of the clips; empty until they are planned.
    package var clips: [String] = []

    package var range: ClosedRange<Double> { from...max(from, to) }

    /// Returns the paths of the clips beside the first file, such as `front-2026-11-24-14-30-00-clip-1f3a9c2b.mov`.
    ///
    /// - Parameter begins: The time at which each clip begins, in seconds since 1970.
    func clipPaths(_ begins: [Double], like file: String) -> [String] {
        begins.enumerated().map { index, begin -> String in
            var fields = LocalTime.fields(of: Date(timeIntervalSince1970: min(max(0, begin), 1e11)))
            var text = [CChar](repeating: 0, count: 64)
            let count = strftime(&text, text.count, "%Y-%m-%d-%H-%M-%S", &fields)
            let time = String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // The suffix is `-part2` and not `-2`, because a name that was taken gets a dash and digits
            // (`RecordingPins.unnumbered`).
            let part = begins.count > 1 ? "-part\(index + 1)" : ""
            return file.parentDirectory
                .appendingComponent("\(recorder)-\(time)-clip-\(id)\(part).\(file.fileExtension)")
        }
    }

    /// Returns true if a file has the name of a clip that a request made.
    package static func isClip(_ path: String) -> Bool {
        path.lastComponent.contains(/-[0-9]{4}(-[0-9]{2}){5}-clip-[0-9a-f]{8}(-part[0-9]+)?\.[^.]+$/)
    }
}

/// The stored requests of one recorder: a file for each in the state directory. The calls access the disk.
struct RangeRequests {
    let name: RecordingName
    let state: StateDirectory

    private static let ending = ".json"
    private var beginning: String { "\(name).range-" }

    private func path(_ id: String) -> String { state.path + "/" + beginning + id + Self.ending }

    /// Stores a request. Returns once the request is synced, so that it survives a power loss.
    func store(_ request: RangeRequest) throws(MediaError) {
        try state.create()
        guard let data = try? JSONText.data(request) else {
            throw MediaError(.invalidState, "cannot write \(path(request.id))", reason: "it cannot be encoded")
        }
        try AtomicFile.write(data, to: path(request.id), overwrite: true, isDurable: true)
    }

    func remove(_ request: RangeRequest) { unlink(path(request.id)) }

    /// The stored requests, the earliest range first. Leaves out a request that cannot be read; its files stay kept.
    var all: [RangeRequest] {
        let names = (FolderContents.names(in: state.path) ?? []).filter {
            $0.hasPrefix(beginning) && $0.hasSuffix(Self.ending)
        }
        let requests = names.compactMap { name -> RangeRequest? in
            guard let bytes = FileContents.bytes(of: state.path + "/" + name) else { return nil }
            return try? JSONDecoder().decode(RangeRequest.self, from: Data(bytes))
        }
        return requests.filter { $0.recorder == name.description }.sorted { ($0.from, $0.id) < ($1.from, $1.id) }
    }
}
