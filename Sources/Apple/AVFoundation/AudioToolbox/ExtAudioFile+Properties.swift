import Foundation

public typealias ExtAudioFilePropertyID = UInt32

public let kExtAudioFileProperty_FileDataFormat: ExtAudioFilePropertyID = fourCC("ffmt")
public let kExtAudioFileProperty_FileChannelLayout: ExtAudioFilePropertyID = fourCC("fclo")
public let kExtAudioFileProperty_ClientDataFormat: ExtAudioFilePropertyID = fourCC("cfmt")
public let kExtAudioFileProperty_ClientChannelLayout: ExtAudioFilePropertyID = fourCC("cclo")
public let kExtAudioFileProperty_CodecManufacturer: ExtAudioFilePropertyID = fourCC("cman")
public let kExtAudioFileProperty_ConverterConfig: ExtAudioFilePropertyID = fourCC("accf")
public let kExtAudioFileProperty_FileLengthFrames: ExtAudioFilePropertyID = fourCC("#frm")

/// The values of `kExtAudioFileProperty_CodecManufacturer`. They are accepted, but have no effect.
public let kAppleSoftwareAudioCodecManufacturer: UInt32 = fourCC("appl")
public let kAppleHardwareAudioCodecManufacturer: UInt32 = fourCC("aphw")

extension ExtAudioFile {
    /// Returns the bytes of a property; nil if the property does not exist.
    func property(_ id: ExtAudioFilePropertyID) -> Data? {
        switch id {
        case kExtAudioFileProperty_FileDataFormat:
            withUnsafeBytes(of: fileFormat.streamDescription.pointee) { Data($0) }
        case kExtAudioFileProperty_ClientDataFormat:
            withUnsafeBytes(of: clientFormat.streamDescription.pointee) { Data($0) }
        case kExtAudioFileProperty_FileChannelLayout: fileFormat.channelLayout?.bytes
        case kExtAudioFileProperty_ClientChannelLayout: clientFormat.channelLayout?.bytes
        case kExtAudioFileProperty_FileLengthFrames: withUnsafeBytes(of: file?.length ?? 0) { Data($0) }
        default: nil
        }
    }

    func set(_ id: ExtAudioFilePropertyID, _ size: UInt32, _ data: UnsafeRawPointer) -> OSStatus {
        switch id {
        case kExtAudioFileProperty_ClientDataFormat:
            guard Int(size) >= MemoryLayout<AudioStreamBasicDescription>.size else {
                return kExtAudioFileError_InvalidPropertySize
            }
            let description = data.assumingMemoryBound(to: AudioStreamBasicDescription.self).pointee
            let channels = file?.processingFormat.channelLayout
            return setClient(
                AVAudioFormat(description, channels?.channelCount == description.mChannelsPerFrame ? channels : nil))
        case kExtAudioFileProperty_ClientChannelLayout:
            guard let layout = AVAudioChannelLayout(bytes: Data(bytes: data, count: Int(size))) else {
                return kExtAudioFileError_InvalidPropertySize
            }
            return setClient(AVAudioFormat(clientFormat.streamDescription.pointee, layout))
        case kExtAudioFileProperty_CodecManufacturer, kExtAudioFileProperty_ConverterConfig: return noErr
        default: return kExtAudioFileError_InvalidProperty
        }
    }
}

@discardableResult
public func ExtAudioFileGetPropertyInfo(
    _ inExtAudioFile: ExtAudioFileRef, _ inPropertyID: ExtAudioFilePropertyID,
    _ outSize: UnsafeMutablePointer<UInt32>?, _ outWritable: UnsafeMutablePointer<DarwinBoolean>?
) -> OSStatus {
    guard let data = ExtAudioFile.of(inExtAudioFile).property(inPropertyID) else {
        return kExtAudioFileError_InvalidProperty
    }
    outSize?.pointee = UInt32(clamping: data.count)
    let writable = [kExtAudioFileProperty_ClientDataFormat, kExtAudioFileProperty_ClientChannelLayout]
    outWritable?.pointee = DarwinBoolean(writable.contains(inPropertyID))
    return noErr
}

/// - Parameter ioPropertyDataSize: the buffer's capacity in bytes; on return, the size of the value.
@discardableResult
public func ExtAudioFileGetProperty(
    _ inExtAudioFile: ExtAudioFileRef, _ inPropertyID: ExtAudioFilePropertyID,
    _ ioPropertyDataSize: UnsafeMutablePointer<UInt32>, _ outPropertyData: UnsafeMutableRawPointer
) -> OSStatus {
    guard let data = ExtAudioFile.of(inExtAudioFile).property(inPropertyID) else {
        return kExtAudioFileError_InvalidProperty
    }
    guard Int(ioPropertyDataSize.pointee) >= data.count else { return kExtAudioFileError_InvalidPropertySize }
    data.withUnsafeBytes { bytes in
        if let source = bytes.baseAddress { outPropertyData.copyMemory(from: source, byteCount: bytes.count) }
    }
    ioPropertyDataSize.pointee = UInt32(clamping: data.count)
    return noErr
}

@discardableResult
public func ExtAudioFileSetProperty(
    _ inExtAudioFile: ExtAudioFileRef, _ inPropertyID: ExtAudioFilePropertyID, _ inPropertyDataSize: UInt32,
    _ inPropertyData: UnsafeRawPointer
) -> OSStatus {
    ExtAudioFile.of(inExtAudioFile).set(inPropertyID, inPropertyDataSize, inPropertyData)
}
