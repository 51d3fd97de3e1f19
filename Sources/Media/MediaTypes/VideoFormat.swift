/// The storage form of a frame: compressed by a codec, or raw.
public struct VideoCodec: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The name that users type: `h264`, `mjpeg`.
    public var rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Frames in a `PixelFormat`.
    public static let raw = VideoCodec(rawValue: "raw")
    public static let h264 = VideoCodec(rawValue: "h264")
    public static let hevc = VideoCodec(rawValue: "hevc")
    public static let mjpeg = VideoCodec(rawValue: "mjpeg")
    /// Any codec of the ProRes family, as reported for a track that is read. The format's `codecTag` identifies the
    /// kind. An encoder uses `proRes422` for it.
    public static let proRes = VideoCodec(rawValue: "prores")
    /// ProRes 422 Proxy (`apco`), the smallest.
    public static let proRes422Proxy = VideoCodec(rawValue: "prores422proxy")
    /// ProRes 422 LT (`apcs`).
    public static let proRes422LT = VideoCodec(rawValue: "prores422lt")
    /// ProRes 422 (`apcn`).
    public static let proRes422 = VideoCodec(rawValue: "prores422")
    /// ProRes 422 HQ (`apch`), the largest of 4:2:2.
    public static let proRes422HQ = VideoCodec(rawValue: "prores422hq")
    /// MPEG-4 part 2.
    public static let mpeg4 = VideoCodec(rawValue: "mpeg4")
    public static let av1 = VideoCodec(rawValue: "av1")
    public static let vp9 = VideoCodec(rawValue: "vp9")
    public static let png = VideoCodec(rawValue: "png")

    public var description: String { rawValue }

    /// The codec as stored in a track: `proRes` for each of its kinds.
    package var stored: VideoCodec { proResTag == nil ? self : .proRes }

    /// The sample description's code of a kind of ProRes; nil for other codecs.
    package var proResTag: FourCharCode? {
        switch self {
        case .proRes422Proxy: "apco"
        case .proRes422LT: "apcs"
        case .proRes422, .proRes: "apcn"
        case .proRes422HQ: "apch"
        default: nil
        }
    }
}

/// A ratio of two positive numbers, such as the aspect ratio of a pixel.
public struct Ratio: Sendable, Hashable, Codable {
    public var numerator: Int32
    public var denominator: Int32
    public init(_ numerator: Int32, _ denominator: Int32) {
        self.numerator = numerator
        self.denominator = denominator
    }
    public static let one = Ratio(1, 1)

    /// The largest number that a stream's pixel aspect ratio can store: 16 bits (ITU-T H.264, E.1.1, `sar_width`).
    package static let largestCoded: Int32 = 65_535

    /// The nearest ratio that a video stream can store.
    package var coded: Ratio { nearest(upTo: Self.largestCoded) }

    /// Returns the nearest ratio of two numbers from 1 to `limit`: a convergent or semiconvergent of this ratio's
    /// continued fraction.
    func nearest(upTo limit: Int32) -> Ratio {
        guard numerator > 0, denominator > 0, limit > 0, max(numerator, denominator) > limit else { return self }
        let (most, exact) = (Int64(limit), Double(numerator) / Double(denominator))
        var (rest, divisor) = (Int64(numerator), Int64(denominator))
        var (before, last) = ((Int64(0), Int64(1)), (Int64(1), Int64(0)))
        while divisor > 0 {
            let quotient = rest / divisor
            // Finds the largest factor that keeps both numbers in the range.
            var factor = quotient
            if last.0 > 0 { factor = min(factor, (most - before.0) / last.0) }
            if last.1 > 0 { factor = min(factor, (most - before.1) / last.1) }
            let next = (factor * last.0 + before.0, factor * last.1 + before.1)
            guard factor == quotient else {
                last = Self.distance(next, exact) < Self.distance(last, exact) ? next : last
                break
            }
            (before, last) = (last, next)
            (rest, divisor) = (divisor, rest % divisor)
        }
        return Ratio(Int32(clamping: min(max(1, last.0), most)), Int32(clamping: min(max(1, last.1), most)))
    }

    private static func distance(_ pair: (Int64, Int64), _ exact: Double) -> Double {
        pair.0 > 0 && pair.1 > 0 ? abs(Double(pair.0) / Double(pair.1) - exact) : .infinity
    }
}

/// The part of a coded frame that is meant to be shown (QTFF, clean aperture `clap`). Offsets are in pixels from the
/// center of the frame.
public struct CleanAperture: Sendable, Hashable, Codable {
    public var width: Int32
    public var height: Int32
    public var horizontalOffset: Int32
    public var verticalOffset: Int32
    public init(width: Int32, height: Int32, horizontalOffset: Int32 = 0, verticalOffset: Int32 = 0) {
        self.width = width
        self.height = height
        self.horizontalOffset = horizontalOffset
        self.verticalOffset = verticalOffset
    }
}

/// The scan type of a frame, progressive or two fields, and the order of the fields (QTFF, field handling `fiel`).
public enum FieldOrder: UInt8, Sendable, Hashable, Codable {
    /// Progressive: no fields.
    case progressive = 0
    /// The upper field is shown first and stored first.
    case upperFirst = 1
    /// The lower field is shown first and stored first.
    case lowerFirst = 6
    /// The lower field is shown first. The upper field is stored first, or the fields are stored line by line.
    case lowerFirstInterleaved = 9
    /// The upper field is shown first. The lower field is stored first, or the fields are stored line by line.
    case upperFirstInterleaved = 14
}

extension FieldOrder {
    /// True if the upper field is shown first; nil if there are no fields.
    package var showsUpperFirst: Bool? {
        switch self {
        case .progressive: nil
        case .upperFirst, .upperFirstInterleaved: true
        case .lowerFirst, .lowerFirstInterleaved: false
        }
    }
}

/// The format of video: everything that a decoder or encoder needs to know before the first frame.
public struct VideoFormat: Sendable, Hashable {
    public var codec: VideoCodec
    /// Coded size in pixels.
    public var width: Int
    public var height: Int
    /// The layout of raw frames; nil for compressed ones.
    public var pixelFormat: PixelFormat?
    public var color: ColorDescription
    public var pixelAspectRatio: Ratio
    public var cleanAperture: CleanAperture?
    /// The codec's configuration bytes: for H.264 the AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1).
    public var decoderConfiguration: [UInt8]
    /// The code of the sample description for a codec that has several, such as ProRes (`apcn`, `apch`, …) and HEVC
    /// (`hvc1`, `hev1`); nil means the codec's usual one.
    public var codecTag: FourCharCode?
    /// The field order; nil if not specified.
    public var fieldOrder: FieldOrder?
    /// The stored pixel format of a track that was read; nil if not specified.
    public var storedPixels: StoredPixels?
    /// The display on which the video was mastered; nil if not specified.
    public var masteringDisplay: MasteringDisplay?
    /// The brightness of the video; nil if not specified.
    public var contentLight: ContentLightLevel?
    /// The position of the chroma samples in 4:2:0; nil if not specified.
    public var chromaPosition: ChromaPosition?
    /// The sample description of the source file, if the other properties do not contain everything that a copy needs.
    package var storedEntry: StoredEntry?
    /// The number of bits per sample; nil if not specified.
    public var bitDepth: Int? { pixelFormat?.bitDepth ?? storedPixels?.bitDepth }

    public init(
        codec: VideoCodec, width: Int, height: Int, pixelFormat: PixelFormat? = nil, color: ColorDescription = .init(),
        pixelAspectRatio: Ratio = .one, cleanAperture: CleanAperture? = nil, decoderConfiguration: [UInt8] = [],
        codecTag: FourCharCode? = nil, fieldOrder: FieldOrder? = nil, storedPixels: StoredPixels? = nil
    ) {
        self.codec = codec
        self.width = width
        self.height = height
        self.pixelFormat = pixelFormat
        self.color = color
        self.pixelAspectRatio = pixelAspectRatio
        self.cleanAperture = cleanAperture
        self.decoderConfiguration = decoderConfiguration
        self.codecTag = codecTag
        self.fieldOrder = fieldOrder
        self.storedPixels = storedPixels
    }

    /// Creates the format of raw frames.
    public init(pixelFormat: PixelFormat, width: Int, height: Int, color: ColorDescription = .init()) {
        self.init(codec: .raw, width: width, height: height, pixelFormat: pixelFormat, color: color)
    }
}

/// The position of the chroma sample within the square of four luma samples that share it in 4:2:0. The numbers are
/// those of ITU-T H.264 and H.265 (`chroma_sample_loc_type`).
public enum ChromaPosition: UInt8, Sendable, Hashable, Codable, CaseIterable {
    /// Between the two luma samples on the left: the default of decoders if none is specified.
    case left = 0
    case center = 1
    /// At the upper left luma sample: used by video in BT.2020.
    case topLeft = 2
    case top = 3
    case bottomLeft = 4
    case bottom = 5
}

/// The meaning of a frame's sample values: primaries, transfer function, matrix and range.
///
/// The codes are those of ITU-T H.273 (also used in H.264's VUI and the `colr` atom); 2 means "unspecified".
public struct ColorDescription: Sendable, Hashable, Codable {
    public var primaries: UInt8
    public var transfer: UInt8
    public var matrix: UInt8
    /// True if sample values are 0–255 instead of 16–235.
    public var isFullRange: Bool

    public init(primaries: UInt8 = 2, transfer: UInt8 = 2, matrix: UInt8 = 2, isFullRange: Bool = false) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.isFullRange = isFullRange
    }

    /// ITU-R BT.709: high definition.
    public static let bt709 = ColorDescription(primaries: 1, transfer: 1, matrix: 1)
    /// SMPTE 170M: standard definition, and the matrix of JPEG.
    public static let bt601 = ColorDescription(primaries: 6, transfer: 6, matrix: 6)
    /// True if the transfer function is PQ or HLG (ITU-R BT.2100).
    package var isHighDynamicRange: Bool { transfer == 16 || transfer == 18 }

    /// ITU-R BT.2100 with the hybrid log-gamma of ARIB STD-B67.
    public static let hlg = ColorDescription(primaries: 9, transfer: 18, matrix: 9)
    /// ITU-R BT.2100 with the perceptual quantizer of SMPTE ST 2084: HDR10.
    public static let pq = ColorDescription(primaries: 9, transfer: 16, matrix: 9)

    public var isSpecified: Bool { primaries != 2 || transfer != 2 || matrix != 2 }
}

/// The stored form of a track's pixels, independent of the format they are decoded to.
public struct StoredPixels: Sendable, Hashable, Codable {
    /// The chroma subsampling (ITU-R BT.601 and related standards).
    public enum Chroma: String, Sendable, Hashable, Codable, CaseIterable {
        case none = "4:0:0"
        case yuv410 = "4:1:0"
        case yuv411 = "4:1:1"
        case yuv420 = "4:2:0"
        case yuv422 = "4:2:2"
        case yuv440 = "4:4:0"
        case yuv444 = "4:4:4"
    }

    /// libavutil's name of the format, such as `yuv420p10le`.
    public var name: String
    /// Bits of one luma sample, or of one color component.
    public var bitDepth: Int
    /// The chroma subsampling; nil for RGB, palettes, and subsampling without a name.
    public var chroma: Chroma?
    /// True if the format stores red, green and blue, or a palette of them.
    public var isRGB: Bool
    public var hasAlpha: Bool

    public init(name: String, bitDepth: Int, chroma: Chroma? = nil, isRGB: Bool = false, hasAlpha: Bool = false) {
        self.name = name
        self.bitDepth = bitDepth
        self.chroma = chroma
        self.isRGB = isRGB
        self.hasAlpha = hasAlpha
    }
}
