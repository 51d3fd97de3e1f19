package import AssetIO
import Foundation

extension RepairReport {
    /// The output of `recorder repair` for one file: one line, and a second one if there is a note.
    package var text: String {
        switch outcome {
        case .whole: return "\(file): already intact, nothing to do"
        case .repaired:
            let name = file == source ? file : "\(source) → \(file)"
            var lines = [
                "\(name): \(NumberText.duration(duration ?? 0)) kept" + (loss.map { "; \($0)" } ?? ", nothing lost")
            ]
            if let note { lines.append("  \(note)") }
            return lines.joined(separator: "\n")
        }
    }

    /// "the last 214 kB were incomplete: 12 video frames lost", "damaged, 445 kB cannot be read: video is missing from
    /// 3.20 s to 4.00 s"
    private var loss: String? {
        guard wasTorn || wasDamaged else { return nil }
        let lost = tracks.filter { $0.lost > 0 }.map { track in
            "\(NumberText.grouped(track.lost)) \(track.type == "video" ? "video frames" : "\(track.type) packets")"
        }
        let bytes = NumberText.bytes(abandonedBytes)
        let what =
            wasDamaged
            ? "damaged" + (abandonedBytes > 0 ? ", \(bytes) cannot be read" : "") : "the last \(bytes) were incomplete"
        var parts = lost.isEmpty ? [] : ["\(lost.joined(separator: " and ")) lost"]
        parts += stretches
        return parts.isEmpty ? what : "\(what): \(parts.joined(separator: "; "))"
    }

    /// The first few gaps in words; `--json` lists all.
    private var stretches: [String] {
        let most = 3
        let texts = missing.prefix(most).map { stretch in
            let type = tracks.first { $0.id == stretch.track }?.type ?? "track \(stretch.track)"
            return
                "\(type) is missing from \(NumberText.duration(stretch.start)) to \(NumberText.duration(stretch.end))"
        }
        return missing.count > most ? texts + ["and \(missing.count - most) more"] : texts
    }
}
