import Foundation
import MediaTypes

extension AVAudioFormat {
    /// Returns nil for settings that are incomplete or invalid.
    public convenience init?(settings: [String: Any]) {
        var reader = SettingsReader(settings)
        let (format, rate) = (reader.audioFormat(), reader.double(AVSampleRateKey, in: 1...1_000_000))
        let bytes = reader.bytes(AVChannelLayoutKey)
        let layout = bytes.flatMap { AVAudioChannelLayout(bytes: $0) }
        let channels = reader.integer(AVNumberOfChannelsKey, in: 1...64).map { AVAudioChannelCount($0) }
        let pcm = reader.pcmFormat() ?? .s16
        let isBigEndian = reader.bool(AVLinearPCMIsBigEndianKey) ?? false
        let isApart = reader.bool(AVLinearPCMIsNonInterleaved) ?? false
        guard reader.faults.isEmpty, (bytes == nil) == (layout == nil), let format, let rate,
            let count = channels ?? layout?.channelCount, layout.map({ $0.channelCount == count }) ?? (count <= 2)
        else { return nil }
        var description = AudioStreamBasicDescription(
            pcm: pcm, sampleRate: rate, channels: count, isInterleaved: !isApart, isBigEndian: isBigEndian)
        if format != kAudioFormatLinearPCM {
            description = AudioStreamBasicDescription()
            (description.mSampleRate, description.mFormatID, description.mChannelsPerFrame) = (rate, format, count)
            description.mFramesPerPacket = format == kAudioFormatMPEG4AAC ? 1024 : 0
        }
        self.init(description, layout)
    }

    /// The format as a dictionary for `AVAudioFile` and `AVAssetWriterInput`.
    public var settings: [String: Any] {
        let description = streamDescription.pointee
        var settings: [String: Any] = [
            AVFormatIDKey: Int(description.mFormatID), AVSampleRateKey: sampleRate,
            AVNumberOfChannelsKey: Int(channelCount),
        ]
        if let channelLayout { settings[AVChannelLayoutKey] = channelLayout.bytes }
        guard description.mFormatID == kAudioFormatLinearPCM else { return settings }
        settings[AVLinearPCMBitDepthKey] = Int(description.mBitsPerChannel)
        settings[AVLinearPCMIsFloatKey] = description.mFormatFlags & kAudioFormatFlagIsFloat != 0
        settings[AVLinearPCMIsBigEndianKey] = description.mFormatFlags & kAudioFormatFlagIsBigEndian != 0
        settings[AVLinearPCMIsNonInterleaved] = !isInterleaved
        return settings
    }
}

extension AVAudioChannelLayout {
    /// Returns nil if the bytes are not a complete layout.
    convenience init?(bytes: Data) {
        let count = bytes.count
        // A layout without descriptions may have only its first three fields.
        guard count >= 12 else { return nil }
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: max(count, MemoryLayout<AudioChannelLayout>.size), alignment: MemoryLayout<UInt64>.alignment)
        defer { memory.deallocate() }
        _ = memory.initializeMemory(
            as: UInt8.self, repeating: 0, count: max(count, MemoryLayout<AudioChannelLayout>.size))
        bytes.withUnsafeBytes { memory.copyMemory(from: $0.baseAddress!, byteCount: count) }
        let layout = memory.assumingMemoryBound(to: AudioChannelLayout.self)
        if layout.pointee.mChannelLayoutTag == kAudioChannelLayoutTag_UseChannelDescriptions {
            let described = Int(layout.pointee.mNumberChannelDescriptions)
            guard (1...64).contains(described),
                count >= 12 + described * MemoryLayout<AudioChannelDescription>.stride
            else { return nil }
        }
        self.init(layout: UnsafePointer(layout))
    }
}
