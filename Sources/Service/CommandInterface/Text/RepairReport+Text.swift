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

    /// The loss in words, e.g. "the last 214 kB were incomplete: 12 video frames lost", or "damaged, 445 kB cannot be
    /// read: video is missing from 3.20 s to 4.00 s"; nil without a loss.
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
        parts += missingRanges
        return parts.isEmpty ? what : "\(what): \(parts.joined(separator: "; "))"
    }

    /// The first few gaps in words; `--json` lists all.
    private var missingRanges: [String] {
        let most = 3
        let texts = missing.prefix(most).map { range in
            let type = tracks.first { $0.id == range.track }?.type ?? "track \(range.track)"
            return
                "\(type) is missing from \(NumberText.duration(range.start)) to \(NumberText.duration(range.end))"
        }
        return missing.count > most ? texts + ["and \(missing.count - most) more"] : texts
    }
}
