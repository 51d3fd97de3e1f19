import CFFmpeg
import MediaTypes

extension MasteringDisplay {
    /// Creates the display that libavformat found; nil if its description is missing or incomplete.
    init?(_ stream: AVStream) {
        guard let found = stream.sideData(AV_PKT_DATA_MASTERING_DISPLAY_METADATA, as: AVMasteringDisplayMetadata.self),
            found.has_primaries != 0, found.has_luminance != 0
        else { return nil }
        func place(_ pair: (AVRational, AVRational)) -> Chromaticity {
            Chromaticity(x: UInt16(clamping: pair.0.steps(50_000)), y: UInt16(clamping: pair.1.steps(50_000)))
        }
        self.init(
            red: place(found.display_primaries.0), green: place(found.display_primaries.1),
            blue: place(found.display_primaries.2), whitePoint: place(found.white_point),
            maximumLuminance: UInt32(clamping: found.max_luminance.steps(10_000)),
            minimumLuminance: UInt32(clamping: found.min_luminance.steps(10_000)))
    }
}

extension ContentLightLevel {
    init?(_ stream: AVStream) {
        guard let found = stream.sideData(AV_PKT_DATA_CONTENT_LIGHT_LEVEL, as: AVContentLightMetadata.self) else {
            return nil
        }
        self.init(maximum: UInt16(clamping: found.MaxCLL), maximumAverage: UInt16(clamping: found.MaxFALL))
    }
}

extension AVStream {
    fileprivate func sideData<Value>(_ type: AVPacketSideDataType, as value: Value.Type) -> Value? {
        var size = 0
        let data = withUnsafePointer(to: self) { cffmpeg_stream_side_data($0, type, &size) }
        guard let data, size >= MemoryLayout<Value>.size else { return nil }
        return UnsafeRawPointer(data).loadUnaligned(as: Value.self)
    }
}

extension AVRational {
    /// Returns the number in units of 1/`parts`; 0 if the denominator is 0.
    fileprivate func steps(_ parts: Int64) -> Int64 { den == 0 ? 0 : av_rescale(Int64(num), parts, Int64(den)) }
}
