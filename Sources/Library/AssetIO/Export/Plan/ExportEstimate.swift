import MediaTypes

/// Estimates the size of an export before it is made, by rules of thumb.
enum ExportEstimate {
    /// Bits that every file needs, whatever its length.
    static let fileBits = 64.0 * 1024 * 8

    /// Returns the bits per second of a track's samples.
    static func bitRate(_ planned: ExportPlan.OutputTrack) -> Double {
        switch planned {
        case .passthrough(let track): return track.estimatedDataRate
        case .video(let track, let settings, _): return frames(settings, source: track.estimatedDataRate)
        case .composition(_, _, let settings, _): return frames(settings, source: 0)
        case .audio(_, let settings, _), .mix(_, let settings, _):
            let channels = Double(settings.channelCount ?? 2)
            let rate = Double(settings.sampleRate ?? 48_000) * channels
            return switch settings.codec {
            case .aac, .opus: settings.bitRate.map(Double.init) ?? 64_000 * channels
            // Lossless coding saves about half.
            case .alac, .flac: rate * Double(settings.bitDepth ?? 16) * 0.55
            default: rate * Double((settings.pcm ?? .s16).byteCount * 8)
            }
        }
    }

    /// Returns the bits per second of encoded video. x264 needs about a tenth of a bit per pixel at CRF 23, and twice
    /// as many bits if the CRF is lower by six.
    private static func frames(_ settings: VideoSettings, source: Double) -> Double {
        let pixels = Double((settings.width ?? 0) * (settings.height ?? 0)) * (settings.expectedFrameRate ?? 30)
        switch settings.codec {
        // Apple's own numbers for 1080p at 29.97 frames per second.
        case .proRes422Proxy: return pixels * 0.72
        case .proRes422LT: return pixels * 1.64
        case .proRes422, .proRes: return pixels * 2.36
        case .proRes422HQ: return pixels * 3.54
        default: break
        }
        switch settings.rateControl {
        case .bitRate(let bits): return Double(bits)
        case .constantQuality, .quality:
            let factor = settings.rateControl.factor(most: 51) ?? 23
            let bits = pixels * (settings.codec == .mjpeg ? 1 : 0.07)
            var scale = 1.0
            for _ in 0..<Int(clamping: (abs(23 - factor) / 6 * 8).rounded()) {
                scale *= factor < 23 ? 1.0905 : 1 / 1.0905
            }
            return source > 0 ? min(bits * scale, source) : bits * scale
        }
    }

    /// Returns the bits per second of a track's part of the index: sample tables and fragment headers.
    static func overhead(_ planned: ExportPlan.OutputTrack) -> Double {
        switch planned {
        case .video(_, let settings, _), .composition(_, _, let settings, _):
            return (settings.expectedFrameRate ?? 30) * 40 * 8
        case .audio(_, let settings, _), .mix(_, let settings, _):
            return settings.codec == .linearPCM ? 100 : Double(settings.sampleRate ?? 48_000) / 1024 * 24 * 8
        case .passthrough(let track):
            return track.mediaType == .video ? max(1, track.nominalFrameRate) * 40 * 8 : 50 * 24 * 8
        }
    }

    /// Returns the bytes of the complete file.
    static func size(_ plan: ExportPlan) -> Int64 {
        let seconds = max(0, plan.range.duration.seconds)
        let rate = plan.outputs.reduce(0) { $0 + bitRate($1) + overhead($1) }
        let bytes = (rate * seconds + fileBits) / 8
        return bytes.isFinite ? Int64(clamping: min(bytes, 1e18)) : 0
    }
}
