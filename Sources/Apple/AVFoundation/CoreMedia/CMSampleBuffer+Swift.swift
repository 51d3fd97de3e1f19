public import Foundation
import MediaTypes

/// Core Media's Swift interface for sample buffers. Errors are in the domain `NSOSStatusErrorDomain`.
extension CMSampleBuffer {
    public static var typeID: CFTypeID { CMSampleBufferGetTypeID() }

    public struct Flags: OptionSet, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }
        public static let audioBufferListAssure16ByteAlignment = Flags(
            rawValue: kCMSampleBufferFlag_AudioBufferList_Assure16ByteAlignment)
    }

    public struct Error {
        public static let allocationFailed = CoreMediaError.of(kCMSampleBufferError_AllocationFailed)
        public static let requiredParameterMissing = CoreMediaError.of(kCMSampleBufferError_RequiredParameterMissing)
        public static let alreadyHasDataBuffer = CoreMediaError.of(kCMSampleBufferError_AlreadyHasDataBuffer)
        public static let bufferNotReady = CoreMediaError.of(kCMSampleBufferError_BufferNotReady)
        public static let sampleIndexOutOfRange = CoreMediaError.of(kCMSampleBufferError_SampleIndexOutOfRange)
        public static let bufferHasNoSampleSizes = CoreMediaError.of(kCMSampleBufferError_BufferHasNoSampleSizes)
        public static let bufferHasNoSampleTimingInfo = CoreMediaError.of(
            kCMSampleBufferError_BufferHasNoSampleTimingInfo)
        public static let arrayTooSmall = CoreMediaError.of(kCMSampleBufferError_ArrayTooSmall)
        public static let invalidEntryCount = CoreMediaError.of(kCMSampleBufferError_InvalidEntryCount)
        public static let cannotSubdivide = CoreMediaError.of(kCMSampleBufferError_CannotSubdivide)
        public static let sampleTimingInfoInvalid = CoreMediaError.of(kCMSampleBufferError_SampleTimingInfoInvalid)
        public static let invalidMediaTypeForOperation = CoreMediaError.of(
            kCMSampleBufferError_InvalidMediaTypeForOperation)
        public static let invalidSampleData = CoreMediaError.of(kCMSampleBufferError_InvalidSampleData)
        public static let invalidMediaFormat = CoreMediaError.of(kCMSampleBufferError_InvalidMediaFormat)
        public static let invalidated = CoreMediaError.of(kCMSampleBufferError_Invalidated)
        public static let dataFailed = CoreMediaError.of(kCMSampleBufferError_DataFailed)
        public static let dataCanceled = CoreMediaError.of(kCMSampleBufferError_DataCanceled)
    }

    // MARK: Creation

    public convenience init(
        dataBuffer: CMBlockBuffer?, formatDescription: CMFormatDescription?, numSamples: CMItemCount,
        sampleTimings: [CMSampleTimingInfo], sampleSizes: [Int]
    ) throws {
        try self.init(
            dataBuffer, true, formatDescription, numSamples, sampleTimings, sampleSizes, makeReady: nil)
    }

    /// - Parameter makeDataReadyHandler: a closure that sets the data when it is requested.
    public convenience init(
        dataBuffer: CMBlockBuffer?, dataReady: Bool = false, formatDescription: CMFormatDescription?,
        numSamples: CMItemCount, sampleTimings: [CMSampleTimingInfo], sampleSizes: [Int],
        makeDataReadyHandler: @escaping CMSampleBufferMakeDataReadyHandler
    ) throws {
        try self.init(
            dataBuffer, dataReady, formatDescription, numSamples, sampleTimings, sampleSizes,
            makeReady: makeDataReadyHandler)
    }

    private convenience init(
        _ dataBuffer: CMBlockBuffer?, _ isReady: Bool, _ format: CMFormatDescription?, _ count: Int,
        _ timings: [CMSampleTimingInfo], _ sizes: [Int], makeReady: CMSampleBufferMakeDataReadyHandler?
    ) throws {
        guard count >= 0, [0, 1, count].contains(timings.count), [0, 1, count].contains(sizes.count) else {
            throw Error.requiredParameterMissing
        }
        self.init(
            dataBuffer.map { .data($0) } ?? .none, format: format, count: count, timings: timings, sizes: sizes,
            isReady: isReady, makeReady: makeReady)
    }

    public convenience init(
        dataBuffer: CMBlockBuffer?, formatDescription: CMFormatDescription, numSamples: CMItemCount,
        presentationTimeStamp: CMTime, packetDescriptions: [AudioStreamPacketDescription]
    ) throws {
        guard let timing = formatDescription.packetTiming(at: presentationTimeStamp) else {
            throw Error.invalidMediaFormat
        }
        guard packetDescriptions.isEmpty || packetDescriptions.count == numSamples else {
            throw Error.requiredParameterMissing
        }
        try self.init(
            dataBuffer, true, formatDescription, numSamples, [timing], packetDescriptions.map { Int($0.mDataByteSize) },
            makeReady: nil)
    }

    public convenience init(
        imageBuffer: CVImageBuffer, formatDescription: CMVideoFormatDescription, sampleTiming: CMSampleTimingInfo
    ) throws {
        try self.init(imageBuffer, true, formatDescription, sampleTiming, makeReady: nil)
    }

    public convenience init(
        imageBuffer: CVImageBuffer, dataReady: Bool = false, formatDescription: CMVideoFormatDescription,
        sampleTiming: CMSampleTimingInfo, makeDataReadyHandler: @escaping CMSampleBufferMakeDataReadyHandler
    ) throws {
        try self.init(imageBuffer, dataReady, formatDescription, sampleTiming, makeReady: makeDataReadyHandler)
    }

    private convenience init(
        _ image: CVImageBuffer, _ isReady: Bool, _ format: CMVideoFormatDescription, _ timing: CMSampleTimingInfo,
        makeReady: CMSampleBufferMakeDataReadyHandler?
    ) throws {
        guard CMVideoFormatDescriptionMatchesImageBuffer(format, imageBuffer: image) else {
            throw Error.invalidMediaFormat
        }
        self.init(
            .image(image), format: format, count: 1, timings: [timing], sizes: [], isReady: isReady,
            makeReady: makeReady)
    }

    public convenience init(copying sampleBuffer: CMSampleBuffer) throws {
        self.init(copying: sampleBuffer, timings: nil)
    }

    public convenience init(
        copying sampleBuffer: CMSampleBuffer, withNewTiming sampleTimings: [CMSampleTimingInfo]
    ) throws {
        guard !sampleTimings.isEmpty else { throw Error.requiredParameterMissing }
        self.init(copying: sampleBuffer, timings: sampleTimings)
    }

    public convenience init(copying sampleBuffer: CMSampleBuffer, forRange range: Range<Int>) throws {
        self.init(copying: try sampleBuffer.part(range), timings: nil)
    }

    // MARK: Content

    public func setDataBuffer(_ dataBuffer: CMBlockBuffer) throws {
        guard set(dataBuffer) else { throw Error.alreadyHasDataBuffer }
    }

    public func setDataReadiness(_ newValue: DataReadiness) throws { setReadiness(newValue) }

    public func sampleTimingInfo(at sampleIndex: CMItemIndex) throws -> CMSampleTimingInfo {
        guard let timing = timing(at: sampleIndex) else { throw Error.sampleIndexOutOfRange }
        return timing
    }

    /// Returns one item for each sample, or a single item for all samples.
    public func sampleTimingInfos() throws -> [CMSampleTimingInfo] { timingInfos }
    /// Returns the timings, changed by `setOutputPresentationTimeStamp`.
    public func outputSampleTimingInfos() throws -> [CMSampleTimingInfo] { outputTimingInfos }

    var outputTimingInfos: [CMSampleTimingInfo] {
        let moved = outputPresentationTimeStamp - presentationTimeStamp
        guard moved.isNumeric, moved != .zero else { return timingInfos }
        return timingInfos.map { timing in
            CMSampleTimingInfo(
                duration: timing.duration, presentationTimeStamp: timing.presentationTimeStamp + moved,
                decodeTimeStamp: timing.decodeTimeStamp.isNumeric ? timing.decodeTimeStamp + moved : .invalid)
        }
    }

    /// Returns one size for each sample, or a single size for all samples. Throws an error for image buffers.
    public func sampleSizes() throws -> [Int] {
        let all = allSizes
        guard !all.isEmpty else { throw Error.bufferHasNoSampleSizes }
        return all
    }
    public func sampleSize(at sampleIndex: Int) -> Int { size(at: sampleIndex) }

    var allSizes: [Int] {
        guard case .data = content, numSamples > 0 else { return [] }
        if !sizeList.isEmpty { return sizeList }
        let size = size(at: 0)
        return size > 0 ? [size] : []
    }

    // MARK: Single samples

    /// - Throws: an error for an index out of range, and for samples that are not contiguous.
    func part(_ range: Range<Int>) throws -> CMSampleBuffer {
        guard !range.isEmpty, range.lowerBound >= 0, range.upperBound <= numSamples else {
            throw Error.sampleIndexOutOfRange
        }
        guard range.count < numSamples else { return CMSampleBuffer(copying: self, timings: nil) }
        guard case .data(let data) = content, !isPlanar else { throw Error.cannotSubdivide }
        let sizes = (0..<range.upperBound).map { size(at: $0) }
        let (start, length) = (sizes[..<range.lowerBound].reduce(0, +), sizes[range].reduce(0, +))
        guard sizes.allSatisfy({ $0 > 0 }), length > 0, start <= data.dataLength - length else {
            throw Error.cannotSubdivide
        }
        let timings = try sampleTimings(range)
        let part = CMSampleBuffer(
            .data(try CMBlockBuffer(bufferReference: data[start..<(start + length)])), format: formatDescription,
            count: range.count, timings: timings, sizes: sizeList.count == numSamples ? Array(sizes[range]) : sizeList,
            isReady: isReady, isInterleaved: true)
        if let all = sampleAttachments(creates: false), all.count >= range.upperBound {
            part.setSampleAttachments(all[range].map { Self.copied($0) })
        }
        return part
    }

    private func sampleTimings(_ range: Range<Int>) throws -> [CMSampleTimingInfo] {
        let all = timingInfos
        guard !all.isEmpty else { return [] }
        if all.count == numSamples, numSamples > 1 { return Array(all[range]) }
        return [try sampleTimingInfo(at: range.lowerBound)]
    }

    /// A sequence of single-sample buffers, created on demand.
    public struct SingleSampleBuffers: Sequence, IteratorProtocol {
        let whole: CMSampleBuffer
        var index = 0

        public mutating func next() -> CMSampleBuffer? {
            guard index < whole.numSamples else { return nil }
            defer { index += 1 }
            return try? whole.part(index..<(index + 1))
        }
    }

    public func singleSampleBuffers() throws -> SingleSampleBuffers {
        if numSamples > 1 { _ = try part(0..<1) }
        return SingleSampleBuffers(whole: self)
    }
}
