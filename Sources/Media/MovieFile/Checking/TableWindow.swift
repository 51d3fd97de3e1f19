import MediaTypes

/// A table of 32-bit numbers in a file, of any length, read through a small window.
struct TableWindow {
    private let storage: any MovieStorage
    private let start: UInt64
    /// The length of the table, in numbers.
    let count: UInt64
    private var window: [UInt8] = []
    private var first: UInt64 = 0
    private static let numbers: UInt64 = 16 << 10

    init(_ storage: any MovieStorage, start: UInt64, end: UInt64) {
        self.storage = storage
        self.start = start
        count = end > start ? (end - start) / 4 : 0
    }

    /// Returns a number; nil past the end of the table or of the file.
    mutating func number(_ index: UInt64) throws(MediaError) -> UInt32? {
        guard index < count else { return nil }
        if index < first || index >= first + UInt64(window.count / 4) {
            window = try storage.read(Int(min(Self.numbers, count - index)) * 4, at: start + index * 4)
            first = index
            guard window.count >= 4 else { return nil }
        }
        let place = Int(index - first) * 4
        return UInt32(window[place]) << 24 | UInt32(window[place + 1]) << 16 | UInt32(window[place + 2]) << 8
            | UInt32(window[place + 3])
    }

    /// Returns two consecutive numbers as one 64-bit number.
    mutating func long(_ index: UInt64) throws(MediaError) -> UInt64? {
        guard let high = try number(index), let low = try number(index + 1) else { return nil }
        return UInt64(high) << 32 | UInt64(low)
    }
}

/// The runs of an `stts` or `ctts` table. Each run has a number of samples, and one value for all of them.
struct TableRuns {
    private var table: TableWindow
    private var next: UInt64 = 2
    /// The number of samples that remain in the current run.
    private(set) var left: UInt64 = 0
    private(set) var value: UInt32 = 0
    private var entries: UInt64

    init?(_ table: TableWindow) throws(MediaError) {
        self.table = table
        guard let count = try self.table.number(1), UInt64(count) * 2 + 2 <= table.count else { return nil }
        entries = UInt64(count)
    }

    /// Moves to the next run if the current one is used up. Returns false at the end.
    mutating func fill() throws(MediaError) -> Bool {
        while left == 0 {
            guard entries > 0, let count = try table.number(next), let value = try table.number(next + 1) else {
                return false
            }
            (left, self.value) = (UInt64(count), value)
            next += 2
            entries -= 1
        }
        return true
    }

    mutating func take(_ count: UInt64) { left -= min(count, left) }
}
