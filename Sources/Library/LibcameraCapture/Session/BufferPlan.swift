package import MediaTypes

/// The way in which one buffer's dma-bufs are mapped, so that a frame is one range of memory. A plain value.
///
/// The dma-bufs are mapped one after the other, each at the start of a page.
package struct BufferPlan: Sendable, Hashable {
    /// One dma-buf of the buffer.
    package struct Segment: Sendable, Hashable {
        /// The index of the dma-buf among those of the message.
        package var descriptor: Int
        /// Bytes from the start of the range to the start of the dma-buf; a multiple of the page size.
        package var start: Int
        /// The bytes to map: the complete dma-buf.
        package var byteCount: Int
    }

    package var segments: [Segment]
    /// The bytes of the complete range, a multiple of the page size.
    package var byteCount: Int
    /// The layout of the frame in the range; nil for compressed frames.
    package var layout: PixelLayout?
    /// The range of each plane in the mapped memory, as stated by the helper.
    package var planes: [Range<Int>]
    /// The bytes that the camera must write to each plane for a whole frame.
    package var needed: [Int]

    /// The maximum size of a dma-buf and of the complete range, in bytes.
    static let mostBytes = 1 << 30

    /// Checks a buffer's planes against its dma-bufs and the format.
    ///
    /// - Parameters:
    ///   - sizes: The actual size of each dma-buf, in bytes, as the kernel reports it; negative for other files.
    ///   - pageSize: The page size of the system.
    /// - Throws: The first fault. Nothing of the buffer may be mapped then.
    package init(
        _ buffer: BufferDescription, sizes: [Int64], configuration: StreamConfiguration, pageSize: Int
    ) throws(BufferFault) {
        guard sizes.count == buffer.descriptorCount else { throw .missingDescriptor(buffer: buffer.index) }
        var segments: [Segment] = []
        var end = 0
        for (number, size) in sizes.enumerated() {
            guard size > 0, size <= Int64(Self.mostBytes) else { throw .size(buffer: buffer.index, bytes: size) }
            let byteCount = Int(size)
            segments.append(Segment(descriptor: number, start: end, byteCount: byteCount))
            end += (byteCount + pageSize - 1) / pageSize * pageSize
        }
        guard end <= Self.mostBytes else { throw .size(buffer: buffer.index, bytes: Int64(end)) }
        var planes: [Range<Int>] = []
        for plane in buffer.planes {
            guard segments.indices.contains(plane.descriptor) else { throw .missingDescriptor(buffer: buffer.index) }
            let segment = segments[plane.descriptor]
            // In range: all three are less than 2³².
            guard plane.length > 0, plane.offset + plane.length <= segment.byteCount else {
                throw .tooSmall(
                    buffer: buffer.index, stated: plane.offset + plane.length, actual: segment.byteCount)
            }
            let start = segment.start + plane.offset
            planes.append(start..<(start + plane.length))
        }
        self.segments = segments
        byteCount = end
        self.planes = planes
        guard let format = configuration.format.pixelFormat else {
            guard planes.count == 1 else { throw .planes(buffer: buffer.index, count: planes.count) }
            self.layout = nil
            self.needed = [1]
            return
        }
        let placed = try Self.layout(of: format, planes, configuration, buffer: buffer.index)
        self.layout = placed
        self.needed = Self.needed(placed, stated: planes)
    }

    /// Returns the layout of a raw frame.
    private static func layout(
        of format: PixelFormat, _ planes: [Range<Int>], _ configuration: StreamConfiguration, buffer: Int
    ) throws(BufferFault) -> PixelLayout {
        let (width, height) = (configuration.width, configuration.height)
        let stride = configuration.stride
        let least = PixelLayout(format: format, width: width, height: height)
        guard stride >= least.planes[0].bytesPerRow else {
            throw .stride(stride, needed: least.planes[0].bytesPerRow)
        }
        // The chroma rows follow the kernel's formats. Half of an odd stride may be too short, which is checked below.
        let padded = PixelLayout(format: format, width: width, height: height, bytesPerRow: stride)
        let layout: PixelLayout
        switch planes.count {
        case padded.planes.count:
            let placed = zip(padded.planes, planes).map {
                PixelLayout.Plane(offset: $1.lowerBound, bytesPerRow: $0.bytesPerRow, rows: $0.rows)
            }
            layout = PixelLayout(format: format, width: width, height: height, planes: placed)
            for (plane, stated) in zip(placed, planes) where plane.bytesPerRow * plane.rows > stated.count {
                throw .tooSmall(buffer: buffer, stated: plane.bytesPerRow * plane.rows, actual: stated.count)
            }
        case 1:
            // The helper stated a single plane, which contains all planes of the frame, one after the other.
            let placed = padded.planes.map {
                PixelLayout.Plane(
                    offset: planes[0].lowerBound + $0.offset, bytesPerRow: $0.bytesPerRow, rows: $0.rows)
            }
            layout = PixelLayout(format: format, width: width, height: height, planes: placed)
            guard padded.byteCount <= planes[0].count else {
                throw .tooSmall(buffer: buffer, stated: padded.byteCount, actual: planes[0].count)
            }
        default: throw .planes(buffer: buffer, count: planes.count)
        }
        guard layout.holdsWholeFrame else { throw .stride(stride, needed: least.planes[0].bytesPerRow) }
        return layout
    }

    /// Returns the bytes of a whole frame in each plane that the helper stated. The padding of the last row may be
    /// missing.
    private static func needed(_ layout: PixelLayout, stated: [Range<Int>]) -> [Int] {
        let least = PixelLayout(format: layout.format, width: layout.width, height: layout.height)
        func end(_ index: Int) -> Int {
            layout.planes[index].bytesPerRow * (layout.planes[index].rows - 1) + least.planes[index].bytesPerRow
        }
        guard stated.count == layout.planes.count else {
            let last = layout.planes.count - 1
            return [layout.planes[last].offset - stated[0].lowerBound + end(last)]
        }
        return layout.planes.indices.map(end)
    }
}

/// The reason why a buffer of the helper cannot hold frames. Every fault ends the helper.
package enum BufferFault: Error, Sendable, Hashable {
    /// A dma-buf of the buffer did not arrive.
    case missingDescriptor(buffer: Int)
    /// A file is not a dma-buf (a negative size), or has a size that no frame has.
    case size(buffer: Int, bytes: Int64)
    /// A dma-buf or a plane is smaller than it must be.
    case tooSmall(buffer: Int, stated: Int, actual: Int)
    /// Rows that are shorter than the frame is wide.
    case stride(Int, needed: Int)
    /// The number of planes is not that of the format.
    case planes(buffer: Int, count: Int)
    /// The kernel refused to map the memory.
    case unmappable(buffer: Int, errno: Int32)
}

extension BufferFault: CustomStringConvertible {
    /// The fault as the reason in an error's message.
    package var description: String {
        switch self {
        case .missingDescriptor(let buffer): "a dma-buf of buffer \(buffer) is missing"
        case .size(let buffer, let bytes) where bytes < 0: "the memory of buffer \(buffer) is not a dma-buf"
        case .size(let buffer, let bytes): "a dma-buf of buffer \(buffer) has \(bytes) bytes"
        case .tooSmall(let buffer, let stated, let actual):
            "buffer \(buffer) has \(actual) bytes where \(stated) are needed"
        case .stride(let stride, let needed): "rows have \(stride) bytes, but need \(needed)"
        case .planes(let buffer, let count): "buffer \(buffer) has \(count) planes, which is not what its format has"
        case .unmappable(let buffer, let errno): "the memory of buffer \(buffer) cannot be mapped (errno \(errno))"
        }
    }
}
