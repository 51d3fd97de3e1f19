public import Foundation

/// A block of bytes, or a part of one.
public protocol CMBlockBufferProtocol {
    var owner: CMBlockBuffer { get }
    /// Where in its owner it begins.
    var startIndex: Int { get }
    var endIndex: Int { get }
}

extension CMBlockBuffer: CMBlockBufferProtocol {
    public var owner: CMBlockBuffer { self }
    public var startIndex: Int { 0 }
    public var endIndex: Int { dataLength }

    /// A part of a block; what is outside its owner is left out.
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

    /// - Throws: what Core Media's codes say, in the domain `NSOSStatusErrorDomain`; here never.
    public func withContiguousStorage<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try body(UnsafeRawBufferPointer(rebasing: owner.bytes[startIndex..<endIndex]))
    }

    /// A copy of all bytes.
    public func dataBytes() throws -> Data { try withContiguousStorage { Data($0) } }

    /// - Throws: for a destination that is smaller.
    public func copyDataBytes(to destination: UnsafeMutableRawBufferPointer) throws {
        guard destination.count >= dataLength else { throw CMBlockBuffer.Error.insufficientSpace }
        try withContiguousStorage { destination.copyMemory(from: $0) }
    }

    /// From its start on.
    ///
    /// - Throws: for more bytes than there are.
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

    /// A copy.
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

    /// Empty, to be appended to.
    public convenience init(capacity: Int = 0, flags: Flags = []) throws {
        guard capacity >= 0 else { throw Error.badLengthParameter }
        try self.init(zeros: 0)
    }

    /// Zeros.
    ///
    /// - Parameter range: only as many as this part of the block has.
    public convenience init(
        length: Int, allocator: CFAllocator? = kCFAllocatorDefault, range: Range<Int>? = nil, flags: Flags = []
    ) throws {
        guard length >= 0, range.map({ $0.lowerBound >= 0 && $0.upperBound <= length }) ?? true else {
            throw Error.badLengthParameter
        }
        try self.init(zeros: range?.count ?? length)
    }

    /// A copy of the bytes.
    public convenience init(
        buffer: UnsafeMutableRawBufferPointer, allocator: CFAllocator? = kCFAllocatorDefault, flags: Flags = []
    ) throws {
        try self.init(zeros: 0)
        try append(buffer: buffer, allocator: allocator, flags: flags)
    }

    /// A copy of the bytes, which are given back at once.
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

    // MARK: More bytes behind the rest

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

    /// The bytes from `offset` on. Those that came from a reader are copied first.
    public func withUnsafeMutableBytes<Result>(
        atOffset offset: Int = 0, _ body: (UnsafeMutableRawBufferPointer) throws -> Result
    ) throws -> Result {
        guard offset >= 0, offset <= dataLength else { throw Error.badOffsetParameter }
        guard let bytes = mutableBytes else { throw Error.blockAllocationFailed }
        return try body(UnsafeMutableRawBufferPointer(rebasing: bytes[offset...]))
    }
}
