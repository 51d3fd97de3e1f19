import AVFoundation
import Foundation
import MediaTypes
import TestSupport
import Testing

@Suite struct CMFormatDescriptionTests {
    /// The video format description of a file that ffmpeg made.
    private func stored(_ codec: [String], _ movies: MadeMovies) async throws -> CMFormatDescription {
        let url = movies.directory.file("stored.mp4")
        try MadeFile.copy(
            of: ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=322x178:r=30:d=0.2"] + codec, to: url)
        let track = try #require(try await AVURLAsset(url: url).loadTracks(withMediaType: .video).first)
        return try #require(try await track.load(.formatDescriptions).first)
    }

    @Test(arguments: [
        (["-c:v", "libx264", "-pix_fmt", "yuv420p"], CMFormatDescription.MediaSubType.h264, 2),
        (["-c:v", "libx264", "-pix_fmt", "yuv420p", "-profile:v", "baseline"], .h264, 2),
        (["-c:v", "libx265", "-x265-params", "log-level=none", "-tag:v", "hvc1"], .hevc, 3),
    ])
    func formatDescription_fromParameterSets_matchesTheStored(
        _ codec: [String], _ subType: CMFormatDescription.MediaSubType, _ least: Int
    ) async throws {
        let movies = try MadeMovies()
        let stored = try await stored(codec, movies)
        #expect(
            stored.mediaSubType == subType && stored.nalUnitHeaderLength == 4 && stored.parameterSets.count >= least)
        let sets = stored.parameterSets.map { Data($0) }
        let made =
            subType == .h264
            ? try CMFormatDescription(h264ParameterSets: sets)
            : try CMFormatDescription(hevcParameterSets: sets, nalUnitHeaderLength: 4)
        #expect(made.dimensions == CMVideoDimensions(width: 322, height: 178))
        #expect(made.parameterSets.map { Data($0) } == sets && made.mediaSubType == subType)
        var (pointer, size, count, length): (UnsafePointer<UInt8>?, Int, Int, Int32) = (nil, 0, 0, 0)
        let get =
            subType == .h264
            ? CMVideoFormatDescriptionGetH264ParameterSetAtIndex : CMVideoFormatDescriptionGetHEVCParameterSetAtIndex
        #expect(get(made, 1, &pointer, &size, &count, &length) == noErr)
        #expect(count == sets.count && length == 4 && size == sets[1].count && pointer?[0] == sets[1].first)
        #expect(get(made, 99, &pointer, &size, nil, nil) == kCMFormatDescriptionError_InvalidParameter)
        #expect(throws: NSError.self) { try CMFormatDescription(h264ParameterSets: [Data([1, 2])]) }
        #expect(throws: NSError.self) {
            try CMFormatDescription(hevcParameterSets: sets.reversed().dropFirst() + [Data()], nalUnitHeaderLength: 3)
        }
        let buffers = sets.map { data in UnsafePointer(strdup8(data)) }
        defer { for buffer in buffers { buffer.deallocate() } }
        var again: CMFormatDescription?
        let status =
            subType == .h264
            ? CMVideoFormatDescriptionCreateFromH264ParameterSets(
                allocator: nil, parameterSetCount: sets.count, parameterSetPointers: buffers,
                parameterSetSizes: sets.map(\.count), nalUnitHeaderLength: 2, formatDescriptionOut: &again)
            : CMVideoFormatDescriptionCreateFromHEVCParameterSets(
                allocator: nil, parameterSetCount: sets.count, parameterSetPointers: buffers,
                parameterSetSizes: sets.map(\.count), nalUnitHeaderLength: 2, extensions: nil,
                formatDescriptionOut: &again)
        #expect(status == noErr && again?.nalUnitHeaderLength == 2 && again?.dimensions.width == 322)
    }

    private func strdup8(_ data: Data) -> UnsafeMutablePointer<UInt8> {
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, data.count))
        data.copyBytes(to: copy, count: data.count)
        return copy
    }

    @Test func extensions_apertureAspectAndColor_areApplied() throws {
        var extensions = CMFormatDescription.Extensions()
        extensions[.pixelAspectRatio] = .init(["HorizontalSpacing": 2, "VerticalSpacing": 1] as NSDictionary)
        extensions[.cleanAperture] = .init(
            ["Width": 60, "Height": 40, "HorizontalOffset": 1, "VerticalOffset": 2] as NSDictionary)
        extensions[.colorPrimaries] = .init(kCMFormatDescriptionColorPrimaries_ITU_R_2020 as NSString)
        extensions["mine"] = "word" as NSString
        let format = try CMFormatDescription(videoCodecType: .hevc, width: 64, height: 48, extensions: extensions)
        #expect(format.dimensions == CMVideoDimensions(width: 64, height: 48) && format.mediaType == .video)
        #expect(format.presentationDimensions() == CGSize(width: 120, height: 40))
        #expect(format.presentationDimensions(usePixelAspectRatio: false) == CGSize(width: 60, height: 40))
        #expect(format.cleanAperture() == CGRect(x: 3, y: 6, width: 60, height: 40))
        #expect(CMVideoFormatDescriptionGetCleanAperture(format, originIsAtTopLeft: false).minY == 2)
        #expect(
            CMVideoFormatDescriptionGetPresentationDimensions(
                format, usePixelAspectRatio: true, useCleanAperture: false)
                == CGSize(width: 128, height: 48))
        #expect(format.extensions[.colorPrimaries]?.propertyListRepresentation as? String == "ITU_R_2020")
        #expect(CMFormatDescriptionGetExtension(format, extensionKey: "mine") as? String == "word")
        #expect((CMFormatDescriptionGetExtensions(format)?.count ?? 0) >= 4)
        let plain = try CMFormatDescription(videoCodecType: .hevc, width: 64, height: 48)
        #expect(format != plain && !format.equalTo(plain))
        let ignored: [CMFormatDescription.Extensions.Key] = [
            .pixelAspectRatio, .cleanAperture, .colorPrimaries, .fullRangeVideo, .init(rawValue: "mine"),
        ]
        #expect(format.equalTo(plain, extensionKeysToIgnore: ignored))
        #expect(
            CMFormatDescriptionEqualIgnoringExtensionKeys(
                format, otherFormatDescription: plain, extensionKeysToIgnore: ignored.map(\.rawValue) as NSArray,
                sampleDescriptionExtensionAtomKeysToIgnore: nil))
        #expect(
            CMFormatDescriptionEqual(
                plain, otherFormatDescription: try .init(videoCodecType: .hevc, width: 64, height: 48)))
        #expect(CMVideoFormatDescriptionGetExtensionKeysCommonWithImageBuffers().contains("CVCleanAperture"))
        #expect(CMFormatDescription.extensionKeysCommonWithImageBuffers.contains(.colorPrimaries))
        #expect(CMFormatDescription.typeID == CMFormatDescriptionGetTypeID())
        #expect(throws: NSError.self) { try CMFormatDescription(videoCodecType: .h264, width: 0, height: 9) }
        #expect(CMFormatDescription.Error.invalidParameter.code == Int(kCMFormatDescriptionError_InvalidParameter))
    }

    @Test func formatDescription_fromImageBuffer_matchesIt() throws {
        var made: CVPixelBuffer?
        CVPixelBufferCreate(nil, 64, 48, kCVPixelFormatType_32BGRA, nil, &made)
        let image = try #require(made)
        let format = try CMFormatDescription(imageBuffer: image)
        #expect(format.matchesImageBuffer(image) && format.mediaSubType == .pixelFormat_32BGRA)
        #expect(CMFormatDescriptionGetMediaType(format) == kCMMediaType_Video)
        #expect(CMFormatDescriptionGetMediaSubType(format) == kCVPixelFormatType_32BGRA)
        #expect(CMVideoFormatDescriptionGetCodecType(format) == kCVPixelFormatType_32BGRA)
        #expect(CMVideoFormatDescriptionGetDimensions(format).height == 48)
        let other = try CMFormatDescription(videoCodecType: .pixelFormat_32ARGB, width: 64, height: 48)
        #expect(!CMVideoFormatDescriptionMatchesImageBuffer(other, imageBuffer: image))
        #expect(format.description.contains("64x48") && CMFormatDescription.MediaSubType.h264.description == "avc1")
    }

    @Test func audioDescription_returnsStreamLayoutAndCookie() throws {
        var pcm = AudioStreamBasicDescription()
        (pcm.mSampleRate, pcm.mFormatID, pcm.mChannelsPerFrame) = (48_000, kAudioFormatLinearPCM, 6)
        (pcm.mBitsPerChannel, pcm.mBytesPerFrame, pcm.mBytesPerPacket, pcm.mFramesPerPacket) = (16, 12, 12, 1)
        pcm.mFormatFlags = kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked
        let format = try CMFormatDescription(
            audioStreamBasicDescription: pcm, layout: .init(tag: kAudioChannelLayoutTag_MPEG_5_1_A))
        #expect(format.audioStreamBasicDescription == pcm && format.mediaType == .audio)
        #expect(format.audioChannelLayout?.tag == kAudioChannelLayoutTag_MPEG_5_1_A && format.magicCookie == nil)
        var size = 0
        let layout = CMAudioFormatDescriptionGetChannelLayout(format, sizeOut: &size)
        #expect(layout?.pointee.mChannelLayoutTag == kAudioChannelLayoutTag_MPEG_5_1_A && size == 32)
        #expect(CMAudioFormatDescriptionGetStreamBasicDescription(format)?.pointee == pcm)
        #expect(format.richestDecodableFormat?.mASBD == pcm && format.audioFormatList.count == 1)
        #expect(format.mostCompatibleFormat?.mChannelLayoutTag == kAudioChannelLayoutTag_MPEG_5_1_A)
        #expect(CMAudioFormatDescriptionGetFormatList(format, sizeOut: &size)?.pointee.mASBD == pcm)
        #expect(size == MemoryLayout<AudioFormatListItem>.size)
        #expect(CMAudioFormatDescriptionGetRichestDecodableFormat(format)?.pointee.mASBD.mSampleRate == 48_000)
        #expect(CMAudioFormatDescriptionGetMostCompatibleFormat(format)?.pointee.mASBD.mSampleRate == 48_000)
        let bare = try CMFormatDescription(audioStreamBasicDescription: pcm)
        #expect(bare.audioChannelLayout == nil && CMAudioFormatDescriptionGetMagicCookie(bare, sizeOut: &size) == nil)
        let (isEqual, parts) = format.equalTo(bare, equalityMask: .all)
        #expect(!isEqual && parts.contains(.streamBasicDescription) && !parts.contains(.channelLayout))
        var mask: CMAudioFormatDescriptionMask = 0
        #expect(
            CMAudioFormatDescriptionEqual(
                format, otherFormatDescription: bare,
                equalityMask: kCMAudioFormatDescriptionMask_StreamBasicDescription,
                equalityMaskOut: &mask) && mask == 1)
        var aac = AudioStreamBasicDescription()
        (aac.mSampleRate, aac.mFormatID, aac.mChannelsPerFrame) = (44_100, kAudioFormatMPEG4AAC, 2)
        aac.mFramesPerPacket = 1024
        let cooked = try CMFormatDescription(audioStreamBasicDescription: aac, magicCookie: Data([0x12, 0x10]))
        #expect(cooked.magicCookie == Data([0x12, 0x10]) && cooked.withMagicCookie { $0?.count } == 2)
        #expect(CMAudioFormatDescriptionGetMagicCookie(cooked, sizeOut: &size)?.load(as: UInt8.self) == 0x12)
        var (tag, made) = (AudioChannelLayout(), CMAudioFormatDescription?.none)
        tag.mChannelLayoutTag = kAudioChannelLayoutTag_Stereo
        #expect(
            CMAudioFormatDescriptionCreate(
                allocator: nil, asbd: &aac, layoutSize: MemoryLayout<AudioChannelLayout>.size, layout: &tag,
                magicCookieSize: 0, magicCookie: nil, extensions: nil, formatDescriptionOut: &made) == noErr)
        #expect(made?.audioChannelLayout?.tag == kAudioChannelLayoutTag_Stereo)
        aac.mFormatID = 1
        #expect(throws: NSError.self) { try CMFormatDescription(audioStreamBasicDescription: aac) }
    }

    @Test func timecodeDescription_returnsDurationQuantaAndFlags() throws {
        var made: CMTimeCodeFormatDescription?
        let frame = CMTime(value: 1001, timescale: 30_000)
        let flags = kCMTimeCodeFlag_DropFrame | kCMTimeCodeFlag_24HourMax
        #expect(
            CMTimeCodeFormatDescriptionCreate(
                allocator: nil, timeCodeFormatType: kCMTimeCodeFormatType_TimeCode32, frameDuration: frame,
                frameQuanta: 30, flags: flags, extensions: nil, formatDescriptionOut: &made) == noErr)
        let format = try #require(made)
        #expect(format.mediaType == .timeCode && format.mediaSubType == .timeCode32 && format.frameDuration == frame)
        #expect(format.frameQuanta == 30 && format.timeCodeFlags == [.dropFrame, .twentyFourHourMax])
        let other = try CMFormatDescription(
            timeCodeFormatType: .timeCode32, frameDuration: frame, frameQuanta: 30,
            flags: [.dropFrame, .twentyFourHourMax])
        #expect(other == format)
        #expect(throws: NSError.self) {
            try CMFormatDescription(
                timeCodeFormatType: .timeCode32, frameDuration: frame, frameQuanta: 256, flags: [])
        }
        #expect(CMTimeCodeFormatDescriptionGetFrameDuration(format) == frame)
        #expect(CMTimeCodeFormatDescriptionGetFrameQuanta(format) == 30)
        #expect(CMTimeCodeFormatDescriptionGetTimeCodeFlags(format) == flags)
        #expect(
            CMTimeCodeFormatDescriptionCreate(
                allocator: nil, timeCodeFormatType: kCMTimeCodeFormatType_Counter64, frameDuration: frame,
                frameQuanta: 30, flags: 0, extensions: nil, formatDescriptionOut: &made)
                == kCMFormatDescriptionError_InvalidParameter)
    }

    @Test func formatDescription_onlyTypes_isAcceptedForTextOnly() throws {
        let text = try CMFormatDescription(mediaType: .text, mediaSubType: .init(string: "text"))
        #expect(
            text.mediaType == .text && text.dimensions == CMVideoDimensions() && text.mediaType.description == "text")
        var made: CMFormatDescription?
        #expect(
            CMFormatDescriptionCreate(
                allocator: nil, mediaType: kCMMediaType_Video, mediaSubType: 0, extensions: nil,
                formatDescriptionOut: &made) == kCMFormatDescriptionError_InvalidParameter)
    }

    private func image(_ format: OSType) throws -> CVPixelBuffer {
        var image: CVPixelBuffer?
        CVPixelBufferCreate(nil, 64, 48, format, nil, &image)
        return try #require(image)
    }

    @Test(arguments: [kCVPixelFormatType_32BGRA, kCVPixelFormatType_420YpCbCr8BiPlanarFullRange])
    func description_withoutExtensions_matchesAFreshImage(code: OSType) throws {
        var made: CMVideoFormatDescription?
        CMVideoFormatDescriptionCreate(
            allocator: nil, codecType: code, width: 64, height: 48, extensions: nil, formatDescriptionOut: &made)
        let description = try #require(made)
        let image = try image(code)
        #expect(description.matchesImageBuffer(image))
        CVBufferSetAttachment(
            image, kCVImageBufferColorPrimariesKey, kCVImageBufferColorPrimaries_ITU_R_2020, .shouldPropagate)
        #expect(!description.matchesImageBuffer(image))
    }

    @Test func description_ofAnImage_hasTheShapeOfItsAttachments() throws {
        let image = try image(kCVPixelFormatType_32BGRA)
        let ratio = [
            kCVImageBufferPixelAspectRatioHorizontalSpacingKey: 4, kCVImageBufferPixelAspectRatioVerticalSpacingKey: 3,
        ]
        let aperture = [kCVImageBufferCleanApertureWidthKey: 60, kCVImageBufferCleanApertureHeightKey: 48]
        CVBufferSetAttachment(image, kCVImageBufferPixelAspectRatioKey, ratio as NSDictionary, .shouldPropagate)
        CVBufferSetAttachment(image, kCVImageBufferCleanApertureKey, aperture as NSDictionary, .shouldPropagate)
        let description = try CMFormatDescription(imageBuffer: image)
        #expect(description.presentationDimensions() == CGSize(width: 80, height: 48))
        #expect(description.presentationDimensions() == CVImageBufferGetDisplaySize(image))
        #expect(description.matchesImageBuffer(image))
    }
}
