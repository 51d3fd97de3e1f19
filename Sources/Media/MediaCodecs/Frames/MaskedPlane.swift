/// The masked samples of one plane, ready to be painted without allocations.
struct MaskedPlane {
    /// The size of a sample.
    enum Sample {
        case byte
        /// Sixteen bits, of which only some are part of the value.
        case word(valid: UInt16)
    }

    /// Neighboring bytes of a row.
    private struct Span {
        var row: Int
        var bytes: Range<Int>
    }

    private enum Content {
        /// Fills the spans by copying bytes from a row that has the mask's color everywhere.
        case fill([Span], row: [UInt8])
        case blocks([PixelRectangle], averages: [Int], Sample)
    }

    private let content: Content

    /// - Parameters:
    ///   - rows: the masked positions of each row.
    ///   - values: the bytes of the color at one position.
    ///   - columns: the number of positions in a row.
    init(fill rows: [[Range<Int>]], _ values: [UInt8], columns: Int) {
        let spans = rows.enumerated().flatMap { row, ranges in
            ranges.map {
                Span(row: row, bytes: ($0.lowerBound * values.count)..<($0.upperBound * values.count))
            }
        }
        let row = [[UInt8]](repeating: values, count: columns).flatMap(\.self)
        content = .fill(spans, row: row)
    }

    /// - Parameters:
    ///   - blocks: the masked blocks, in positions of the plane.
    ///   - averages: for each channel of a position, the index of the mean that its samples contribute to.
    init(blocks: [PixelRectangle], averaging averages: [Int], _ sample: Sample) {
        content = .blocks(blocks, averages: averages, sample)
    }

    /// - Parameter start: the first byte of the plane.
    func paint(_ start: UnsafeMutableRawPointer, bytesPerRow: Int) {
        switch content {
        case .fill(let spans, let row):
            row.withUnsafeBytes { row in
                guard let color = row.baseAddress else { return }
                for span in spans {
                    (start + span.row * bytesPerRow + span.bytes.lowerBound).copyMemory(
                        from: color + span.bytes.lowerBound, byteCount: span.bytes.count)
                }
            }
        case .blocks(let blocks, let averages, .byte):
            let samples = start.assumingMemoryBound(to: UInt8.self)
            for block in blocks { Self.level(block, samples, stride: bytesPerRow, averages, valid: .max) }
        case .blocks(let blocks, let averages, .word(let valid)):
            let samples = start.assumingMemoryBound(to: UInt16.self)
            for block in blocks { Self.level(block, samples, stride: bytesPerRow / 2, averages, valid: valid) }
        }
    }

    /// Sets the samples of a block to their mean.
    private static func level<Value: FixedWidthInteger>(
        _ block: PixelRectangle, _ start: UnsafeMutablePointer<Value>, stride: Int, _ averages: [Int], valid: Value
    ) {
        let channels = averages.count
        // A position has at most four channels.
        var (sums, counts) = (SIMD4<Int>.zero, SIMD4<Int>.zero)
        for channel in 0..<channels { counts[averages[channel]] += block.width * block.height }
        for y in block.y..<(block.y + block.height) {
            let row = start + y * stride
            for x in block.x..<(block.x + block.width) {
                for channel in 0..<channels {
                    sums[averages[channel]] += Int(row[x * channels + channel] & valid)
                }
            }
        }
        var means = SIMD4<Int>.zero
        for index in 0..<channels where counts[index] > 0 {
            means[index] = (sums[index] + counts[index] / 2) / counts[index]
        }
        for y in block.y..<(block.y + block.height) {
            let row = start + y * stride
            for x in block.x..<(block.x + block.width) {
                for channel in 0..<channels {
                    row[x * channels + channel] = Value(truncatingIfNeeded: means[averages[channel]]) & valid
                }
            }
        }
    }
}
