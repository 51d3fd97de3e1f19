import Foundation
import MediaTypes

extension VideoSettings {
    /// Returns these settings with the values of `AVVideoCompressionPropertiesKey` added.
    func compressed(by reader: inout SettingsReader) -> VideoSettings {
        var settings = self
        for key in reader.keys.sorted() {
            if !isProperty(key) {
                reader.fault(key, "it is not a compression property of codec \(codecType?.rawValue ?? codec.rawValue)")
            } else if Self.unkeptLimits.contains(key), reader.value(key) != nil {
                reader.fault(key, "the encoders cannot keep this limit")
            }
        }
        let quality = reader.double(AVVideoQualityKey, in: 0...1)
        if let quality, !isProRes { settings.rateControl = .quality(quality) }
        if let bitRate = reader.integer(AVVideoAverageBitRateKey, in: 1...Int(Int32.max), of: " bit/s") {
            settings.rateControl = .bitRate(bitRate)
        }
        let expected = reader.double(AVVideoExpectedSourceFrameRateKey, in: 0...1000)
        let kept = reader.double(AVVideoAverageNonDroppableFrameRateKey, in: 0...1000)
        // Apple's 0 means “unknown”.
        settings.expectedFrameRate = [expected, kept].compactMap { $0 }.first { $0 > 0 }
        settings.readKeyframes(&reader)
        if reader.bool(AVVideoAllowFrameReorderingKey) == false { settings.maximumBFrames = 0 }
        if reader.bool(kVTCompressionPropertyKey_AllowTemporalCompression) == false {
            // This interval is shorter than the duration of any frame, so every frame becomes a keyframe.
            settings.keyframeInterval = MediaTime(value: 1, timescale: 1000)
            (settings.longestKeyframeInterval, settings.maximumBFrames) = (nil, 0)
        }
        settings.readProfile(&reader)
        settings.readColor(&reader)
        settings.readShape(&reader)
        settings.readEntropyMode(&reader)
        settings.readLight(&reader)
        return settings
    }

    private mutating func readKeyframes(_ reader: inout SettingsReader) {
        let frames = reader.integer(AVVideoMaxKeyFrameIntervalKey, in: 0...Int(Int32.max), of: " frames")
        let seconds = reader.double(AVVideoMaxKeyFrameIntervalDurationKey, in: 0...100_000)
        // Numbers of frames are converted to times here. 0 lets the encoder choose.
        let rate = expectedFrameRate ?? 30
        let intervals = [frames.map { Double($0) / rate }, seconds].compactMap { $0 }.filter { $0 > 0 }
        if let interval = intervals.min() {
            keyframeInterval = max(
                MediaTime(value: 1, timescale: 1000), MediaTime(seconds: min(interval, 100_000), timescale: 90_000))
        }
        // A number of frames is no limit of the time.
        guard let frames, frames > 0 else { return }
        longestKeyframeInterval =
            seconds.flatMap { $0 > 0 ? MediaTime(seconds: $0, timescale: 90_000) : nil } ?? .positiveInfinity
    }

    private mutating func readProfile(_ reader: inout SettingsReader) {
        let key = AVVideoProfileLevelKey
        guard let name = reader.string(key) else { return }
        let words = name.split(separator: "_").map(String.init)
        let names: [String: Profile] = [
            "H264_Baseline": .baseline, "H264_ConstrainedBaseline": .baseline, "H264_Main": .main, "H264_High": .high,
            "H264_ConstrainedHigh": .high, "HEVC_Main": .main, "HEVC_Main10": .main10, "AV1_Main": .main,
        ]
        guard words.count >= 3, let profile = names["\(words[0])_\(words[1])"] else {
            reader.fault(key, "unsupported profile “\(name)”")
            return
        }
        let prefixes: [VideoCodec: String] = [.h264: "H264", .hevc: "HEVC", .av1: "AV1"]
        guard prefixes[codec] == words[0] else {
            reader.fault(key, "“\(name)” is not a profile of codec \(codecType?.rawValue ?? codec.rawValue)")
            return
        }
        self.profile = profile
        if words[2] != "AutoLevel" { level = words.dropFirst(2).joined(separator: ".") }
    }

    private mutating func readEntropyMode(_ reader: inout SettingsReader) {
        entropyMode = reader.choice(
            AVVideoH264EntropyModeKey, [AVVideoH264EntropyModeCAVLC: .cavlc, AVVideoH264EntropyModeCABAC: .cabac])
    }

    /// Reads the HDR metadata. `kVTHDRMetadataInsertionMode_None` discards it.
    private mutating func readLight(_ reader: inout SettingsReader) {
        let keys = (
            kVTCompressionPropertyKey_MasteringDisplayColorVolume, kVTCompressionPropertyKey_ContentLightLevelInfo
        )
        if let data = reader.bytes(keys.0) {
            masteringDisplay = MasteringDisplay(coreVideo: data)
            if masteringDisplay == nil { reader.fault(keys.0, "it has \(data.count) bytes, not 24") }
        }
        if let data = reader.bytes(keys.1) {
            contentLight = ContentLightLevel(coreVideo: data)
            if contentLight == nil { reader.fault(keys.1, "it has \(data.count) bytes, not 4") }
        }
        let modes = [kVTHDRMetadataInsertionMode_None: false, kVTHDRMetadataInsertionMode_Auto: true]
        if reader.choice(kVTCompressionPropertyKey_HDRMetadataInsertionMode, modes) == false {
            (masteringDisplay, contentLight) = (nil, nil)
        }
    }

    /// Reads the color tags under Video Toolbox's keys, which are equivalent to `AVVideoColorPropertiesKey`.
    private mutating func readColor(_ reader: inout SettingsReader) {
        let said = reader.color(
            kVTCompressionPropertyKey_ColorPrimaries, kVTCompressionPropertyKey_TransferFunction,
            kVTCompressionPropertyKey_YCbCrMatrix)
        if color == nil { color = said }
    }

    /// Reads the pixel aspect ratio and the clean aperture, under AVFoundation's keys and Video Toolbox's own. Values
    /// of the enclosing settings have priority.
    private mutating func readShape(_ reader: inout SettingsReader) {
        let ratios = [AVVideoPixelAspectRatioKey, kVTCompressionPropertyKey_PixelAspectRatio]
        for key in ratios {
            guard let ratio = reader.dictionary(key, { $0.pixelAspectRatio() }) else { continue }
            if pixelAspectRatio == .one { pixelAspectRatio = ratio }
        }
        for key in [AVVideoCleanApertureKey, kVTCompressionPropertyKey_CleanAperture] {
            guard let aperture = reader.dictionary(key, { $0.cleanAperture() }) else { continue }
            if cleanAperture == nil { cleanAperture = aperture }
        }
    }

    /// Returns true if Video Toolbox's encoder for the codec has this property. Properties without an effect on Linux
    /// are accepted and ignored.
    private func isProperty(_ key: String) -> Bool {
        if key == AVVideoCleanApertureKey || key == AVVideoPixelAspectRatioKey { return true }
        if isProRes || codec == .mjpeg {
            let common: Set = [
                kVTCompressionPropertyKey_ColorPrimaries, kVTCompressionPropertyKey_TransferFunction,
                kVTCompressionPropertyKey_YCbCrMatrix, kVTCompressionPropertyKey_RealTime,
                AVVideoExpectedSourceFrameRateKey,
                AVVideoAverageNonDroppableFrameRateKey, kVTCompressionPropertyKey_FieldCount,
                kVTCompressionPropertyKey_FieldDetail, kVTCompressionPropertyKey_PixelAspectRatio,
                kVTCompressionPropertyKey_CleanAperture, kVTCompressionPropertyKey_MaximizePowerEfficiency,
                kVTCompressionPropertyKey_MaximumRealTimeFrameRate,
            ]
            return common.contains(key) || codec == .mjpeg && key == AVVideoQualityKey
        }
        if key == AVVideoH264EntropyModeKey { return codec == .h264 }
        return Self.videoToolboxProperties.contains(key)
    }
}
