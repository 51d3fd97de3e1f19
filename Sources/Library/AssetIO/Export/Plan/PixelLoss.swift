import MediaCodecs
import MediaTypes

extension ExportPlan.OutputTrack {
    /// The parts of the source's pixels that the encoded frames lack, one line each: transparency, chroma resolution,
    /// bits above ten, and the last column or row.
    var lostPixels: [String] {
        guard case .video(let track, let settings, let steps) = self, let format = track.formatDescription?.video else {
            return []
        }
        let isOdd = (column: format.width % 2 != 0, row: format.height % 2 != 0)
        // At another size, a pixel of the copy is made of several pixels of the source.
        let isScaled = settings.width != format.width & ~1 || settings.height != format.height & ~1
        var lost: [String] = []
        if let pixels = format.storedPixels {
            if pixels.hasAlpha { lost.append("the transparency of track \(track.id): the encoded video is opaque") }
            if !isScaled, let change = Self.chromaLoss(pixels, settings.codec) {
                lost.append("the chroma resolution of track \(track.id): \(change)")
            }
            if pixels.bitDepth > 10, VideoEncoderRules.bitDepth(settings) == 10 {
                lost.append("the bit depth of track \(track.id): \(pixels.bitDepth) bits are encoded as 10")
            }
        }
        if !isScaled, steps.source == nil, steps.shape == nil, isOdd.column || isOdd.row {
            let what = isOdd.column && isOdd.row ? "column and row" : isOdd.column ? "column" : "row"
            lost.append("the last \(what) of track \(track.id): encoded frames have an even width and height")
        }
        return lost
    }

    /// The descriptions of the source's frames that the copy lacks, one line each.
    var lostDescriptions: [String] {
        let tracks: [AssetTrack]
        switch self {
        case .passthrough(let track), .video(let track, _, _): tracks = [track]
        case .composition(let composed, _, _, _): tracks = composed
        case .audio, .mix: tracks = []
        }
        return tracks.flatMap { track in
            track.uncopied.map { "\($0.rawValue) of track \(track.id): it is not copied" }
        }
    }

    /// Returns the change of the chroma resolution; nil if the encoder keeps it, or if it is unknown.
    private static func chromaLoss(_ pixels: StoredPixels, _ codec: VideoCodec) -> String? {
        let isProRes = codec.proResTag != nil
        guard isProRes || [.h264, .hevc, .av1].contains(codec) else { return nil }
        let chroma: StoredPixels.Chroma = pixels.chroma ?? (pixels.isRGB ? .yuv444 : .yuv420)
        let isKept: Bool
        switch chroma {
        case .yuv444, .yuv440: isKept = false
        case .yuv422, .yuv411: isKept = isProRes
        case .yuv420, .yuv410, .none: isKept = true
        }
        if isKept { return nil }
        return "\(pixels.chroma?.rawValue ?? "RGB") is encoded as \(isProRes ? "4:2:2" : "4:2:0")"
    }
}
