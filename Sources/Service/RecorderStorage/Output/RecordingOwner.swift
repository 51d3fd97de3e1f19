import FileSystem
import Foundation
import MovieFile

/// Finds out who is writing a recording file: its lock shows the process, and the recorders' lists of unfinished files
/// show the recorder.
enum RecordingOwner {
    /// Returns "front is recording it" or "process 4711 is writing it"; nil if the file is not being written.
    ///
    /// - Parameter temporary: The path of the file while it is being recorded.
    static func text(of temporary: String, in state: StateDirectory = StateDirectory()) -> String? {
        guard let process = DiskFile.writer(of: temporary) else { return nil }
        return recorder(of: temporary, in: state).map { "\($0) is recording it" } ?? "process \(process) is writing it"
    }

    /// Returns the recorder that listed the file as unfinished.
    private static func recorder(of temporary: String, in state: StateDirectory) -> String? {
        let wanted = Set([temporary, OutputLocation.finalPath(of: temporary)].compactMap(\.self))
        let lists = FolderContents.names(in: state.path) ?? []
        for list in lists.sorted() {
            guard let suffix = [".unfinished.json", ".mirrored.json"].first(where: list.hasSuffix),
                let bytes = FileContents.bytes(of: "\(state.path)/\(list)"),
                let entries = try? JSONSerialization.jsonObject(with: Data(bytes)) as? [Any]
            else { continue }
            let paths = entries.flatMap { entry in
                (entry as? String).map { [$0] } ?? (entry as? [String: Any])?.values.compactMap { $0 as? String } ?? []
            }
            if !wanted.isDisjoint(with: paths) { return String(list.dropLast(suffix.count)) }
        }
        return nil
    }
}
