import MediaTypes

/// The layout of a frame's rows in the memory of an encoder's buffers. Copies frames into that memory.
///
/// A driver may require longer rows, and more rows, than a frame has, because its encoder works in whole blocks. A
/// buffer has one plane of memory, or one for each plane of the frame (the formats whose V4L2 name ends in M).
///
/// Source: the Linux media API, "Image Formats", NV12 and YUV420; struct v4l2_plane_pix_format.
struct EncoderPlanes: Sendable, Hashable {
    struct Place: Sendable, Hashable {
        /// The index of the plane of memory.
        var memory: Int
        var offset: Int
        var bytesPerRow: Int
        /// The number of rows of a frame, and the number of bytes in each row.
        var rows: Int
        var rowBytes: Int

        /// The end of the last row.
        var end: Int { offset + (rows - 1) * bytesPerRow + rowBytes }
    }

    let format: PixelFormat
    let width: Int
    let height: Int
    let places: [Place]
    /// The bytes that are used in each plane of memory.
    let used: [Int]

    /// - Parameters:
    ///   - format: `nv12` or `i420`.
    ///   - strides: The bytes per row of each plane of memory.
    ///   - lengths: The bytes of each plane of memory.
    ///   - codedHeight: The rows of the driver's first plane.
    /// - Returns: nil if the frame does not fit, or for another format.
    init?(format: PixelFormat, width: Int, height: Int, strides: [Int], lengths: [Int], codedHeight: Int) {
        let sizes = 1..<(1 << 16)
        guard sizes.contains(width), sizes.contains(height), sizes.contains(codedHeight), codedHeight >= height,
            strides.count == lengths.count, strides.allSatisfy({ (1..<(1 << 24)).contains($0) }),
            format == .nv12 || format == .i420
        else { return nil }
        let (chromaWidth, chromaRows, chromaCodedRows) = ((width + 1) / 2, (height + 1) / 2, (codedHeight + 1) / 2)
        let chromaPlanes = format == .nv12 ? 1 : 2
        let chromaBytes = format == .nv12 ? chromaWidth * 2 : chromaWidth
        var places = [Place(memory: 0, offset: 0, bytesPerRow: strides.first ?? 0, rows: height, rowBytes: width)]
        switch strides.count {
        case 1:
            let chromaStride = format == .nv12 ? strides[0] : strides[0] / 2
            for plane in 0..<chromaPlanes {
                places.append(
                    Place(
                        memory: 0, offset: strides[0] * codedHeight + plane * chromaStride * chromaCodedRows,
                        bytesPerRow: chromaStride, rows: chromaRows, rowBytes: chromaBytes))
            }
        case chromaPlanes + 1:
            for plane in 1...chromaPlanes {
                places.append(
                    Place(
                        memory: plane, offset: 0, bytesPerRow: strides[plane], rows: chromaRows, rowBytes: chromaBytes))
            }
        default: return nil
        }
        guard places.allSatisfy({ $0.rowBytes <= $0.bytesPerRow && $0.end <= lengths[$0.memory] }) else { return nil }
        self.format = format
        self.width = width
        self.height = height
        self.places = places
        // The whole planes count as used, because some drivers compare this number with the size of their planes.
        used = lengths
    }

    /// Copies a frame into the memory of a buffer.
    ///
    /// - Parameter memory: The planes of memory, as long as the `lengths` of `init`.
    /// - Returns: False if the frame has a different size or format, or incomplete planes; nothing is copied then.
    func copy(_ pixels: PixelBuffer, into memory: [UnsafeMutableRawBufferPointer]) -> Bool {
        guard pixels.format == format, pixels.width == width, pixels.height == height, pixels.layout.holdsWholeFrame,
            memory.count == used.count, zip(memory, used).allSatisfy({ $0.count >= $1 })
        else { return false }
        for (index, place) in places.enumerated() {
            let source = pixels.plane(index)
            let sourceStride = pixels.layout.planes[index].bytesPerRow
            guard let target = memory[place.memory].baseAddress, let start = source.baseAddress else { return false }
            if sourceStride == place.bytesPerRow {
                (target + place.offset).copyMemory(
                    from: start, byteCount: (place.rows - 1) * sourceStride + place.rowBytes)
                continue
            }
            for row in 0..<place.rows {
                (target + place.offset + row * place.bytesPerRow).copyMemory(
                    from: start + row * sourceStride, byteCount: place.rowBytes)
            }
        }
        return true
    }

    /// Returns the dma-buf that an encoder can read as one plane of memory, without a copy.
    ///
    /// - Parameters:
    ///   - layout: The layout of the frame.
    ///   - parts: The dma-bufs that contain the frame.
    /// - Returns: nil if the rows are at other offsets than the encoder expects, if there are too few rows, or if the
    ///   dma-buf is too small.
    func source(ofMemory memory: Int, _ layout: PixelLayout, _ parts: [DMABuf]) -> DMABuf? {
        guard layout.planes.count == places.count, used.indices.contains(memory) else { return nil }
        var found: DMABuf?
        for (index, place) in places.enumerated() where place.memory == memory {
            let plane = layout.planes[index]
            let start = plane.offset - place.offset
            guard plane.bytesPerRow == place.bytesPerRow, plane.rows >= place.rows,
                let part = parts.first(where: { $0.start == start }),
                part.byteCount >= used[memory], found == nil || found == part
            else { return nil }
            found = part
        }
        return found
    }

    /// Returns true if an encoder can read a frame in its present memory. Allocates nothing.
    func canImport(_ pixels: PixelBuffer) -> Bool {
        guard pixels.format == format, pixels.width == width, pixels.height == height,
            let buffer = pixels.data.lentBuffer
        else { return false }
        return used.indices.allSatisfy { source(ofMemory: $0, pixels.layout, buffer.parts) != nil }
    }
}
