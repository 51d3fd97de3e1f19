public import Foundation
package import MediaTypes

public typealias CMMediaType = FourCharCode
public typealias CMVideoCodecType = FourCharCode
public typealias CMVideoFormatDescription = CMFormatDescription
public typealias CMAudioFormatDescription = CMFormatDescription
public typealias CMTimeCodeFormatDescription = CMFormatDescription
public typealias CMTextFormatDescription = CMFormatDescription
public typealias CMMetadataFormatDescription = CMFormatDescription
public typealias CMClosedCaptionFormatDescription = CMFormatDescription
public typealias CMMuxedFormatDescription = CMFormatDescription

public let kCMFormatDescriptionError_InvalidParameter: OSStatus = -12710
public let kCMFormatDescriptionError_AllocationFailed: OSStatus = -12711
public let kCMFormatDescriptionError_ValueNotAvailable: OSStatus = -12718

public struct CMVideoDimensions: Sendable, Hashable {
    /// The width in pixels.
    public var width: Int32
    public var height: Int32
    public init() { self.init(width: 0, height: 0) }
    public init(width: Int32, height: Int32) {
        self.width = width
        self.height = height
    }
}

/// The format of samples: the media type, the codec, the size or rate. Immutable.
public final class CMFormatDescription: @unchecked Sendable {
    // Unchecked: immutable after initialization.
    let engine: FormatDescription
    private let extra: [String: Any]
    private let code: FourCharCode?
    /// The values to which functions return pointers. They are valid as long as the description exists.
    struct Audio {
        var stream: AudioStreamBasicDescription
        var layout: AudioChannelLayout
        var item: AudioFormatListItem
    }
    let audio: UnsafeMutablePointer<Audio>?
    /// The codec's configuration bytes, in memory that does not move; nil if there are none.
    let configuration: MediaData?

    /// - Parameters:
    ///   - code: the codec's code as the caller passed it; nil for the codec's usual code.
    ///   - extra: extensions that the library does not know.
    ///   - stream: the caller's description of the audio, if it contains more than the library's format.
    package init(
        _ engine: FormatDescription, code: FourCharCode? = nil, extra: [String: Any] = [:],
        stream: AudioStreamBasicDescription? = nil
    ) {
        self.engine = engine
        self.code = code
        self.extra = extra
        let bytes = engine.video?.decoderConfiguration ?? engine.audio?.decoderConfiguration ?? []
        configuration = bytes.isEmpty ? nil : MediaData(bytes)
        guard let format = engine.audio else {
            audio = nil
            return
        }
        let usual: ChannelLayout? = format.channelCount == 1 ? .mono : format.channelCount == 2 ? .stereo : nil
        let layout = (format.layout ?? usual).map { AudioChannelLayout($0) } ?? AudioChannelLayout()
        let stream = stream ?? AudioStreamBasicDescription(format)
        audio = .allocate(capacity: 1)
        audio?.initialize(
            to: Audio(
                stream: stream, layout: layout,
                item: AudioFormatListItem(mASBD: stream, mChannelLayoutTag: layout.mChannelLayoutTag)))
    }

    convenience init(like other: CMFormatDescription) {
        self.init(other.engine, code: other.code, extra: other.extra, stream: other.audio?.pointee.stream)
    }

    deinit { audio?.deallocate() }

    /// True if the channels are not interleaved.
    var isPlanar: Bool { audio?.pointee.stream.isNonInterleaved ?? false }

    public var mediaType: MediaType { MediaType(rawValue: mediaTypeCode) }
    public var mediaSubType: MediaSubType { MediaSubType(rawValue: subTypeCode) }

    var mediaTypeCode: FourCharCode {
        switch engine {
        case .video: fourCC("vide")
        case .audio: fourCC("soun")
        case .timecode: fourCC("tmcd")
        case .text: fourCC("text")
        case .metadata: fourCC("meta")
        }
    }

    var subTypeCode: FourCharCode {
        if let code { return code }
        switch engine {
        case .video(let format): return CodecCode.code(of: format)
        case .audio(let format): return CodecCode.code(of: format.codec)
        case .timecode: return fourCC("tmcd")
        case .text: return fourCC("text")
        case .metadata: return kCMMetadataFormatType_Boxed
        }
    }

    /// The coded size in pixels; zero for media other than video.
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

    /// Returns the part of a coded frame that is meant to be shown.
    public func cleanAperture(originIsAtTopLeft: Bool = true) -> CGRect {
        guard let format = engine.video else { return .zero }
        guard let aperture = format.cleanAperture else {
            return CGRect(x: 0, y: 0, width: format.width, height: format.height)
        }
        // If the number of columns or rows outside the aperture is odd, the aperture still begins at an integer pixel,
        // as files store it.
        let (besides, above) = (format.width - Int(aperture.width), format.height - Int(aperture.height))
        let x = besides / 2 + Int(aperture.horizontalOffset)
        let y = above / 2 + Int(aperture.verticalOffset)
        return CGRect(
            x: x, y: originIsAtTopLeft ? y : above - y, width: Int(aperture.width), height: Int(aperture.height))
    }

    public var audioStreamBasicDescription: AudioStreamBasicDescription? { audio?.pointee.stream }
    /// The configuration bytes of an audio codec.
    public var magicCookie: Data? {
        guard let format = engine.audio, !format.decoderConfiguration.isEmpty else { return nil }
        return Data(format.decoderConfiguration)
    }

    /// The extensions under Core Media's keys, such as color, pixel aspect ratio and the codec's configuration atoms.
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

    public struct MediaType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        public let rawValue: FourCharCode
        public init(rawValue: FourCharCode) { self.rawValue = rawValue }
        public init(string: String) { self.init(rawValue: MediaTypes.FourCharCode(string).rawValue) }
        public var description: String { FourCharacters(rawValue).description }
        public static let video = MediaType(rawValue: 0x7669_6465)
        public static let audio = MediaType(rawValue: 0x736f_756e)
        public static let text = MediaType(rawValue: 0x7465_7874)
        public static let timeCode = MediaType(rawValue: 0x746d_6364)
        public static let metadata = MediaType(rawValue: 0x6d65_7461)
        public static let muxed = MediaType(rawValue: 0x6d75_7878)
        public static let subtitle = MediaType(rawValue: 0x7362_746c)
        public static let closedCaption = MediaType(rawValue: 0x636c_6370)
    }
}

extension CMFormatDescription: Hashable {
    public static func == (a: CMFormatDescription, b: CMFormatDescription) -> Bool {
        a === b || a.engine == b.engine && a.subTypeCode == b.subTypeCode && a.isPlanar == b.isPlanar
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
