import CYUV

/// A sample type that libyuv can scale.
protocol ScalableSample: FixedWidthInteger {
    static func scale(_ from: SampleRows<Self>, to target: WritableSampleRows<Self>, _ filter: FilterMode)
    /// Computes the exact mean of the samples that each sample of a smaller plane covers.
    ///
    /// - Parameter room: memory of the size that `cyuv_area_bytes` needs.
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
    /// Scales samples of at most twelve bits.
    static func scale(_ from: SampleRows<UInt16>, to target: WritableSampleRows<UInt16>, _ filter: FilterMode) {
        ScalePlane_12(
            from.start, from.stride, from.columns, from.rows, target.start, target.stride, target.columns, target.rows,
            filter)
    }

    /// Averages samples of at most twelve bits.
    static func average(
        _ from: SampleRows<UInt16>, to target: WritableSampleRows<UInt16>, room: UnsafeMutablePointer<UInt32>
    ) {
        cyuv_area_words(
            from.start, from.stride, from.columns, from.rows, target.start, target.stride, target.columns, target.rows,
            room)
    }
}

/// Scales planes of one channel. Works around two limits of libyuv's filters.
///
/// First, libyuv enlarges a plane by mapping corner to corner, so that samples move. Only at twice the size does every
/// sample keep its position. Therefore a plane is doubled in several steps until it is large enough. Second, libyuv's
/// mean uses complete samples only, and divides by a 16-bit number, which makes the mean of many samples too dark.
/// Therefore this type itself computes the mean for ratios that are large or not integers.
struct SampleScaler<Sample: ScalableSample> {
    /// Pieces of memory for the planes between two steps, the smallest first. There are as many pieces as were ever
    /// needed at the same time.
    private var rooms: [[Sample]] = []
    private var sums: [UInt32] = []
    /// The number of allocations from the system.
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

    /// Returns the size after the next step; nil if this step reaches the final size.
    private static func step(
        _ columns: Int32, _ rows: Int32, _ newColumns: Int32, _ newRows: Int32
    ) -> (columns: Int32, rows: Int32)? {
        guard newColumns > columns || newRows > rows else { return nil }
        let limit = Int32(FrameScaler.greatestLength)
        let isDouble = newColumns == columns * 2 && newRows == rows * 2
        return isDouble || columns * 2 > limit || rows * 2 > limit ? nil : (columns * 2, rows * 2)
    }

    private mutating func reduce(_ from: SampleRows<Sample>, to target: WritableSampleRows<Sample>) {
        // For results from half to twice the size, libyuv uses a bilinear filter instead of the mean.
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

    /// Returns true if a plane shrinks to less than half, and libyuv would not compute an exact mean. If only one side
    /// shrinks to less than half, libyuv uses a bilinear filter instead of the mean. The mean is exact only for ratios
    /// that are integers and small.
    private static func needsMean(_ columns: Int32, _ rows: Int32, _ newColumns: Int32, _ newRows: Int32) -> Bool {
        guard columns >= newColumns, rows >= newRows, columns > 2 * newColumns || rows > 2 * newRows else {
            return false
        }
        let isWhole = columns % newColumns == 0 && rows % newRows == 0
        let isSmall = Int(columns) * Int(rows) <= 256 * Int(newColumns) * Int(newRows)
        return !(isWhole && isSmall && columns > 2 * newColumns && rows > 2 * newRows)
    }

    /// Takes the smallest piece that is large enough. If no piece is large enough, a new piece replaces the largest.
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
