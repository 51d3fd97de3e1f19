import AssetIO
import Foundation
import MediaTypes

extension AudioSettings {
    /// Reads the audio `outputSettings` of `AVAssetWriterInput`. Unknown keys are ignored.
    ///
    /// - Throws: all errors in the dictionary, such as a missing format, or a layout for another number of channels.
    init(_ dictionary: [String: Any]) throws(SettingsFaults) {
        var reader = SettingsReader(dictionary)
        let format = reader.audioFormat()
        self.init(codec: .aac)
        switch format {
        case nil: break
        case kAudioFormatMPEG4AAC: codec = .aac
        case kAudioFormatAppleLossless: codec = .alac
        case kAudioFormatLinearPCM: codec = .linearPCM
        case let other?:
            reader.fault(AVFormatIDKey, "“\(FourCharacters(other))” is not supported for writing")
        }
        sampleRate = reader.sampleRate()
        channelCount = reader.integer(AVNumberOfChannelsKey, in: 1...64)
        layout = reader.channelLayout(channels: channelCount, isPCM: codec == .linearPCM)
        if channelCount == nil { channelCount = layout?.channelCount }
        readBitRate(&reader)
        if codec == .linearPCM {
            pcm = reader.pcmFormat() ?? .s16
            isBigEndian = reader.bool(AVLinearPCMIsBigEndianKey) ?? false
            isInterleaved = !(reader.bool(AVLinearPCMIsNonInterleaved) ?? false)
            if !isInterleaved {
                reader.fault(AVLinearPCMIsNonInterleaved, "files store interleaved channels only")
            }
        }
        if let bits = reader.integer(AVEncoderBitDepthHintKey, in: 8...32, of: " bits"), codec == .alac {
            if bits == 16 || bits == 24 {
                bitDepth = bits
            } else {
                reader.fault(AVEncoderBitDepthHintKey, "it is \(bits) bits, not 16 or 24")
            }
        }
        if !reader.faults.isEmpty { throw SettingsFaults(list: reader.faults.sorted { $0.key < $1.key }) }
    }

    private mutating func readBitRate(_ reader: inout SettingsReader) {
        let range = 1...Int(Int32.max)
        let whole = reader.integer(AVEncoderBitRateKey, in: range, of: " bit/s")
        let each = reader.integer(AVEncoderBitRatePerChannelKey, in: range, of: " bit/s")
        let strategies = [
            AVAudioBitRateStrategy_Constant, AVAudioBitRateStrategy_LongTermAverage,
            AVAudioBitRateStrategy_VariableConstrained, AVAudioBitRateStrategy_Variable,
        ]
        // The encoder always uses an average bit rate, so the value is only checked.
        _ = reader.choice(AVEncoderBitRateStrategyKey, Dictionary(uniqueKeysWithValues: strategies.map { ($0, $0) }))
        for key in [AVEncoderAudioQualityKey, AVEncoderAudioQualityForVBRKey] {
            _ = reader.integer(key, in: AVAudioQuality.min.rawValue...AVAudioQuality.max.rawValue)
        }
        guard codec == .aac else { return }
        bitRate = whole ?? each.map { min($0 * (channelCount ?? 1), range.upperBound) }
    }

    /// The settings as a dictionary for `AVAssetWriterInput`, from which the same settings can be read.
    var dictionary: [String: Any] {
        var settings: [String: Any] = [:]
        switch codec {
        case .aac: settings[AVFormatIDKey] = Int(kAudioFormatMPEG4AAC)
        case .alac: settings[AVFormatIDKey] = Int(kAudioFormatAppleLossless)
        default: settings[AVFormatIDKey] = Int(kAudioFormatLinearPCM)
        }
        settings[AVSampleRateKey] = sampleRate.map(Double.init)
        settings[AVNumberOfChannelsKey] = channelCount
        settings[AVChannelLayoutKey] = layout.map { AudioChannelLayout($0).bytes }
        settings[AVEncoderBitRateKey] = bitRate
        settings[AVEncoderBitDepthHintKey] = bitDepth
        if codec == .linearPCM {
            let format = pcm ?? .s16
            settings[AVLinearPCMBitDepthKey] = 8 * format.byteCount
            settings[AVLinearPCMIsFloatKey] = format.isFloatingPoint
            settings[AVLinearPCMIsBigEndianKey] = isBigEndian
            settings[AVLinearPCMIsNonInterleaved] = !isInterleaved
        }
        return settings
    }
}

extension TrackOutput.PCM {
    /// Reads the audio settings of `AVAssetReaderTrackOutput` and `AVAssetReaderAudioMixOutput`. For missing values,
    /// those of the stored audio are used. By default, samples have 16 bits, or 32 bits for floating point.
    init(_ dictionary: [String: Any]) throws(SettingsFaults) {
        var reader = SettingsReader(dictionary)
        if let format = reader.audioFormat(), format != kAudioFormatLinearPCM {
            reader.fault(
                AVFormatIDKey, "audio is decoded only to linear PCM, not to “\(FourCharacters(format))”")
        }
        let rate = reader.sampleRate()
        let channels = reader.integer(AVNumberOfChannelsKey, in: 1...64)
        let layout = reader.channelLayout(channels: channels, isPCM: true)
        let format = reader.pcmFormat()
        let isBigEndian = reader.bool(AVLinearPCMIsBigEndianKey) ?? false
        if reader.bool(AVLinearPCMIsNonInterleaved) == true, channels != 1 {
            reader.fault(AVLinearPCMIsNonInterleaved, "only interleaved channels are supported")
        }
        if !reader.faults.isEmpty { throw SettingsFaults(list: reader.faults.sorted { $0.key < $1.key }) }
        self.init(
            format ?? .s16, isBigEndian: isBigEndian, sampleRate: rate, channelCount: channels ?? layout?.channelCount,
            layout: layout)
    }
}

extension SettingsReader {
    /// Returns the format. If it is missing, adds an error.
    mutating func audioFormat() -> AudioFormatID? {
        guard value(AVFormatIDKey) != nil else {
            fault(AVFormatIDKey, "it is missing")
            return nil
        }
        return integer(AVFormatIDKey, in: 0...Int(UInt32.max)).map { AudioFormatID($0) }
    }

    mutating func sampleRate() -> Int? {
        double(AVSampleRateKey, in: 1...1_000_000).map { Int(clamping: $0.rounded()) }
    }

    mutating func channelLayout(channels: Int?, isPCM: Bool) -> ChannelLayout? {
        guard let data = bytes(AVChannelLayoutKey) else { return nil }
        guard let layout = ChannelLayout(coreAudio: data, isPCM: isPCM) else {
            fault(
                AVChannelLayoutKey,
                isPCM ? "unsupported layout of linear PCM" : "unsupported layout")
            return nil
        }
        if let channels, channels != layout.channelCount {
            fault(
                AVChannelLayoutKey,
                "it has \(layout.channelCount) channels, but \(AVNumberOfChannelsKey) is \(channels)")
        }
        return layout
    }

    /// Returns the sample format; nil if none is specified.
    mutating func pcmFormat() -> PCMSampleFormat? {
        let bits = integer(AVLinearPCMBitDepthKey, in: 8...64, of: " bits")
        let isFloat = bool(AVLinearPCMIsFloatKey)
        guard bits != nil || isFloat != nil else { return nil }
        switch (bits ?? (isFloat == true ? 32 : 16), isFloat ?? false) {
        case (8, false): return .s8
        case (16, false): return .s16
        case (24, false): return .s24
        case (32, false): return .s32
        case (32, true): return .float32
        case (64, true): return .float64
        case (let bits, let isFloat):
            fault(
                AVLinearPCMBitDepthKey,
                "\(bits) bits are not supported for \(isFloat ? "floating-point" : "integer") samples")
            return nil
        }
    }
}
