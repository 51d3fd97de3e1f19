import Foundation
package import MediaTypes

/// The masks of one file, as its metadata stores them: those at its beginning, and each change.
package struct RecordedMasks: Sendable, Hashable {
    /// The masks from one time until the next change.
    package struct Entry: Sendable, Hashable, Codable {
        /// Seconds from the beginning of the file.
        package var time: Double
        package var style: String
        /// The masks as the configuration writes them; empty if the masks were removed at `time`.
        package var masks: [String]

        package init(time: Double, style: String, masks: [String]) {
            self.time = time
            self.style = style
            self.masks = masks
        }
    }

    package var entries: [Entry]

    /// Creates the masks of a file in which they never change; nil without masks.
    package init?(_ settings: FrameStageSettings) { self.init([(.zero, settings)], from: .zero, to: nil) }

    /// - Parameters:
    ///   - changes: all changes so far, with their times by the recording's timeline.
    ///   - start: the beginning of the file, on the same timeline.
    ///   - end: the end of the file; nil if it has not ended.
    /// - Returns: nil for a file without masks.
    package init?(
        _ changes: [(time: MediaTime, settings: FrameStageSettings)], from start: MediaTime, to end: MediaTime?
    ) {
        entries = []
        for change in changes {
            let masks = change.settings.masks.map { MaskText.text($0) }
            var entry = Entry(
                time: max(0, (change.time - start).seconds), style: MaskText.text(change.settings.maskStyle),
                masks: masks)
            if let end, change.time >= end { break }
            // If several changes precede the file, only the last one counts.
            if entry.time == 0 { entries = [] }
            entry.time = (entry.time * 1000).rounded() / 1000
            // If only the stamp was changed, nothing is recorded.
            if let last = entries.last, last.style == entry.style, last.masks == entry.masks { continue }
            entries.append(entry)
        }
        guard entries.contains(where: { !$0.masks.isEmpty }) else { return nil }
    }

    package var metadataItem: MetadataItem {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        let json = (try? encoder.encode(entries)).map { String(decoding: $0, as: UTF8.self) }
        return MetadataItem(key: MetadataItem.masksKey, value: json ?? "[]")
    }
}
