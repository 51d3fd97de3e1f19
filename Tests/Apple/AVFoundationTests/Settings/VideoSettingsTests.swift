import Foundation
import Testing

import struct MediaTypes.CleanAperture
import struct MediaTypes.ColorDescription
import struct MediaTypes.ContentLightLevel
import struct MediaTypes.MediaTime
import enum MediaTypes.PixelFormat
import struct MediaTypes.Ratio
import struct MediaTypes.VideoCodec
import struct MediaTypes.VideoSettings

@testable import AVFoundation

@Suite struct VideoSettingsTests {
    private func faults(_ dictionary: [String: Any]) -> [String] {
        do {
            _ = try VideoSettings(dictionary)
            return []
        } catch {
            return error.list.map(\.key)
        }
    }

    @Test func videoSettings_codecAndSizeInAnyBox_areRead() throws {
        let dictionaries: [[String: Any]] = [
            [AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 1280, AVVideoHeightKey: 720],
            [AVVideoCodecKey: "avc1", AVVideoWidthKey: 1280 as NSNumber, AVVideoHeightKey: 720.0],
            [AVVideoCodecKey: AVVideoCodecH264, AVVideoWidthKey: CGFloat(1280), AVVideoHeightKey: UInt16(720)],
            [
                AVVideoCodecKey: AVVideoCodecType.h264 as AnyObject, AVVideoWidthKey: CGFloat(1280.9) as AnyObject,
                AVVideoHeightKey: Float(720) as AnyObject,
            ] as [String: AnyObject],
        ]
        for dictionary in dictionaries {
            let settings = try VideoSettings(dictionary)
            #expect(settings.codec == .h264 && settings.width == 1280 && settings.height == 720)
        }
    }

    @Test func videoSettings_everyCodec_hasItsCode() throws {
        let codes: [(AVVideoCodecType, String)] = [
            (.hevc, "hevc"), (.jpeg, "mjpeg"), (.proRes422, "prores422"), (.proRes422HQ, "prores422hq"),
            (.proRes422LT, "prores422lt"), (.proRes422Proxy, "prores422proxy"),
        ]
        for (code, name) in codes {
            #expect(try VideoSettings([AVVideoCodecKey: code]).codec.rawValue == name)
            #expect(VideoSettings(codec: VideoCodec(rawValue: name)).codecType == code)
        }
        #expect(faults([AVVideoCodecKey: AVVideoCodecType.proRes4444]) == [AVVideoCodecKey])
        #expect(faults([AVVideoCodecKey: "nope"]) == [AVVideoCodecKey])
        #expect(faults([AVVideoCodecKey: 7]) == [AVVideoCodecKey])
        #expect(faults([AVVideoWidthKey: 640]) == [AVVideoCodecKey])
    }

    @Test func compressionProperties_setRateKeyframesAndProfile() throws {
        let settings = try VideoSettings([
            AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 640, AVVideoHeightKey: 360,
            AVVideoCompressionPropertiesKey: [
                AVVideoAverageBitRateKey: 2_500_000.7, AVVideoMaxKeyFrameIntervalKey: 60,
                AVVideoExpectedSourceFrameRateKey: 24, AVVideoAllowFrameReorderingKey: false,
                AVVideoProfileLevelKey: AVVideoProfileLevelH264MainAutoLevel,
                kVTCompressionPropertyKey_RealTime as String: true,
            ] as [String: Any],
        ])
        #expect(settings.rateControl == .bitRate(2_500_000))
        #expect(settings.keyframeInterval == MediaTime(value: 5, timescale: 2))
        #expect(settings.expectedFrameRate == 24 && settings.maximumBFrames == 0 && settings.profile == .main)
    }

    @Test func keyframeInterval_twoGiven_usesTheShorter() throws {
        func interval(_ frames: Int, _ seconds: Double) throws -> Double {
            try VideoSettings([
                AVVideoCodecKey: "avc1",
                AVVideoCompressionPropertiesKey: [
                    AVVideoMaxKeyFrameIntervalKey: frames, AVVideoMaxKeyFrameIntervalDurationKey: seconds,
                ] as [String: Any],
            ]).keyframeInterval.seconds
        }
        #expect(try interval(90, 1) == 1)
        #expect(try interval(30, 5) == 1)
        #expect(try interval(0, 4) == 4)
        #expect(try interval(1, 0) > 0)
    }

    @Test func temporalCompression_notAllowed_makesEveryFrameAKeyframe() throws {
        let properties: [String: Any] = [
            kVTCompressionPropertyKey_AllowTemporalCompression: false, AVVideoMaxKeyFrameIntervalKey: 60,
        ]
        let settings = try VideoSettings([AVVideoCodecKey: "avc1", AVVideoCompressionPropertiesKey: properties])
        #expect(settings.keyframeInterval.seconds < 0.002 && settings.maximumBFrames == 0)
        #expect(settings.longestKeyframeInterval == nil)
    }

    @Test(arguments: [
        kVTCompressionPropertyKey_DataRateLimits, kVTCompressionPropertyKey_ConstantBitRate,
        kVTCompressionPropertyKey_VBVMaxBitRate, kVTCompressionPropertyKey_MaxAllowedFrameQP,
        kVTCompressionPropertyKey_MinAllowedFrameQP, kVTCompressionPropertyKey_MaxH264SliceBytes,
    ]) func compressionProperties_limitThatCannotBeKept_isRefused(key: String) {
        func refused(_ value: Any) -> [String] {
            faults([AVVideoCodecKey: "avc1", AVVideoCompressionPropertiesKey: [key: value]])
        }
        #expect(refused(1_000_000) == ["AVVideoCompressionPropertiesKey.\(key)"] && refused(NSNull()) == [])
    }

    @Test func keyframeInterval_inFrames_isNoLimitOfTheTime() throws {
        func longest(_ properties: [String: Any]) throws -> MediaTime? {
            try VideoSettings([AVVideoCodecKey: "avc1", AVVideoCompressionPropertiesKey: properties])
                .longestKeyframeInterval
        }
        #expect(try longest([AVVideoMaxKeyFrameIntervalKey: 60]) == .positiveInfinity)
        let both: [String: Any] = [AVVideoMaxKeyFrameIntervalKey: 60, AVVideoMaxKeyFrameIntervalDurationKey: 4]
        #expect(try longest(both)?.seconds == 4)
        #expect(try longest([AVVideoMaxKeyFrameIntervalDurationKey: 4]) == nil)
        #expect(try longest([AVVideoMaxKeyFrameIntervalKey: 0]) == nil && longest([:]) == nil)
    }

    @Test func videoSettings_shapeAndColor_areRead() throws {
        let settings = try VideoSettings([
            AVVideoCodecKey: "avc1", AVVideoScalingModeKey: AVVideoScalingModeResizeAspectFill,
            AVVideoPixelAspectRatioKey: [
                AVVideoPixelAspectRatioHorizontalSpacingKey: 4, AVVideoPixelAspectRatioVerticalSpacingKey: 3,
            ],
            AVVideoCleanApertureKey: [
                AVVideoCleanApertureWidthKey: 704, AVVideoCleanApertureHeightKey: 480,
                AVVideoCleanApertureHorizontalOffsetKey: -2, AVVideoCleanApertureVerticalOffsetKey: 0,
            ],
            AVVideoColorPropertiesKey: [
                AVVideoColorPrimariesKey: AVVideoColorPrimaries_ITU_R_2020,
                AVVideoTransferFunctionKey: AVVideoTransferFunction_ITU_R_2100_HLG,
                AVVideoYCbCrMatrixKey: AVVideoYCbCrMatrix_ITU_R_2020,
            ],
        ])
        #expect(settings.scalingMode == .resizeAspectFill && settings.pixelAspectRatio == Ratio(4, 3))
        #expect(settings.cleanAperture == CleanAperture(width: 704, height: 480, horizontalOffset: -2))
        #expect(settings.color == ColorDescription(primaries: 9, transfer: 18, matrix: 9))
    }

    private static let shape: [String: any Sendable] = [
        AVVideoPixelAspectRatioKey: [
            AVVideoPixelAspectRatioHorizontalSpacingKey: 4, AVVideoPixelAspectRatioVerticalSpacingKey: 3,
        ],
        AVVideoCleanApertureKey: [
            AVVideoCleanApertureWidthKey: 704, AVVideoCleanApertureHeightKey: 480,
            AVVideoCleanApertureHorizontalOffsetKey: -2, AVVideoCleanApertureVerticalOffsetKey: 0,
        ],
    ]

    @Test(arguments: ["avc1", "hvc1", "jpeg", "apcn"])
    func shapeKeys_insideCompressionProperties_areRead(codec: String) throws {
        let settings = try VideoSettings([AVVideoCodecKey: codec, AVVideoCompressionPropertiesKey: Self.shape])
        #expect(settings.pixelAspectRatio == Ratio(4, 3))
        #expect(settings.cleanAperture == CleanAperture(width: 704, height: 480, horizontalOffset: -2))
        let outer = try VideoSettings([
            AVVideoCodecKey: codec, AVVideoCompressionPropertiesKey: Self.shape,
            AVVideoPixelAspectRatioKey: [
                AVVideoPixelAspectRatioHorizontalSpacingKey: 16, AVVideoPixelAspectRatioVerticalSpacingKey: 11,
            ],
        ])
        #expect(outer.pixelAspectRatio == Ratio(16, 11) && outer.cleanAperture != nil)
        #expect(
            faults([
                AVVideoCodecKey: codec,
                AVVideoCompressionPropertiesKey: [
                    AVVideoPixelAspectRatioKey: [AVVideoPixelAspectRatioHorizontalSpacingKey: 4]
                ],
            ]) == ["AVVideoCompressionPropertiesKey.AVVideoPixelAspectRatioKey.VerticalSpacing"])
    }

    @Test func videoSettings_invalidValues_areReportedByKey() {
        #expect(
            faults([
                AVVideoCodecKey: "avc1", AVVideoWidthKey: "640", AVVideoHeightKey: -1,
                AVVideoScalingModeKey: "sideways",
                AVVideoPixelAspectRatioKey: [AVVideoPixelAspectRatioHorizontalSpacingKey: 1],
                AVVideoColorPropertiesKey: 5,
                AVVideoCompressionPropertiesKey: [
                    AVVideoAverageBitRateKey: Double.nan, AVVideoQualityKey: 2, "Colour": 1,
                    AVVideoProfileLevelKey: kVTProfileLevel_HEVC_Main_AutoLevel,
                ] as [String: Any],
            ]) == [
                AVVideoColorPropertiesKey,
                "AVVideoCompressionPropertiesKey.AverageBitRate", "AVVideoCompressionPropertiesKey.Colour",
                "AVVideoCompressionPropertiesKey.ProfileLevel", "AVVideoCompressionPropertiesKey.Quality",
                AVVideoHeightKey, "AVVideoPixelAspectRatioKey.VerticalSpacing", AVVideoScalingModeKey, AVVideoWidthKey,
            ])
    }

    @Test func videoSettings_unknownOuterKey_isIgnored() {
        #expect(faults([AVVideoCodecKey: "avc1", "IOSurfaceOpenGLESTextureCompatibility": true]) == [])
    }

    @Test func compressionProperties_ofAnotherCodec_areRefused() {
        func key(_ codec: String, _ property: String, _ value: Any) -> [String] {
            faults([AVVideoCodecKey: codec, AVVideoCompressionPropertiesKey: [property: value]])
        }
        #expect(key("apcn", AVVideoAverageBitRateKey, 1_000_000).count == 1)
        #expect(key("jpeg", AVVideoQualityKey, 0.5) == [])
        #expect(key("jpeg", AVVideoMaxKeyFrameIntervalKey, 1).count == 1)
        #expect(key("hvc1", AVVideoH264EntropyModeKey, AVVideoH264EntropyModeCABAC).count == 1)
        #expect(key("avc1", AVVideoH264EntropyModeKey, AVVideoH264EntropyModeCABAC) == [])
    }

    @Test func compressionProperties_levelEntropyAndQuality_areRead() throws {
        func read(_ codec: AVVideoCodecType, _ properties: [String: Any]) throws -> VideoSettings {
            try VideoSettings([AVVideoCodecKey: codec, AVVideoCompressionPropertiesKey: properties])
        }
        let fixed = try read(.h264, [AVVideoProfileLevelKey: AVVideoProfileLevelH264High41])
        #expect(fixed.profile == .high && fixed.level == "4.1")
        let free = try read(.hevc, [AVVideoProfileLevelKey: kVTProfileLevel_HEVC_Main10_AutoLevel])
        #expect(free.profile == .main10 && free.level == nil)
        #expect(try read(.h264, [AVVideoH264EntropyModeKey: AVVideoH264EntropyModeCAVLC]).entropyMode == .cavlc)
        #expect(try read(.jpeg, [AVVideoQualityKey: 0.75]).rateControl == .quality(0.75))
    }

    @Test func hdrMetadata_isReadInTheOrderOfTheHEVCMessage() throws {
        let words: [UInt16] = [
            8500, 39850, 6550, 2300, 35400, 14600, 15635, 16450, 0x0098, 0x9680, 0, 50,
        ]
        var volume = Data()
        for word in words { withUnsafeBytes(of: word.bigEndian) { volume.append(contentsOf: $0) } }
        let settings = try VideoSettings([
            AVVideoCodecKey: AVVideoCodecType.hevc,
            AVVideoCompressionPropertiesKey: [
                kVTCompressionPropertyKey_MasteringDisplayColorVolume: volume,
                kVTCompressionPropertyKey_ContentLightLevelInfo: Data([0x03, 0xE8, 0x01, 0x90]),
                kVTCompressionPropertyKey_HDRMetadataInsertionMode: kVTHDRMetadataInsertionMode_Auto,
            ] as [String: Any],
        ])
        let display = try #require(settings.masteringDisplay)
        #expect(display.green.x == 8500 && display.blue.y == 2300 && display.red.x == 35400)
        #expect(
            display.whitePoint.y == 16450 && display.maximumLuminance == 10_000_000 && display.minimumLuminance == 50)
        #expect(settings.contentLight?.maximum == 1000 && settings.contentLight?.maximumAverage == 400)
        #expect(display.coreVideoBytes == volume)
        let refused = faults([
            AVVideoCodecKey: "hvc1",
            AVVideoCompressionPropertiesKey: [kVTCompressionPropertyKey_ContentLightLevelInfo: Data([1])],
        ])
        #expect(refused == ["AVVideoCompressionPropertiesKey.ContentLightLevelInfo"])
    }

    @Test func videoSettings_asDictionary_roundTrip() throws {
        var settings = VideoSettings(
            codec: .h264, width: 1920, height: 1080, rateControl: .bitRate(8_000_000), profile: .high,
            keyframeInterval: MediaTime(value: 3, timescale: 2), expectedFrameRate: 25, pixelAspectRatio: Ratio(4, 3),
            cleanAperture: CleanAperture(width: 1900, height: 1000, horizontalOffset: 1, verticalOffset: 2),
            color: ColorDescription(primaries: 1, transfer: 1, matrix: 1), maximumBFrames: 0)
        settings.scalingMode = .fit
        settings.level = "4.2"
        settings.entropyMode = .cabac
        settings.contentLight = ContentLightLevel(maximum: 1000, maximumAverage: 400)
        #expect(try VideoSettings(settings.dictionary) == settings)
        let quality = VideoSettings(codec: .hevc, rateControl: .quality(0.5), profile: .main10)
        #expect(try VideoSettings(quality.dictionary) == quality)
    }
}

@Suite struct PixelAttributesTests {
    @Test func pixelAttributes_severalFormats_useTheFirstKnown() throws {
        let key = kCVPixelBufferPixelFormatTypeKey as String
        #expect(try PixelAttributes([key: Int(kCVPixelFormatType_32BGRA) as NSNumber]).format == .bgra)
        #expect(try PixelAttributes([key: kCVPixelFormatType_420YpCbCr8BiPlanarFullRange]).isFullRange == true)
        let several = [kCVPixelFormatType_64RGBAHalf, kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange]
        let attributes = try PixelAttributes([key: several])
        #expect(attributes.format == .p010 && attributes.isFullRange == false)
        #expect(throws: SettingsFaults.self) { try PixelAttributes([key: kCVPixelFormatType_64RGBAHalf]) }
        #expect(throws: SettingsFaults.self) { try PixelAttributes([key: ["BGRA"]]) }
    }

    @Test func pixelAttributes_sizeAndAlignment_areReadAndGPUKeysIgnored() throws {
        let attributes = try PixelAttributes([
            kCVPixelBufferWidthKey: 640 as NSNumber, kCVPixelBufferHeightKey: CGFloat(360),
            kCVPixelBufferBytesPerRowAlignmentKey: 64, kCVPixelBufferIOSurfacePropertiesKey: [String: Any](),
            "IOSurfaceOpenGLESFBOCompatibility": true as NSNumber,
        ])
        #expect(attributes.width == 640 && attributes.height == 360 && attributes.bytesPerRowAlignment == 64)
        #expect(attributes.format == nil)
        #expect(throws: SettingsFaults.self) { try PixelAttributes([kCVPixelBufferBytesPerRowAlignmentKey: 48]) }
    }

    @Test func pixelFormat_everyFormat_hasItsOwnCode() {
        for format in PixelFormat.allCases {
            let codes = [false, true].map { format.code(isFullRange: $0) }
            #expect(codes.allSatisfy { PixelFormat($0) == format }, "\(format)")
        }
    }
}
