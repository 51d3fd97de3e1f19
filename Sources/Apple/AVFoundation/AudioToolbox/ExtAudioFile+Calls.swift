public import Foundation
import MediaTypes

extension ExtAudioFile {
    static func of(_ reference: ExtAudioFileRef) -> ExtAudioFile {
        Unmanaged<ExtAudioFile>.fromOpaque(UnsafeRawPointer(reference)).takeUnretainedValue()
    }

    /// Returns a reference that `ExtAudioFileDispose` releases.
    var reference: ExtAudioFileRef { OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }
}

extension AudioError {
    /// Runs a closure, and returns the code of its error.
    static func status(_ body: () throws -> Void) -> OSStatus {
        do {
            try body()
            return noErr
        } catch {
            return OSStatus(truncatingIfNeeded: (error as NSError).code)
        }
    }

    /// - Throws: an error for a URL that is not a file URL.
    static func file(_ url: CFURL) throws -> URL {
        guard url.isFileURL, let path = url.path else {
            throw make(MediaError(.unsupported, "cannot open \(url)", reason: "it is not a file"))
        }
        return URL(fileURLWithPath: path)
    }
}

@discardableResult
public func ExtAudioFileOpenURL(
    _ inURL: CFURL, _ outExtAudioFile: UnsafeMutablePointer<ExtAudioFileRef?>
) -> OSStatus {
    AudioError.status { outExtAudioFile.pointee = try ExtAudioFile(reading: try AudioError.file(inURL)).reference }
}

/// Creates a file.
///
/// - Parameter inFlags: bit 0 replaces an existing file. Without this bit, an existing file is an error.
@discardableResult
public func ExtAudioFileCreateWithURL(
    _ inURL: CFURL, _ inFileType: AudioFileTypeID, _ inStreamDesc: UnsafePointer<AudioStreamBasicDescription>,
    _ inChannelLayout: UnsafePointer<AudioChannelLayout>?, _ inFlags: UInt32,
    _ outExtAudioFile: UnsafeMutablePointer<ExtAudioFileRef?>
) -> OSStatus {
    let format = AVAudioFormat(inStreamDesc.pointee, inChannelLayout.map { AVAudioChannelLayout(layout: $0) })
    return AudioError.status {
        let file = try ExtAudioFile(
            writing: try AudioError.file(inURL), inFileType, format, replacesExisting: inFlags & 1 != 0)
        outExtAudioFile.pointee = file.reference
    }
}

/// Finalizes and closes the file.
@discardableResult
public func ExtAudioFileDispose(_ inExtAudioFile: ExtAudioFileRef) -> OSStatus {
    let file = Unmanaged<ExtAudioFile>.fromOpaque(UnsafeRawPointer(inExtAudioFile)).takeRetainedValue()
    return AudioError.status { try file.close() }
}

/// Reads frames into buffers with memory.
///
/// - Parameter ioNumberFrames: the number of frames that fit in the buffers; on return, the number of frames that were
///   read, which is 0 at the end of the file.
@discardableResult
public func ExtAudioFileRead(
    _ inExtAudioFile: ExtAudioFileRef, _ ioNumberFrames: UnsafeMutablePointer<UInt32>,
    _ ioData: UnsafeMutablePointer<AudioBufferList>
) -> OSStatus {
    let file = ExtAudioFile.of(inExtAudioFile)
    return AudioError.status {
        let target = UnsafeMutableAudioBufferListPointer(ioData)
        let frameSize = file.clientFormat.streamDescription.pointee.mBytesPerFrame
        let room = target.map { $0.mData == nil ? 0 : $0.mDataByteSize / max(1, frameSize) }.min() ?? 0
        let bufferCount = file.clientFormat.streamDescription.pointee.bufferCount
        guard target.count == bufferCount else {
            throw AudioError.make(
                MediaError(
                    .invalidSample, "cannot read into an AudioBufferList",
                    reason: "the client format needs \(bufferCount) buffers, but the list has \(target.count)"))
        }
        let wanted = min(ioNumberFrames.pointee, room)
        ioNumberFrames.pointee = 0
        let buffer = try file.read(wanted)
        for index in target.indices {
            let size = buffer.list[index].mDataByteSize
            if let source = buffer.list[index].mData {
                target[index].mData?.copyMemory(from: source, byteCount: Int(size))
            }
            target[index].mDataByteSize = size
        }
        ioNumberFrames.pointee = buffer.frameLength
    }
}

@discardableResult
public func ExtAudioFileWrite(
    _ inExtAudioFile: ExtAudioFileRef, _ inNumberFrames: UInt32, _ ioData: UnsafePointer<AudioBufferList>
) -> OSStatus {
    let file = ExtAudioFile.of(inExtAudioFile)
    return AudioError.status {
        guard let buffer = AVAudioPCMBuffer(pcmFormat: file.clientFormat, bufferListNoCopy: ioData),
            buffer.frameCapacity >= inNumberFrames
        else {
            throw AudioError.make(
                MediaError(
                    .invalidSample, "cannot write an AudioBufferList",
                    reason: "its buffers do not match the client format, or hold fewer than \(inNumberFrames) frames"))
        }
        buffer.frameLength = inNumberFrames
        try file.write(buffer)
    }
}

/// Writes frames. Despite its name, the function is synchronous: it returns after the frames are written.
@discardableResult
public func ExtAudioFileWriteAsync(
    _ inExtAudioFile: ExtAudioFileRef, _ inNumberFrames: UInt32, _ ioData: UnsafePointer<AudioBufferList>?
) -> OSStatus {
    // A call without data only prepares for later calls.
    guard let ioData else { return noErr }
    return ExtAudioFileWrite(inExtAudioFile, inNumberFrames, ioData)
}

@discardableResult
public func ExtAudioFileSeek(_ inExtAudioFile: ExtAudioFileRef, _ inFrameOffset: Int64) -> OSStatus {
    ExtAudioFile.of(inExtAudioFile).seek(to: inFrameOffset)
}

@discardableResult
public func ExtAudioFileTell(
    _ inExtAudioFile: ExtAudioFileRef, _ outFrameOffset: UnsafeMutablePointer<Int64>
) -> OSStatus {
    outFrameOffset.pointee = ExtAudioFile.of(inExtAudioFile).tell
    return noErr
}
