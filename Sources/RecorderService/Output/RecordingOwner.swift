import Foundation
import MovieFile

/// Who writes a recording's file now: the lock tells the process, and the recorders' lists its name.
enum RecordingOwner {
    /// "front records it now", "process 4711 writes it now"; nil: nobody does.
    ///
    /// - Parameter temporary: the path while it is recorded.
    static func text(of temporary: String, in state: StateDirectory = StateDirectory()) -> String? {
        guard let process = DiskFile.writer(of: temporary) else { return nil }
        return recorder(of: temporary, in: state).map { "\($0) records it now" } ?? "process \(process) writes it now"
    }

    /// The recorder that entered the file among its unfinished ones.
    private static func recorder(of temporary: String, in state: StateDirectory) -> String? {
        let wanted = Set([temporary, OutputLocation.finalPath(of: temporary)].compactMap(\.self))
        let lists = (try? FileManager.default.contentsOfDirectory(atPath: state.path)) ?? []
        for list in lists.sorted() {
            guard let suffix = [".unfinished.json", ".mirrored.json"].first(where: list.hasSuffix),
                let data = FileManager.default.contents(atPath: "\(state.path)/\(list)"),
                let entries = try? JSONSerialization.jsonObject(with: data) as? [Any]
            else { continue }
            let paths = entries.flatMap { entry in
                (entry as? String).map { [$0] } ?? (entry as? [String: Any])?.values.compactMap { $0 as? String } ?? []
            }
            if !wanted.isDisjoint(with: paths) { return String(list.dropLast(suffix.count)) }
        }
        return nil
    }
}
