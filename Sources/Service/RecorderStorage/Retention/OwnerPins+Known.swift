import Foundation

/// The pins of many recordings, for lists.
extension OwnerPins {
    /// The maximum number of pins that are read from one catalogue. Further kept recordings are recognized by their
    /// sidecars.
    private static let most = 10_000

    /// Returns the pins in the catalogues, by the paths of the finished recordings. A catalogue that cannot be read is
    /// left out.
    ///
    /// - Parameter recorder: The name of one recorder; nil for all.
    package func known(of recorder: String?) -> [String: RecordingPin] {
        let names = recorder.map { [$0].compactMap { try? RecordingName(parsing: $0) } } ?? owner.recorders()
        var known: [String: RecordingPin] = [:]
        for name in names {
            let catalogue = RecordingCatalogue(name, in: owner.state)
            for entry in (try? catalogue.kept(count: Self.most)) ?? [] { known[entry.path] = entry.pin }
        }
        return known
    }

    /// Returns the activity of finished recordings in a time range from the catalogues, by the recorder's name. A
    /// catalogue that cannot be read is left out.
    ///
    /// - Parameter recorder: The name of one recorder; nil for all.
    package func activity(
        in range: ClosedRange<Double>, of recorder: String?
    ) -> [String: [RecordingCatalogue.Activity]] {
        let names = recorder.map { [$0].compactMap { try? RecordingName(parsing: $0) } } ?? owner.recorders()
        var found: [String: [RecordingCatalogue.Activity]] = [:]
        for name in names {
            let catalogue = RecordingCatalogue(name, in: owner.state)
            found[name.description] = try? catalogue.activity(in: range)
        }
        return found
    }

    /// Returns the pin of a recording, finished or in progress; nil if it is not kept.
    ///
    /// - Parameter known: The recording's pin in the catalogue, or nil if the catalogue has none.
    package func pin(of path: String, _ known: RecordingPin?) -> RecordingPin? {
        known
            ?? RecordingPins.pin(
                of: OutputLocation.finalPath(of: path) ?? path, now: Date().timeIntervalSince1970)
    }
}
