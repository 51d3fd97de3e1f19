import Foundation
public import MediaTypes

extension RepairReport {
    /// What `recorder repair` prints about one file, on one line, and a second one where something was lost.
    public var text: String {
        switch outcome {
        case .whole: return "\(file): whole already, nothing to do"
        case .repaired:
            let name = file == source ? file : "\(source) → \(file)"
            var lines = [
                "\(name): \(NumberText.duration(duration ?? 0)) kept" + (loss.map { "; \($0)" } ?? ", all of it")
            ]
            if let note { lines.append("  \(note)") }
            return lines.joined(separator: "\n")
        }
    }

    /// "the last 214 kB were torn: 12 video frames lost"
    private var loss: String? {
        guard wasTorn else { return nil }
        let lost = tracks.filter { $0.lost > 0 }.map { track in
            "\(NumberText.grouped(track.lost)) \(track.type == "video" ? "video frames" : "packets of \(track.type)")"
        }
        let bytes = "the last \(NumberText.bytes(abandonedBytes)) were torn"
        return lost.isEmpty ? bytes : "\(bytes): \(lost.joined(separator: " and ")) lost"
    }
}
