package import AssetIO
import MediaCodecs
package import MediaTypes

/// Reads the settings of decoded samples from a dictionary.
package enum ReaderSettings {
    /// Reads the settings of decoded frames.
    ///
    /// - Parameter color: the color of the frames, which are not converted to another one; nil if it is not known yet.
    /// - Throws: `invalidSettings` naming every invalid key.
    static func frames(_ words: [String: Any], color: ColorDescription?) throws(MediaError) -> PixelAttributes {
        do {
            try UnsuitableKeys.check(words, for: .video, isReading: true)
            let attributes = try PixelAttributes(words)
            var reader = SettingsReader(words)
            for (key, length, other) in [
                (kCVPixelBufferWidthKey, attributes.width, attributes.height),
                (kCVPixelBufferHeightKey, attributes.height, attributes.width),
            ] {
                guard let length else { continue }
                if other == nil { reader.fault(key, "width and height must be requested together") }
                if length > FrameScaler.greatestLength {
                    reader.fault(key, "it is \(length), and frames are scaled up to \(FrameScaler.greatestLength)")
                }
            }
            checkColor(&reader, color ?? ColorDescription(), isRGB: attributes.format?.isRGB ?? false)
            if !reader.faults.isEmpty { throw SettingsFaults(list: reader.faults) }
            return attributes
        } catch { throw fault(error) }
    }

    /// Refuses each requested color tag that the frames do not have. RGB has no matrix.
    private static func checkColor(_ reader: inout SettingsReader, _ color: ColorDescription, isRGB: Bool) {
        _ = reader.dictionary(AVVideoColorPropertiesKey) { properties in
            for (key, name) in [
                (AVVideoColorPrimariesKey, ColorNames.primaries(color.primaries)),
                (AVVideoTransferFunctionKey, ColorNames.transfer(color.transfer)),
                (AVVideoYCbCrMatrixKey, isRGB ? nil : ColorNames.matrix(color.matrix)),
            ] {
                guard let wanted = properties.string(key), let name, wanted != name else { continue }
                properties.fault(key, "colors are not converted, and the frames have \(name), not \(wanted)")
            }
            return ()
        }
    }

    /// Reads the settings of linear PCM, which are the same for a reader's output and a microphone's output.
    ///
    /// - Throws: `invalidSettings` naming every invalid key.
    package static func pcm(_ words: [String: Any]) throws(MediaError) -> TrackOutput.PCM {
        do {
            try UnsuitableKeys.check(words, for: .audio, isReading: true)
            return try TrackOutput.PCM(words)
        } catch { throw fault(error) }
    }

    private static func fault(_ error: any Error) -> MediaError {
        MediaError(.invalidSettings, "cannot create an output", reason: "\(error)")
    }
}
