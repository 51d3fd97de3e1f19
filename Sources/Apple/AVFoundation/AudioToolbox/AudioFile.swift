public import Foundation
import MediaTypes

/// A file whose audio is read or written in the format that it is stored in. `AudioFileClose` closes it.
public typealias AudioFileID = OpaquePointer
public typealias AudioFilePropertyID = UInt32

/// The access for which a file is opened.
public enum AudioFilePermissions: Int8, Sendable {
    case readPermission = 1
    case writePermission = 2
    case readWritePermission = 3
}

/// Options of `AudioFileCreateWithURL`.
public struct AudioFileFlags: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let eraseFile = AudioFileFlags(rawValue: 1)
    /// Accepted, but has no effect.
    public static let dontPageAlignAudioData = AudioFileFlags(rawValue: 2)
}

public let kAudioFilePropertyFileFormat: AudioFilePropertyID = fourCC("ffmt")
public let kAudioFilePropertyDataFormat: AudioFilePropertyID = fourCC("dfmt")
public let kAudioFilePropertyMagicCookieData: AudioFilePropertyID = fourCC("mgic")
public let kAudioFilePropertyAudioDataByteCount: AudioFilePropertyID = fourCC("bcnt")
public let kAudioFilePropertyAudioDataPacketCount: AudioFilePropertyID = fourCC("pcnt")
public let kAudioFilePropertyMaximumPacketSize: AudioFilePropertyID = fourCC("psze")
public let kAudioFilePropertyPacketSizeUpperBound: AudioFilePropertyID = fourCC("pkub")
public let kAudioFilePropertyChannelLayout: AudioFilePropertyID = fourCC("cmap")
public let kAudioFilePropertyEstimatedDuration: AudioFilePropertyID = fourCC("edur")

extension ExtAudioFile {
    /// The size in bytes of a frame of linear PCM in the file; nil for compressed audio, whose packets these functions
    /// do not read.
    fileprivate var packetSize: Int? {
        let description = fileFormat.streamDescription.pointee
        guard description.mFormatID == kAudioFormatLinearPCM, clientFormat.hasSameSamples(as: fileFormat) else {
            return nil
        }
        return Int(description.mBytesPerFrame)
    }

    fileprivate func audioFileProperty(_ id: AudioFilePropertyID) -> Data? {
        func bytes<Value>(_ value: Value) -> Data { withUnsafeBytes(of: value) { Data($0) } }
        let frames = max(0, file?.length ?? 0)
        switch id {
        case kAudioFilePropertyDataFormat: return bytes(fileFormat.streamDescription.pointee)
        case kAudioFilePropertyMagicCookieData: return fileFormat.magicCookie
        case kAudioFilePropertyAudioDataByteCount: return packetSize.map { bytes(UInt64(frames) * UInt64($0)) }
        case kAudioFilePropertyAudioDataPacketCount: return packetSize.map { _ in bytes(UInt64(frames)) }
        case kAudioFilePropertyMaximumPacketSize, kAudioFilePropertyPacketSizeUpperBound:
            return packetSize.map { bytes(UInt32(clamping: $0)) }
        case kAudioFilePropertyChannelLayout: return fileFormat.channelLayout?.bytes
        case kAudioFilePropertyEstimatedDuration: return bytes(Double(frames) / max(1, fileFormat.sampleRate))
        default: return nil
        }
    }

    /// Reads frames in the file's format. Returns the number of frames.
    fileprivate func readPackets(
        _ count: UInt32, at start: Int64, into target: UnsafeMutableRawPointer
    ) throws -> UInt32 {
        if start != tell { _ = seek(to: start) }
        let buffer = try read(count)
        if let source = buffer.list[0].mData {
            target.copyMemory(from: source, byteCount: Int(buffer.list[0].mDataByteSize))
        }
        return buffer.frameLength
    }
}

@discardableResult
public func AudioFileOpenURL(
    _ inFileRef: CFURL, _ inPermissions: AudioFilePermissions, _ inFileTypeHint: AudioFileTypeID,
    _ outAudioFile: UnsafeMutablePointer<AudioFileID?>
) -> OSStatus {
    guard inPermissions == .readPermission else { return kAudioFileOperationNotSupportedError }
    return ExtAudioFileOpenURL(inFileRef, outAudioFile)
}

/// Creates a file of linear PCM.
@discardableResult
public func AudioFileCreateWithURL(
    _ inFileRef: CFURL, _ inFileType: AudioFileTypeID, _ inFormat: UnsafePointer<AudioStreamBasicDescription>,
    _ inFlags: AudioFileFlags, _ outAudioFile: UnsafeMutablePointer<AudioFileID?>
) -> OSStatus {
    guard inFormat.pointee.mFormatID == kAudioFormatLinearPCM else { return kAudioFileUnsupportedDataFormatError }
    return ExtAudioFileCreateWithURL(inFileRef, inFileType, inFormat, nil, inFlags.rawValue & 1, outAudioFile)
}

@discardableResult
public func AudioFileClose(_ inAudioFile: AudioFileID) -> OSStatus { ExtAudioFileDispose(inAudioFile) }

/// Reads frames of linear PCM, in the file's format.
///
/// - Parameters:
///   - ioNumBytes: the buffer's capacity in bytes; on return, the number of bytes that were read.
///   - ioNumPackets: the number of frames to read; on return, the number of frames that were read.
/// - Returns: an error for compressed audio; `kAudioFileEndOfFileError` at the end of the file.
@discardableResult
public func AudioFileReadPacketData(
    _ inAudioFile: AudioFileID, _ inUseCache: Bool, _ ioNumBytes: UnsafeMutablePointer<UInt32>,
    _ outPacketDescriptions: UnsafeMutablePointer<AudioStreamPacketDescription>?, _ inStartingPacket: Int64,
    _ ioNumPackets: UnsafeMutablePointer<UInt32>, _ outBuffer: UnsafeMutableRawPointer?
) -> OSStatus {
    let file = ExtAudioFile.of(inAudioFile)
    guard let size = file.packetSize, size > 0 else { return kAudioFileOperationNotSupportedError }
    guard let outBuffer, inStartingPacket >= 0 else { return kAudio_ParamError }
    let wanted = min(ioNumPackets.pointee, ioNumBytes.pointee / UInt32(clamping: size))
    (ioNumPackets.pointee, ioNumBytes.pointee) = (0, 0)
    let status = AudioError.status {
        let count = try file.readPackets(wanted, at: inStartingPacket, into: outBuffer)
        ioNumPackets.pointee = count
        ioNumBytes.pointee = count * UInt32(clamping: size)
    }
    return status == noErr && wanted > 0 && ioNumPackets.pointee == 0 ? kAudioFileEndOfFileError : status
}

/// Reads bytes of linear PCM, but only complete frames.
@discardableResult
public func AudioFileReadBytes(
    _ inAudioFile: AudioFileID, _ inUseCache: Bool, _ inStartingByte: Int64,
    _ ioNumBytes: UnsafeMutablePointer<UInt32>, _ outBuffer: UnsafeMutableRawPointer
) -> OSStatus {
    guard let size = ExtAudioFile.of(inAudioFile).packetSize, size > 0 else {
        return kAudioFileOperationNotSupportedError
    }
    guard inStartingByte >= 0, inStartingByte % Int64(size) == 0 else { return kAudioFileInvalidPacketOffsetError }
    var packets = ioNumBytes.pointee / UInt32(clamping: size)
    return AudioFileReadPacketData(
        inAudioFile, inUseCache, ioNumBytes, nil, inStartingByte / Int64(size), &packets, outBuffer)
}

/// Appends frames of linear PCM, in the file's format.
///
/// - Parameter inStartingPacket: must be the number of frames in the file, because existing frames cannot be replaced.
@discardableResult
public func AudioFileWritePackets(
    _ inAudioFile: AudioFileID, _ inUseCache: Bool, _ inNumBytes: UInt32,
    _ inPacketDescriptions: UnsafePointer<AudioStreamPacketDescription>?, _ inStartingPacket: Int64,
    _ ioNumPackets: UnsafeMutablePointer<UInt32>, _ inBuffer: UnsafeRawPointer
) -> OSStatus {
    let file = ExtAudioFile.of(inAudioFile)
    guard let size = file.packetSize, size > 0 else { return kAudioFileOperationNotSupportedError }
    guard inStartingPacket == file.tell else { return kAudioFileInvalidPacketOffsetError }
    guard inNumBytes / UInt32(clamping: size) >= ioNumPackets.pointee else { return kAudio_ParamError }
    let buffer = AudioBuffer(
        mNumberChannels: file.fileFormat.channelCount, mDataByteSize: ioNumPackets.pointee * UInt32(clamping: size),
        mData: UnsafeMutableRawPointer(mutating: inBuffer))
    var list = AudioBufferList(mNumberBuffers: 1, mBuffers: buffer)
    return ExtAudioFileWrite(inAudioFile, ioNumPackets.pointee, &list)
}

@discardableResult
public func AudioFileGetPropertyInfo(
    _ inAudioFile: AudioFileID, _ inPropertyID: AudioFilePropertyID, _ outDataSize: UnsafeMutablePointer<UInt32>?,
    _ isWritable: UnsafeMutablePointer<UInt32>?
) -> OSStatus {
    guard let data = ExtAudioFile.of(inAudioFile).audioFileProperty(inPropertyID) else {
        return kAudioFileUnsupportedPropertyError
    }
    outDataSize?.pointee = UInt32(clamping: data.count)
    isWritable?.pointee = 0
    return noErr
}

@discardableResult
public func AudioFileGetProperty(
    _ inAudioFile: AudioFileID, _ inPropertyID: AudioFilePropertyID, _ ioDataSize: UnsafeMutablePointer<UInt32>,
    _ outPropertyData: UnsafeMutableRawPointer
) -> OSStatus {
    guard let data = ExtAudioFile.of(inAudioFile).audioFileProperty(inPropertyID) else {
        return kAudioFileUnsupportedPropertyError
    }
    guard Int(ioDataSize.pointee) >= data.count else { return kAudioFileBadPropertySizeError }
    data.withUnsafeBytes { bytes in
        if let source = bytes.baseAddress { outPropertyData.copyMemory(from: source, byteCount: bytes.count) }
    }
    ioDataSize.pointee = UInt32(clamping: data.count)
    return noErr
}
