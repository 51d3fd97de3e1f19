import Foundation
import MediaTypes

/// The common facts of joined assets: a continuous timecode, and the sum of the ledgers. A plain value.
struct SharedMetadata {
    /// The timecode of the first asset; nil once an asset does not continue it.
    private(set) var timecode: AssetTimecode?
    private var accounts: [String: Ledger]? = [:]
    private var isFirst = true

    /// The tolerance in frames: clocks are read once for each file of a recording, and frames do not arrive at exact
    /// times.
    private static let slack = 2

    /// Adds the next asset, which begins at `time` of the composition.
    mutating func take(_ metadata: [MetadataItem], _ code: AssetTimecode?, at time: MediaTime) {
        if isFirst {
            timecode = code
        } else if let first = timecode {
            let expected = Int64(first.advanced(by: time).frameNumber)
            let isNext = code.map { $0.format == first.format && Self.distance(Int64($0.frameNumber), expected, $0) }
            if isNext != true { timecode = nil }
        }
        isFirst = false
        let own = metadata.first { $0.key == MetadataItem.ledgerKey }?.value
        let account = own.flatMap { try? JSONDecoder().decode([String: Ledger].self, from: Data($0.utf8)) }
        guard let account, let sum = accounts else {
            accounts = nil
            return
        }
        accounts = sum.merging(account) { $0 + $1 }
    }

    private static func distance(_ one: Int64, _ other: Int64, _ code: AssetTimecode) -> Bool {
        let day = max(1, code.format.framesPerDay)
        let difference = ((one - other) % day + day) % day
        return min(difference, day - difference) <= slack
    }

    /// The sum of the ledgers; nil if one of the assets has none.
    var ledger: MetadataItem? {
        guard let accounts, !accounts.isEmpty else { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        guard let json = try? encoder.encode(accounts) else { return nil }
        return MetadataItem(key: MetadataItem.ledgerKey, value: String(decoding: json, as: UTF8.self))
    }
}
