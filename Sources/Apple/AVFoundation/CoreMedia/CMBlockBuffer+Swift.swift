public import Foundation

/// A block of bytes, or a slice of one.
public protocol CMBlockBufferProtocol {
    var owner: CMBlockBuffer { get }
    /// The index of the first byte in the owner.
    var startIndex: Int { get }
    var endIndex: Int { get }
}

extension CMBlockBuffer: CMBlockBufferProtocol {
    public var owner: CMBlockBuffer { self }
    public var startIndex: Int { 0 }
    public var endIndex: Int { dataLength }

    /// A slice of a block, limited to its owner's range.
    public struct Slice: CMBlockBufferProtocol {
        public let owner: CMBlockBuffer
        public let startIndex: Int
        public let endIndex: Int

        fileprivate init(_ owner: CMBlockBuffer, _ range: Range<Int>) {
            self.owner = owner
            let range = range.clamped(to: 0..<owner.dataLength)
            (startIndex, endIndex) = (range.lowerBound, range.upperBound)
        }
    }
}

extension CMBlockBufferProtocol {
    public subscript(bounds: Range<Int>) -> CMBlockBuffer.Slice { CMBlockBuffer.Slice(owner, bounds) }
    public subscript(bounds: some RangeExpression<Int>) -> CMBlockBuffer.Slice {
        CMBlockBuffer.Slice(owner, bounds.relative(to: startIndex..<endIndex))
    }
    public subscript(bounds: (UnboundedRange_) -> Void) -> CMBlockBuffer.Slice {
        CMBlockBuffer.Slice(owner, startIndex..<endIndex)
    }

    public var dataLength: Int { endIndex - startIndex }
    public var isContiguous: Bool { true }

    /// - Throws: an error of the domain `NSOSStatusErrorDomain` with Core Media's code; never thrown on Linux.
    public func withContiguousStorage<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try body(UnsafeRawBufferPointer(rebasing: owner.bytes[startIndex..<endIndex]))
    }

    /// Returns a copy of all bytes.
    public func dataBytes() throws -> Data { try withContiguousStorage { Data($0) } }

    /// - Throws: an error if the destination is too small.
    public func copyDataBytes(to destination: UnsafeMutableRawBufferPointer) throws {
        guard destination.count >= dataLength else { throw CMBlockBuffer.Error.insufficientSpace }
        try withContiguousStorage { destination.copyMemory(from: $0) }
    }

    /// Replaces bytes, beginning with the first.
    ///
    /// - Throws: an error if there are more bytes than the block has.
    public func replaceDataBytes(with sourceBytes: UnsafeRawBufferPointer) throws {
        guard let source = sourceBytes.baseAddress, !sourceBytes.isEmpty else { return }
        guard sourceBytes.count <= dataLength else { throw CMBlockBuffer.Error.badLengthParameter }
        try CoreMediaError.check(
            CMBlockBufferReplaceDataBytes(
                with: source, blockBuffer: owner, offsetIntoDestination: startIndex, dataLength: sourceBytes.count))
    }

    public func fillDataBytes(with fillByte: UInt8) throws {
        try CoreMediaError.check(
            CMBlockBufferFillDataBytes(
                with: CChar(bitPattern: fillByte), blockBuffer: owner, offsetIntoDestination: startIndex,
                dataLength: dataLength))
    }

    /// Returns a contiguous copy.
    public func makeContiguous(
        allocator: CFAllocator? = kCFAllocatorDefault, flags: CMBlockBuffer.Flags = []
    ) throws -> CMBlockBuffer {
        let copy = try CMBlockBuffer(length: dataLength)
        try withContiguousStorage { try copy.replaceDataBytes(with: $0) }
        return copy
    }
}

extension CMBlockBuffer {
    public typealias CustomBlockDeallocator = (UnsafeMutableRawPointer, Int) -> Void

    public struct Flags: OptionSet, Sendable {
        public let rawValue: CMBlockBufferFlags
        public init(rawValue: CMBlockBufferFlags) { self.rawValue = rawValue }
        public static let assureMemoryNow = Flags(rawValue: kCMBlockBufferAssureMemoryNowFlag)
        public static let alwaysCopyData = Flags(rawValue: kCMBlockBufferAlwaysCopyDataFlag)
        public static let dontOptimizeDepth = Flags(rawValue: kCMBlockBufferDontOptimizeDepthFlag)
        public static let permitEmptyReference = Flags(rawValue: kCMBlockBufferPermitEmptyReferenceFlag)
    }

    public struct Error {
        public static let structureAllocationFailed = CoreMediaError.of(kCMBlockBufferStructureAllocationFailedErr)
        public static let blockAllocationFailed = CoreMediaError.of(kCMBlockBufferBlockAllocationFailedErr)
        public static let badCustomBlockSource = CoreMediaError.of(kCMBlockBufferBadCustomBlockSourceErr)
        public static let badOffsetParameter = CoreMediaError.of(kCMBlockBufferBadOffsetParameterErr)
        public static let badLengthParameter = CoreMediaError.of(kCMBlockBufferBadLengthParameterErr)
        public static let badPointerParameter = CoreMediaError.of(kCMBlockBufferBadPointerParameterErr)
        public static let emptyBlockBuffer = CoreMediaError.of(kCMBlockBufferEmptyBBufErr)
        public static let unallocatedBlock = CoreMediaError.of(kCMBlockBufferUnallocatedBlockErr)
        public static let insufficientSpace = CoreMediaError.of(kCMBlockBufferInsufficientSpaceErr)
    }

    public static var typeID: CFTypeID { CMBlockBufferGetTypeID() }
    public var isEmpty: Bool { dataLength == 0 }

    /// Creates an empty block, to which other blocks can be appended.
    public convenience init(capacity: Int = 0, flags: Flags = []) throws {
        guard capacity >= 0 else { throw Error.badLengthParameter }
        try self.init(zeros: 0)
    }

    /// Creates a block of zeros.
    ///
    /// - Parameter range: a range of the zeros; the result has only this range's length.
    public convenience init(
        length: Int, allocator: CFAllocator? = kCFAllocatorDefault, range: Range<Int>? = nil, flags: Flags = []
    ) throws {
        guard length >= 0, range.map({ $0.lowerBound >= 0 && $0.upperBound <= length }) ?? true else {
            throw Error.badLengthParameter
        }
        try self.init(zeros: range?.count ?? length)
    }

    /// Creates a block with a copy of the bytes.
    public convenience init(
        buffer: UnsafeMutableRawBufferPointer, allocator: CFAllocator? = kCFAllocatorDefault, flags: Flags = []
    ) throws {
        try self.init(zeros: 0)
        try append(buffer: buffer, allocator: allocator, flags: flags)
    }

    /// Creates a block with a copy of the bytes, and frees the original memory immediately.
    public convenience init(
        buffer: UnsafeMutableRawBufferPointer, deallocator: @escaping CustomBlockDeallocator, flags: Flags = []
    ) throws {
        try self.init(zeros: 0)
        try append(buffer: buffer, deallocator: deallocator, flags: flags)
    }

    public convenience init(bufferReference: some CMBlockBufferProtocol, flags: Flags = []) throws {
        try self.init(zeros: 0)
        try append(bufferReference: bufferReference, flags: flags)
    }

    // MARK: Appending

    public func append(
        length: Int, allocator: CFAllocator? = kCFAllocatorDefault, range: Range<Int>? = nil, flags: Flags = []
    ) throws {
        try CoreMediaError.check(
            CMBlockBufferAppendMemoryBlock(
                self, memoryBlock: nil, length: length, blockAllocator: allocator, customBlockSource: nil,
                offsetToData: range?.lowerBound ?? 0, dataLength: range?.count ?? length, flags: flags.rawValue))
    }

    public func append(
        buffer: UnsafeMutableRawBufferPointer, allocator: CFAllocator? = kCFAllocatorDefault, flags: Flags = []
    ) throws {
        guard let start = buffer.baseAddress, !buffer.isEmpty else { return }
        try CoreMediaError.check(
            CMBlockBufferAppendMemoryBlock(
                self, memoryBlock: start, length: buffer.count, blockAllocator: allocator, customBlockSource: nil,
                offsetToData: 0, dataLength: buffer.count, flags: flags.rawValue))
    }

    public func append(
        buffer: UnsafeMutableRawBufferPointer, deallocator: @escaping CustomBlockDeallocator, flags: Flags = []
    ) throws {
        try append(buffer: buffer, allocator: kCFAllocatorNull, flags: flags)
        if let start = buffer.baseAddress { deallocator(start, buffer.count) }
    }

    public func append(bufferReference: some CMBlockBufferProtocol, flags: Flags = []) throws {
        guard bufferReference.dataLength > 0 else { return }
        try CoreMediaError.check(
            CMBlockBufferAppendBufferReference(
                self, targetBBuf: bufferReference.owner, offsetToData: bufferReference.startIndex,
                dataLength: bufferReference.dataLength, flags: flags.rawValue))
    }

    public func assureBlockMemory() throws {}

    /// Calls `body` with the bytes from `offset` on. If the bytes are lent by a reader, they are copied first.
    public func withUnsafeMutableBytes<Result>(
        atOffset offset: Int = 0, _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) throws -> Result {
        guard offset >= 0, offset <= dataLength else { throw Error.badOffsetParameter }
        guard let bytes = mutableBytes else { throw Error.blockAllocationFailed }
        return try body(UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]))
    }
}
