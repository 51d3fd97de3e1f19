import CYUV

/// A kind of sample that libyuv scales.
protocol ScalableSample: FixedWidthInteger {
    static func scale(_ from: SampleRows<Self>, to target: WritableSampleRows<Self>, _ filter: FilterMode)
}

extension UInt8: ScalableSample {
    static func scale(_ from: SampleRows<UInt8>, to target: WritableSampleRows<UInt8>, _ filter: FilterMode) {
        ScalePlane(
            from.start, from.stride, from.columns, from.rows, target.start, target.stride, target.columns, target.rows,
            filter)
    }
}

extension UInt16: ScalableSample {
    /// Of at most twelve bits.
    static func scale(_ from: SampleRows<UInt16>, to target: WritableSampleRows<UInt16>, _ filter: FilterMode) {
        ScalePlane_12(
            from.start, from.stride, from.columns, from.rows, target.start, target.stride, target.columns, target.rows,
            filter)
    }
}

/// Scales planes of single samples in several steps, so that libyuv's filters do what they are good at.
///
/// Enlarging, it puts corner on corner, except at twice the size, where every sample keeps its place: so a plane is doubled
/// until it is large enough. Its mean takes whole samples only, and so is true for whole ratios: for others the plane is enlarged to
/// the next whole multiple first. It divides by a number of sixteen bits, which of many samples makes the mean too dark: so
/// many are taken together in several steps.
struct SampleScaler<Sample: ScalableSample> {
    /// Memory between two steps, the smallest first; as many pieces as were ever needed at once.
    private var rooms: [[Sample]] = []
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
        if newColumns > columns || newRows > rows {
            let limit = Int32(PictureScaler.greatestLength)
            let isDouble = newColumns == columns * 2 && newRows == rows * 2
            return isDouble || columns * 2 > limit || rows * 2 > limit ? nil : (columns * 2, rows * 2)
        }
        guard Int(columns) * Int(rows) > 256 * Int(newColumns) * Int(newRows) else { return nil }
        // By sixteen at most, and to eight times the size at least.
        func reduced(_ length: Int32, _ newLength: Int32) -> Int32 {
            min(length, max(newLength * 8, (length + 15) / 16))
        }
        let (width, height) = (reduced(columns, newColumns), reduced(rows, newRows))
        return width == columns && height == rows ? nil : (width, height)
    }

    private mutating func reduce(_ from: SampleRows<Sample>, to target: WritableSampleRows<Sample>) {
        guard let (columns, rows) = Self.multiple(from.columns, from.rows, target.columns, target.rows) else {
            // Where it becomes twice as large or little smaller, libyuv makes a bilinear filter of the mean.
            return Sample.scale(from, to: target, kFilterBox)
        }
        var room = takeRoom(Int(columns) * Int(rows))
        room.withUnsafeMutableBufferPointer { middle in
            guard let start = middle.baseAddress else { return }
            let step = WritableSampleRows(start: start, stride: columns, columns: columns, rows: rows)
            Sample.scale(from, to: step, kFilterBilinear)
            Sample.scale(SampleRows(step), to: target, kFilterBox)
        }
        giveBack(room)
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

    /// The size to enlarge a plane to before it becomes smaller; nil when it can be scaled at once.
    ///
    /// libyuv takes the mean where both sides shrink to less than half; else it is bilinear.
    private static func multiple(
        _ columns: Int32, _ rows: Int32, _ newColumns: Int32, _ newRows: Int32
    ) -> (columns: Int32, rows: Int32)? {
        guard columns > 2 * newColumns || rows > 2 * newRows else { return nil }
        func enlarged(_ length: Int32, _ newLength: Int32) -> Int32 {
            max(3, (length + newLength - 1) / newLength) * newLength
        }
        let (width, height) = (enlarged(columns, newColumns), enlarged(rows, newRows))
        let limit = Int32(PictureScaler.greatestLength)
        guard width <= limit, height <= limit, width != columns || height != rows else { return nil }
        return (width, height)
    }
}
