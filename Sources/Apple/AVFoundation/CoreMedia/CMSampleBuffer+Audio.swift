import Foundation
import MediaTypes

public let kCMSampleBufferFlag_AudioBufferList_Assure16ByteAlignment: UInt32 = 1

// A sample buffer stores audio contiguously and interleaved. For a non-interleaved format, the buffers that these
// functions return are copies, and the buffers that are passed in are interleaved.

/// Returns the audio as a list of buffers. Their memory is valid as long as the returned block exists.
///
/// - Parameters:
///   - bufferListSizeNeededOut: the size of the list in bytes.
///   - bufferListOut: the list; if nil, only the size is returned.
@discardableResult
public func CMSampleBufferGetAudioBufferListWithRetainedBlockBuffer(
    _ buffer: CMSampleBuffer, bufferListSizeNeededOut: UnsafeMutablePointer<Int>?,
    bufferListOut: UnsafeMutablePointer<AudioBufferList>?, bufferListSize: Int, blockBufferAllocator: CFAllocator?,
    blockBufferMemoryAllocator: CFAllocator?, flags: UInt32,
    blockBufferOut: UnsafeMutablePointer<CMBlockBuffer?>?
) -> OSStatus {
    guard let audio = buffer.formatDescription?.engine.audio, case .data(let data) = buffer.content else {
        return kCMSampleBufferError_InvalidMediaTypeForOperation
    }
    let isApart = buffer.formatDescription?.isPlanar ?? false
    let count = isApart ? max(1, audio.channelCount) : 1
    let needed = AudioBufferList.sizeInBytes(maximumBuffers: count)
    bufferListSizeNeededOut?.pointee = needed
    guard let bufferListOut else { return noErr }
    guard bufferListSize >= needed else { return kCMSampleBufferError_ArrayTooSmall }
    var block = data
    if isApart, !buffer.isPlanar {
        guard let split = audio.split(data) else { return kCMSampleBufferError_InvalidSampleData }
        block = split
    }
    let list = UnsafeMutableAudioBufferListPointer(bufferListOut)
    list.count = count
    let length = block.dataLength / count
    for index in 0..<count {
        list[index] = AudioBuffer(
            mNumberChannels: isApart ? 1 : UInt32(clamping: audio.channelCount),
            mDataByteSize: UInt32(clamping: length),
            mData: block.pointer.map { $0 + index * length })
    }
    blockBufferOut?.pointee = block
    return noErr
}

/// Sets the data to a copy of the audio in a list, and marks the data as ready.
@discardableResult
public func CMSampleBufferSetDataBufferFromAudioBufferList(
    _ buffer: CMSampleBuffer, blockBufferAllocator: CFAllocator?, blockBufferMemoryAllocator: CFAllocator?,
    flags: UInt32, bufferList: UnsafePointer<AudioBufferList>
) -> OSStatus {
    guard let audio = buffer.formatDescription?.engine.audio else {
        return kCMSampleBufferError_InvalidMediaTypeForOperation
    }
    let list = UnsafeMutableAudioBufferListPointer(UnsafeMutablePointer(mutating: bufferList))
    let pieces = list.map { buffer in
        UnsafeRawBufferPointer(start: buffer.mData, count: buffer.mData == nil ? 0 : Int(buffer.mDataByteSize))
    }
    let isApart = buffer.formatDescription?.isPlanar ?? false
    guard let block = isApart ? audio.joined(pieces) : CMBlockBuffer(pieces) else {
        return kCMSampleBufferError_InvalidSampleData
    }
    guard block.dataLength > 0 else { return kCMSampleBufferError_RequiredParameterMissing }
    guard buffer.set(block, isInterleaved: isApart) else { return kCMSampleBufferError_AlreadyHasDataBuffer }
    buffer.setReadiness(.ready)
    return noErr
}

/// Copies audio to a list whose buffers can hold `frameCount` frames.
@discardableResult
public func CMSampleBufferCopyPCMDataIntoAudioBufferList(
    _ buffer: CMSampleBuffer, at frameOffset: Int32, frameCount: Int32,
    into bufferList: UnsafeMutablePointer<AudioBufferList>
) -> OSStatus {
    guard let audio = buffer.formatDescription?.engine.audio, let frame = audio.bytesPerFrame, frame > 0,
        case .data(let data) = buffer.content, !buffer.isPlanar
    else { return kCMSampleBufferError_InvalidMediaTypeForOperation }
    let (start, length) = (Int(frameOffset) * frame, Int(frameCount) * frame)
    guard start >= 0, length >= 0, start <= data.dataLength - length else {
        return kCMSampleBufferError_SampleIndexOutOfRange
    }
    let bytes = UnsafeRawBufferPointer(rebasing: data.bytes[start..<(start + length)])
    let list = UnsafeMutableAudioBufferListPointer(bufferList)
    let isApart = buffer.formatDescription?.isPlanar ?? false
    guard list.count == (isApart ? audio.channelCount : 1) else { return kCMSampleBufferError_ArrayTooSmall }
    let each = length / list.count
    for buffer in list where buffer.mData == nil || Int(buffer.mDataByteSize) < each {
        return kCMSampleBufferError_ArrayTooSmall
    }
    let channels = isApart ? audio.channels(bytes) : [Array(bytes)]
    for (index, channel) in channels.enumerated() {
        list[index].mData?.copyMemory(from: channel, byteCount: channel.count)
        list[index].mDataByteSize = UInt32(clamping: channel.count)
    }
    return noErr
}

/// Returns the positions of the packets of compressed audio. For linear PCM, there are no packets, and the size is 0
/// bytes.
@discardableResult
public func CMSampleBufferGetAudioStreamPacketDescriptions(
    _ buffer: CMSampleBuffer, allocatedSize: Int,
    packetDescriptionsOut: UnsafeMutablePointer<AudioStreamPacketDescription>?,
    packetDescriptionsSizeNeededOut: UnsafeMutablePointer<Int>?
) -> OSStatus {
    guard buffer.formatDescription?.engine.audio != nil else {
        return kCMSampleBufferError_InvalidMediaTypeForOperation
    }
    let all = buffer.packetDescriptions
    let needed = all.count * MemoryLayout<AudioStreamPacketDescription>.stride
    packetDescriptionsSizeNeededOut?.pointee = needed
    guard let packetDescriptionsOut else { return noErr }
    guard allocatedSize >= needed else { return kCMSampleBufferError_ArrayTooSmall }
    for (index, packet) in all.enumerated() { packetDescriptionsOut[index] = packet }
    return noErr
}

/// Creates a sample buffer with audio packets, which are contiguous in the data.
@discardableResult
public func CMAudioSampleBufferCreateReadyWithPacketDescriptions(
    allocator: CFAllocator?, dataBuffer: CMBlockBuffer, formatDescription: CMFormatDescription,
    sampleCount: CMItemCount, presentationTimeStamp: CMTime,
    packetDescriptions: UnsafePointer<AudioStreamPacketDescription>?,
    sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
    CMAudioSampleBufferCreateWithPacketDescriptions(
        allocator: allocator, dataBuffer: dataBuffer, dataReady: true, makeDataReadyCallback: nil, refcon: nil,
        formatDescription: formatDescription, sampleCount: sampleCount, presentationTimeStamp: presentationTimeStamp,
        packetDescriptions: packetDescriptions, sampleBufferOut: sampleBufferOut)
}

@discardableResult
public func CMAudioSampleBufferCreateWithPacketDescriptions(
    allocator: CFAllocator?, dataBuffer: CMBlockBuffer?, dataReady: Bool,
    makeDataReadyCallback: CMSampleBufferMakeDataReadyCallback?, refcon: UnsafeMutableRawPointer?,
    formatDescription: CMFormatDescription, sampleCount: CMItemCount, presentationTimeStamp: CMTime,
    packetDescriptions: UnsafePointer<AudioStreamPacketDescription>?,
    sampleBufferOut: UnsafeMutablePointer<CMSampleBuffer?>
) -> OSStatus {
    guard let timing = formatDescription.packetTiming(at: presentationTimeStamp), sampleCount >= 0 else {
        return kCMSampleBufferError_InvalidMediaFormat
    }
    let sizes = packetDescriptions.map { list in (0..<sampleCount).map { Int(list[$0].mDataByteSize) } } ?? []
    sampleBufferOut.pointee = CMSampleBuffer(
        dataBuffer.map { .data($0) } ?? .none, format: formatDescription, count: sampleCount, timings: [timing],
        sizes: sizes, isReady: dataReady, makeReady: makeDataReadyCallback.map { callback in { callback($0, refcon) } })
    return noErr
}

extension CMSampleBuffer {
    /// - Parameter body: receives the list and the block that owns its memory.
    public func withAudioBufferList<Result>(
        blockBufferMemoryAllocator: CFAllocator? = kCFAllocatorDefault, flags: Flags = [],
        body: (UnsafeMutableAudioBufferListPointer, CMBlockBuffer) throws -> Result
    ) throws -> Result {
        let list = AudioBufferList.allocate(maximumBuffers: max(1, formatDescription?.engine.audio?.channelCount ?? 1))
        defer { free(list.unsafeMutablePointer) }
        var block: CMBlockBuffer?
        try CoreMediaError.check(
            CMSampleBufferGetAudioBufferListWithRetainedBlockBuffer(
                self, bufferListSizeNeededOut: nil, bufferListOut: list.unsafeMutablePointer,
                bufferListSize: AudioBufferList.sizeInBytes(maximumBuffers: list.count), blockBufferAllocator: nil,
                blockBufferMemoryAllocator: blockBufferMemoryAllocator, flags: flags.rawValue, blockBufferOut: &block))
        guard let block else { throw Error.invalidSampleData }
        return try withExtendedLifetime(block) { try body(list, block) }
    }

    public func setDataBuffer(
        fromAudioBufferList bufferList: UnsafePointer<AudioBufferList>,
        blockBufferMemoryAllocator: CFAllocator? = kCFAllocatorDefault, flags: Flags = []
    ) throws {
        try CoreMediaError.check(
            CMSampleBufferSetDataBufferFromAudioBufferList(
                self, blockBufferAllocator: nil, blockBufferMemoryAllocator: blockBufferMemoryAllocator,
                flags: flags.rawValue, bufferList: bufferList))
    }

    public func copyPCMData(fromRange range: Range<Int>, into bufferList: UnsafeMutablePointer<AudioBufferList>) throws
    {
        try CoreMediaError.check(
            CMSampleBufferCopyPCMDataIntoAudioBufferList(
                self, at: Int32(clamping: range.lowerBound), frameCount: Int32(clamping: range.count), into: bufferList)
        )
    }

    /// Returns the packet descriptions; empty for linear PCM.
    public func audioStreamPacketDescriptions() throws -> [AudioStreamPacketDescription] {
        guard formatDescription?.engine.audio != nil else { throw Error.invalidMediaTypeForOperation }
        return packetDescriptions
    }

    public func withUnsafeAudioStreamPacketDescriptions<Result>(
        _ body: (UnsafeBufferPointer<AudioStreamPacketDescription>) throws -> Result
    ) throws -> Result {
        try audioStreamPacketDescriptions().withUnsafeBufferPointer(body)
    }

    var packetDescriptions: [AudioStreamPacketDescription] {
        guard let audio = formatDescription?.engine.audio, audio.bytesPerFrame == nil else { return [] }
        var offset = 0
        return (0..<numSamples).map { index in
            let size = size(at: index)
            defer { offset += size }
            return AudioStreamPacketDescription(
                mStartOffset: Int64(offset), mVariableFramesInPacket: 0, mDataByteSize: UInt32(clamping: size))
        }
    }
}

extension CMFormatDescription {
    /// Returns the timing of a single audio packet that begins at `time`; nil for other media.
    func packetTiming(at time: CMTime) -> CMSampleTimingInfo? {
        guard let audio = engine.audio else { return nil }
        let frames = audio.bytesPerFrame == nil ? max(1, audio.framesPerPacket) : 1
        return CMSampleTimingInfo(
            duration: CMTime(value: Int64(frames), timescale: Int32(clamping: audio.sampleRate)),
            presentationTimeStamp: time, decodeTimeStamp: .invalid)
    }
}

extension CMBlockBuffer {
    /// Concatenates the pieces; nil if there is not enough memory.
    fileprivate convenience init?(_ pieces: [UnsafeRawBufferPointer]) {
        self.init(byteCount: pieces.reduce(0) { $0 + $1.count })
        guard var target = mutableBytes.map({ $0[...] }) else { return nil }
        for piece in pieces {
            UnsafeMutableRawBufferPointer(rebasing: target).copyMemory(from: piece)
            target = target.dropFirst(piece.count)
        }
    }
}

extension AudioFormat {
    private var sampleSize: Int { channelCount > 0 ? (bytesPerFrame ?? 0) / channelCount : 0 }

    /// Returns the samples of each channel separately.
    fileprivate func channels(_ bytes: UnsafeRawBufferPointer) -> [[UInt8]] {
        let (size, count) = (sampleSize, channelCount)
        guard size > 0, count > 0 else { return [] }
        let frames = bytes.count / (size * count)
        return (0..<count).map { channel in
            var samples = [UInt8](repeating: 0, count: frames * size)
            for frame in 0..<frames {
                let start = (frame * count + channel) * size
                for byte in 0..<size { samples[frame * size + byte] = bytes[start + byte] }
            }
            return samples
        }
    }

    /// Returns a new block with the channels one after the other.
    fileprivate func split(_ data: CMBlockBuffer) -> CMBlockBuffer? {
        let all = channels(data.bytes).flatMap { $0 }
        return all.withUnsafeBytes { CMBlockBuffer([$0]) }
    }

    /// Interleaves channels of the same length; nil for channels of different lengths.
    fileprivate func joined(_ pieces: [UnsafeRawBufferPointer]) -> CMBlockBuffer? {
        let size = sampleSize
        guard size > 0, pieces.count == channelCount, let first = pieces.first, first.count % size == 0,
            pieces.allSatisfy({ $0.count == first.count }),
            let block = CMBlockBuffer(byteCount: first.count * pieces.count),
            let target = block.mutableBytes
        else { return nil }
        for (channel, samples) in pieces.enumerated() {
            for frame in 0..<(first.count / size) {
                let start = (frame * channelCount + channel) * size
                for byte in 0..<size { target[start + byte] = samples[frame * size + byte] }
            }
        }
        return block
    }
}
