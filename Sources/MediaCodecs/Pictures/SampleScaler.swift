import CYUV

/// A kind of sample that libyuv scales.
protocol ScalableSample: FixedWidthInteger {
    static func scale(_ from: SampleRows<Self>, to target: WritableSampleRows<Self>, _ filter: FilterMode)
    /// The exact mean of what every sample of a smaller plane covers.
    ///
    /// - Parameter room: as much as `cyuv_area_bytes` needs.
    static func average(
        _ from: SampleRows<Self>, to target: WritableSampleRows<Self>, room: UnsafeMutablePointer<UInt32>)
}

extension UInt8: ScalableSample {
    static func scale(_ from: SampleRows<UInt8>, to target: WritableSampleRows<UInt8>, _ filter: FilterMode) {
        ScalePlane(
            from.start, from.stride, from.columns, from.rows, target.start, target.stride, target.columns, target.rows,
            filter)
    }

    static func average(
        _ from: SampleRows<UInt8>, to target: WritableSampleRows<UInt8>, room: UnsafeMutablePointer<UInt32>
    ) {
        cyuv_area_bytes(
            from.start, from.stride, from.columns, from.rows, target.start, target.stride, target.columns, target.rows,
            room)
    }
}

extension UInt16: ScalableSample {
    /// Of at most twelve bits.
    static func scale(_ from: SampleRows<UInt16>, to target: WritableSampleRows<UInt16>, _ filter: FilterMode) {
        ScalePlane_12(
            from.start, from.stride, from.columns, from.rows, target.start, target.stride, target.columns, target.rows,
            filter)
    }

    /// Of at most twelve bits.
    static func average(
        _ from: SampleRows<UInt16>, to target: WritableSampleRows<UInt16>, room: UnsafeMutablePointer<UInt32>
    ) {
        cyuv_area_words(
            from.start, from.stride, from.columns, from.rows, target.start, target.stride, target.columns, target.rows,
            room)
    }
}

/// Scales planes of single samples, in several steps where they become larger, so that libyuv's filters do what they are good at.
///
/// Enlarging, it puts corner on corner, except at twice the size, where every sample keeps its place: so a plane is doubled
/// until it is large enough. Its mean takes whole samples only, and divides by a number of sixteen bits, which of many samples makes
/// it too dark: other ratios than whole ones, and large ones, are averaged here.
struct SampleScaler<Sample: ScalableSample> {
    /// Memory between two steps, the smallest first; as many pieces as were ever needed at once.
    private var rooms: [[Sample]] = []
    private var sums: [UInt32] = []
    /// How many times memory was taken from the system.
    private(set) var allocationCount = 0

    mutating func scale(_ from: SampleRows<Sample>, to target: WritableSampleRows<Sample>) {
        guard let (columns, rows) = Self.step(from.columns, from.rows, target.columns, target.rows) else {
            return reduce(from, to: target)
        }
        var room = takeRoom(Int(columns) * Int(rows))
        room.withUnsafeMutableBufferPointer { middle in
            guard let start = middle.baseAddress else { return }
            let step = WritableSampleRows(start: start, stride: columns, columns: columns, rows: rows)
            reduce(from, to: step)
            scale(SampleRows(step), to: target)
        }
        giveBack(room)
    }

    /// The size between two steps; nil when one will do.
    private static func step(
        _ columns: Int32, _ rows: Int32, _ newColumns: Int32, _ newRows: Int32
    ) -> (columns: Int32, rows: Int32)? {
        guard newColumns > columns || newRows > rows else { return nil }
        let limit = Int32(PictureScaler.greatestLength)
        let isDouble = newColumns == columns * 2 && newRows == rows * 2
        return isDouble || columns * 2 > limit || rows * 2 > limit ? nil : (columns * 2, rows * 2)
    }

    private mutating func reduce(_ from: SampleRows<Sample>, to target: WritableSampleRows<Sample>) {
        // Where it becomes twice as large or little smaller, libyuv makes a bilinear filter of the mean.
        guard Self.needsMean(from.columns, from.rows, target.columns, target.rows) else {
            return Sample.scale(from, to: target, kFilterBox)
        }
        let count = Int(from.columns) * 3 + Int(target.columns) * 2
        if sums.count < count {
            sums = [UInt32](repeating: 0, count: count)
            allocationCount += 1
        }
        sums.withUnsafeMutableBufferPointer { sums in
            guard let room = sums.baseAddress else { return }
            Sample.average(from, to: target, room: room)
        }
    }

    /// Whether a plane shrinks to less than half in a way that libyuv's mean is not true for. It takes the mean where both sides
    /// do; else it is bilinear.
    private static func needsMean(_ columns: Int32, _ rows: Int32, _ newColumns: Int32, _ newRows: Int32) -> Bool {
        guard columns >= newColumns, rows >= newRows, columns > 2 * newColumns || rows > 2 * newRows else {
            return false
        }
        let isWhole = columns % newColumns == 0 && rows % newRows == 0
        let isSmall = Int(columns) * Int(rows) <= 256 * Int(newColumns) * Int(newRows)
        return !(isWhole && isSmall && columns > 2 * newColumns && rows > 2 * newRows)
    }

    /// The smallest piece that is large enough; one more, in the place of the largest, when there is none.
    private mutating func takeRoom(_ count: Int) -> [Sample] {
        if let index = rooms.firstIndex(where: { $0.count >= count }) { return rooms.remove(at: index) }
        _ = rooms.popLast()
        allocationCount += 1
        return [Sample](repeating: 0, count: count)
    }

    private mutating func giveBack(_ room: [Sample]) {
        rooms.insert(room, at: rooms.firstIndex { $0.count >= room.count } ?? rooms.endIndex)
    }
}
