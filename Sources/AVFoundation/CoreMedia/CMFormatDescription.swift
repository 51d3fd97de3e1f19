public import Foundation
import MediaTypes

public typealias CMMediaType = FourCharCode
public typealias CMVideoCodecType = FourCharCode
public typealias CMVideoFormatDescription = CMFormatDescription
public typealias CMAudioFormatDescription = CMFormatDescription
public typealias CMTimeCodeFormatDescription = CMFormatDescription
public typealias CMTextFormatDescription = CMFormatDescription
public typealias CMMetadataFormatDescription = CMFormatDescription

public let kCMFormatDescriptionError_InvalidParameter: OSStatus = -12710
public let kCMFormatDescriptionError_AllocationFailed: OSStatus = -12711
public let kCMFormatDescriptionError_ValueNotAvailable: OSStatus = -12718

public struct CMVideoDimensions: Sendable, Hashable {
    /// Pixels.
    public var width: Int32
    public var height: Int32
    public init() { self.init(width: 0, height: 0) }
    public init(width: Int32, height: Int32) {
        self.width = width
        self.height = height
    }
}

/// What samples are made of: which media, which codec, of what size or rate. Immutable.
public final class CMFormatDescription: @unchecked Sendable {
    // Unchecked: all is constant once it is made.
    let engine: FormatDescription
    private let extra: [String: Any]
    private let code: FourCharCode?
    let audio: UnsafeMutablePointer<AudioStreamBasicDescription>?

    /// - Parameters:
    ///   - code: how the caller named the codec.
    ///   - extra: extensions that the engine knows nothing about.
    init(_ engine: FormatDescription, code: FourCharCode? = nil, extra: [String: Any] = [:]) {
        self.engine = engine
        self.code = code
        self.extra = extra
        if let format = engine.audio {
            audio = .allocate(capacity: 1)
            audio?.initialize(to: AudioStreamBasicDescription(format))
        } else {
            audio = nil
        }
    }

    deinit { audio?.deallocate() }

    public var mediaType: MediaType { MediaType(rawValue: mediaTypeCode) }
    public var mediaSubType: MediaSubType { MediaSubType(rawValue: subTypeCode) }

    var mediaTypeCode: FourCharCode {
        switch engine {
        case .video: fourCC("vide")
        case .audio: fourCC("soun")
        case .timecode: fourCC("tmcd")
        case .text: fourCC("text")
        }
    }

    var subTypeCode: FourCharCode {
        if let code { return code }
        switch engine {
        case .video(let format): return CodecCode.code(of: format)
        case .audio(let format): return CodecCode.code(of: format.codec)
        case .timecode: return fourCC("tmcd")
        case .text: return fourCC("text")
        }
    }

    /// Coded pixels; zero for what is no picture.
    public var dimensions: CMVideoDimensions {
        guard let format = engine.video else { return CMVideoDimensions() }
        return CMVideoDimensions(width: Int32(clamping: format.width), height: Int32(clamping: format.height))
    }

    public func presentationDimensions(
        usePixelAspectRatio: Bool = true, useCleanAperture: Bool = true
    ) -> CGSize {
        guard let format = engine.video else { return .zero }
        let aperture = useCleanAperture ? format.cleanAperture : nil
        let width = aperture.map { Double($0.width) } ?? Double(format.width)
        let height = aperture.map { Double($0.height) } ?? Double(format.height)
        let aspect = format.pixelAspectRatio
        let isUsable = usePixelAspectRatio && aspect.numerator > 0 && aspect.denominator > 0
        let factor = isUsable ? Double(aspect.numerator) / Double(aspect.denominator) : 1
        return CGSize(width: width * factor, height: height)
    }

    /// The part of a coded picture that is meant to be seen.
    public func cleanAperture(originIsAtTopLeft: Bool = true) -> CGRect {
        guard let format = engine.video else { return .zero }
        let all = CGRect(x: 0, y: 0, width: format.width, height: format.height)
        guard let aperture = format.cleanAperture else { return all }
        let x = (all.width - Double(aperture.width)) / 2 + Double(aperture.horizontalOffset)
        let offset = Double(aperture.verticalOffset)
        let y = (all.height - Double(aperture.height)) / 2 + (originIsAtTopLeft ? offset : -offset)
        return CGRect(x: x, y: y, width: Double(aperture.width), height: Double(aperture.height))
    }

    public var audioStreamBasicDescription: AudioStreamBasicDescription? { audio?.pointee }
    /// The set-up bytes of a sound codec.
    public var magicCookie: Data? {
        guard let format = engine.audio, !format.decoderConfiguration.isEmpty else { return nil }
        return Data(format.decoderConfiguration)
    }

    /// By Core Media's keys: colour, shape of the pixels, the codec's set-up atoms.
    var extensionValues: [String: Any] {
        guard let format = engine.video else { return extra }
        var all = extra
        for (key, word) in ColorNames.attachments(of: format.color) { all[key] = word }
        all[kCMFormatDescriptionExtension_MasteringDisplayColorVolume] = format.masteringDisplay?.coreVideoBytes
        all[kCMFormatDescriptionExtension_ContentLightLevelInfo] = format.contentLight?.coreVideoBytes
        if format.color.isSpecified, format.codec != .raw { all["FullRangeVideo"] = format.color.isFullRange }
        if let bits = format.bitDepth { all["BitsPerComponent"] = bits }
        if format.pixelAspectRatio != .one {
            all["CVPixelAspectRatio"] = [
                "HorizontalSpacing": Int(format.pixelAspectRatio.numerator),
                "VerticalSpacing": Int(format.pixelAspectRatio.denominator),
            ]
        }
        if let aperture = format.cleanAperture {
            all["CVCleanAperture"] = [
                "Width": Int(aperture.width), "Height": Int(aperture.height),
                "HorizontalOffset": Int(aperture.horizontalOffset), "VerticalOffset": Int(aperture.verticalOffset),
            ]
        }
        if !format.decoderConfiguration.isEmpty, let atom = Self.configurationAtom(format.codec) {
            all["SampleDescriptionExtensionAtoms"] = [atom: Data(format.decoderConfiguration)]
        }
        return all
    }

    private static func configurationAtom(_ codec: VideoCodec) -> String? {
        switch codec {
        case .h264: "avcC"
        case .hevc: "hvcC"
        case .av1: "av1C"
        case .vp9: "vpcC"
        case .mpeg4: "esds"
        default: nil
        }
    }

    public struct MediaType: RawRepresentable, Sendable, Hashable {
        public let rawValue: FourCharCode
        public init(rawValue: FourCharCode) { self.rawValue = rawValue }
        public static let video = MediaType(rawValue: 0x7669_6465)
        public static let audio = MediaType(rawValue: 0x736f_756e)
        public static let text = MediaType(rawValue: 0x7465_7874)
        public static let timeCode = MediaType(rawValue: 0x746d_6364)
        public static let metadata = MediaType(rawValue: 0x6d65_7461)
        public static let subtitle = MediaType(rawValue: 0x7362_746c)
        public static let closedCaption = MediaType(rawValue: 0x636c_6370)
    }

    public struct MediaSubType: RawRepresentable, Sendable, Hashable {
        public let rawValue: FourCharCode
        public init(rawValue: FourCharCode) { self.rawValue = rawValue }
        public init(string: String) {
            self.init(rawValue: MediaTypes.FourCharCode(string).rawValue)
        }
        public static let h264 = MediaSubType(string: "avc1")
        public static let hevc = MediaSubType(string: "hvc1")
        public static let jpeg = MediaSubType(string: "jpeg")
        public static let av1 = MediaSubType(string: "av01")
        public static let proRes422 = MediaSubType(string: "apcn")
        public static let proRes422HQ = MediaSubType(string: "apch")
        public static let proRes422LT = MediaSubType(string: "apcs")
        public static let proRes422Proxy = MediaSubType(string: "apco")
        public static let proRes4444 = MediaSubType(string: "ap4h")
        public static let mpeg4Video = MediaSubType(string: "mp4v")
        public static let linearPCM = MediaSubType(string: "lpcm")
        public static let mpeg4AAC = MediaSubType(string: "aac ")
        public static let appleLossless = MediaSubType(string: "alac")
        public static let mpegLayer3 = MediaSubType(string: ".mp3")
        public static let opus = MediaSubType(string: "opus")
        public static let flac = MediaSubType(string: "flac")
        public static let ac3 = MediaSubType(string: "ac-3")
        public var description: String { FourCharacters(rawValue).description }
    }
}

extension CMFormatDescription: Hashable {
    public static func == (a: CMFormatDescription, b: CMFormatDescription) -> Bool {
        a === b || a.engine == b.engine && a.code == b.code
    }
    public func hash(into hasher: inout Hasher) { hasher.combine(engine) }
}

extension CMFormatDescription: CustomStringConvertible {
    public var description: String {
        let size = dimensions
        let kind = "\(FourCharacters(mediaTypeCode)) \(FourCharacters(subTypeCode))"
        if engine.video != nil { return "\(kind) \(size.width)x\(size.height)" }
        return engine.audio.map { "\(kind) \($0.sampleRate) Hz, \($0.channelCount) ch" } ?? kind
    }
}
