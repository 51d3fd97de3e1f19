import Foundation
import Testing
import VideoToolbox

@Suite struct VTCompressionSessionTests {
    private static let codecs: [CMVideoCodecType] = [
        kCMVideoCodecType_H264, kCMVideoCodecType_HEVC, kCMVideoCodecType_JPEG, kCMVideoCodecType_AppleProRes422,
        kCMVideoCodecType_AppleProRes422HQ,
    ]

    private func create(
        _ codec: CMVideoCodecType, _ width: Int32, _ height: Int32, _ specification: [String: Any] = [:],
        _ attributes: [String: Any] = [:], into session: inout VTCompressionSession?
    ) -> OSStatus {
        VTCompressionSessionCreate(
            allocator: nil, width: width, height: height, codecType: codec,
            encoderSpecification: specification as CFDictionary, imageBufferAttributes: attributes as CFDictionary,
            compressedDataAllocator: nil, outputCallback: nil, refcon: nil, compressionSessionOut: &session)
    }

    @Test(arguments: codecs) func encode_everyCodec_returnsEachFrameWithItsTimes(_ codec: CMVideoCodecType) throws {
        let session = try ToolboxMedia.session(codec)
        #expect(VTCompressionSessionPrepareToEncodeFrames(session) == noErr)
        let packets = try ToolboxMedia.encode(0..<12, in: session)
        #expect(packets.map(\.presentationTimeStamp).sorted() == (0..<12).map { ToolboxMedia.time($0) })
        #expect(packets.allSatisfy { $0.duration == ToolboxMedia.time(1) && $0.totalSampleSize > 0 })
        let format = try #require(packets.first?.formatDescription)
        #expect(format.mediaSubType.rawValue == codec)
        #expect(format.dimensions.width == 160 && format.dimensions.height == 96)
        #expect(packets.allSatisfy { $0.formatDescription == format })
        #expect(ToolboxMedia.isKeyframe(packets[0]))
        let reorders = codec == kCMVideoCodecType_H264 || codec == kCMVideoCodecType_HEVC
        #expect(format.parameterSets.count == (codec == kCMVideoCodecType_H264 ? 2 : reorders ? 3 : 0))
        let decoded = packets.map(\.decodeTimeStamp)
        if reorders {
            #expect(zip(decoded, decoded.dropFirst()).allSatisfy { $0 < $1 })
            #expect(packets.allSatisfy { $0.decodeTimeStamp <= $0.presentationTimeStamp })
        } else {
            #expect(decoded.allSatisfy { !$0.isValid } && packets.allSatisfy { ToolboxMedia.isKeyframe($0) })
        }
    }

    @Test(arguments: [kCMVideoCodecType_H264, kCMVideoCodecType_HEVC])
    func encode_forcedKeyframe_isAKeyframe(_ codec: CMVideoCodecType) throws {
        let packets = try ToolboxMedia.encode(0..<12, in: try ToolboxMedia.session(codec), forced: [7])
        let keyframes = packets.filter { ToolboxMedia.isKeyframe($0) }.map(\.presentationTimeStamp)
        #expect(keyframes == [ToolboxMedia.time(0), ToolboxMedia.time(7)])
    }

    @Test func encode_sessionCallback_getsBothPointers() throws {
        final class Seen {
            var frames: [UnsafeMutableRawPointer?] = []
        }
        let seen = Seen()
        var made: VTCompressionSession?
        VTCompressionSessionCreate(
            allocator: nil, width: 160, height: 96, codecType: kCMVideoCodecType_JPEG, encoderSpecification: nil,
            imageBufferAttributes: nil, compressedDataAllocator: nil,
            outputCallback: { refcon, frame, status, _, sample in
                guard let refcon, status == noErr, sample != nil else { return }
                Unmanaged<Seen>.fromOpaque(refcon).takeUnretainedValue().frames.append(frame)
            }, refcon: Unmanaged.passUnretained(seen).toOpaque(), compressionSessionOut: &made)
        let session = try #require(made)
        let frame = UnsafeMutableRawPointer(bitPattern: 0x70)
        let status = VTCompressionSessionEncodeFrame(
            session, imageBuffer: try ToolboxMedia.frame(0), presentationTimeStamp: .zero, duration: .invalid,
            frameProperties: nil, sourceFrameRefcon: frame, infoFlagsOut: nil)
        #expect(status == noErr)
        VTCompressionSessionCompleteFrames(session, untilPresentationTimeStamp: .invalid)
        #expect(seen.frames == [frame])
        // A session with a callback has no handlers.
        let refused = VTCompressionSessionEncodeFrame(
            session, imageBuffer: try ToolboxMedia.frame(1), presentationTimeStamp: ToolboxMedia.time(1),
            duration: .invalid, frameProperties: nil, infoFlagsOut: nil
        ) { _, _, _ in Issue.record("a callback of a frame that was refused") }
        #expect(refused == kVTParameterErr)
    }

    @Test func encode_otherSizeOrFormat_isScaledAndConverted() throws {
        let session = try ToolboxMedia.session(kCMVideoCodecType_H264)
        let packets = ToolboxMedia.Results<CMSampleBuffer>()
        let frames = [
            try ToolboxMedia.frame(0), try ToolboxMedia.frame(1, width: 64, height: 200),
            try ToolboxMedia.frame(2, kCVPixelFormatType_32BGRA), try ToolboxMedia.frame(3, width: 33, height: 17),
        ]
        for (number, frame) in frames.enumerated() {
            let status = VTCompressionSessionEncodeFrame(
                session, imageBuffer: frame, presentationTimeStamp: ToolboxMedia.time(number), duration: .invalid,
                frameProperties: nil, infoFlagsOut: nil
            ) { _, _, sample in
                if let sample { packets.add(sample) }
            }
            #expect(status == noErr)
        }
        VTCompressionSessionCompleteFrames(session, untilPresentationTimeStamp: .positiveInfinity)
        #expect(packets.all.count == 4)
        #expect(packets.all.allSatisfy { $0.formatDescription?.dimensions.width == 160 })
    }

    @Test func encode_oddSize_hasACleanAperture() throws {
        let session = try ToolboxMedia.session(kCMVideoCodecType_H264, width: 159, height: 95)
        let format = try #require(try ToolboxMedia.encode(0..<1, in: session).first?.formatDescription)
        #expect(format.dimensions.width == 160 && format.dimensions.height == 96)
        #expect(format.presentationDimensions() == CGSize(width: 159, height: 95))
    }

    @Test func encode_withoutReordering_holdsNoFrame() throws {
        let session = try ToolboxMedia.session(
            kCMVideoCodecType_H264,
            [
                kVTCompressionPropertyKey_RealTime: kCFBooleanTrue as Any,
                kVTCompressionPropertyKey_AllowFrameReordering: kCFBooleanFalse as Any,
            ])
        let packets = ToolboxMedia.Results<CMSampleBuffer>()
        for number in 0..<5 {
            VTCompressionSessionEncodeFrame(
                session, imageBuffer: try ToolboxMedia.frame(number), presentationTimeStamp: ToolboxMedia.time(number),
                duration: .invalid, frameProperties: nil, infoFlagsOut: nil
            ) { _, _, sample in
                if let sample { packets.add(sample) }
            }
            // There is nothing to complete, so the encoder continues.
            VTCompressionSessionCompleteFrames(
                session, untilPresentationTimeStamp: ToolboxMedia.time(number))
            #expect(packets.all.count == number + 1)
        }
        #expect(packets.all.filter { ToolboxMedia.isKeyframe($0) }.count == 1)
        #expect(packets.all.allSatisfy { !$0.decodeTimeStamp.isValid })
    }

    @Test func encode_afterCompleteFramesOrOtherSettings_continuesWithAKeyframe() throws {
        let session = try ToolboxMedia.session()
        let first = try ToolboxMedia.encode(0..<6, in: session)
        let bitRate = NSNumber(value: 300_000)
        #expect(
            VTSessionSetProperty(session, key: kVTCompressionPropertyKey_AverageBitRate, value: bitRate) == noErr)
        let second = try ToolboxMedia.encode(6..<12, in: session)
        #expect(first.count == 6 && second.count == 6 && ToolboxMedia.isKeyframe(second[0]))
        let decoded = (first + second).map(\.decodeTimeStamp)
        #expect(zip(decoded, decoded.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func encode_invalidTimes_areRefused() throws {
        let session = try ToolboxMedia.session()
        func status(_ time: CMTime) throws -> OSStatus {
            VTCompressionSessionEncodeFrame(
                session, imageBuffer: try ToolboxMedia.frame(0), presentationTimeStamp: time, duration: .invalid,
                frameProperties: nil, infoFlagsOut: nil
            ) { _, _, _ in }
        }
        #expect(try status(.invalid) == kVTParameterErr)
        #expect(try status(ToolboxMedia.time(5)) == noErr)
        #expect(try status(ToolboxMedia.time(5)) == kVTParameterErr)
        #expect(try status(ToolboxMedia.time(4)) == kVTParameterErr)
        #expect(try status(ToolboxMedia.time(6)) == noErr)
    }

    @Test func create_badInput_returnsItsStatus() {
        var session: VTCompressionSession?
        #expect(create(kCMVideoCodecType_H264, 0, 96, into: &session) == kVTParameterErr)
        #expect(create(kCMVideoCodecType_H264, 160, -1, into: &session) == kVTParameterErr)
        #expect(create(kCMVideoCodecType_H264, 100_000, 96, into: &session) == kVTParameterErr)
        #expect(create(kCMVideoCodecType_HEVC, 8, 8, into: &session) == kVTParameterErr)
        #expect(create(kCMVideoCodecType_Animation, 160, 96, into: &session) == kVTCouldNotFindVideoEncoderErr)
        let hardware = [
            kVTVideoEncoderSpecification_RequireHardwareAcceleratedVideoEncoder: kCFBooleanTrue as Any
        ]
        #expect(create(kCMVideoCodecType_H264, 160, 96, hardware, into: &session) == kVTCouldNotFindVideoEncoderErr)
        let id = [kVTVideoEncoderSpecification_EncoderID: "another"]
        #expect(create(kCMVideoCodecType_H264, 160, 96, id, into: &session) == kVTCouldNotFindVideoEncoderErr)
        let unknown = [kCVPixelBufferPixelFormatTypeKey: NSNumber(value: 0x1234_5678)]
        let status = create(kCMVideoCodecType_H264, 160, 96, [:], unknown, into: &session)
        #expect(status == kVTPixelTransferNotSupportedErr)
        #expect(session == nil)
    }

    @Test func pool_hasTheSizeAndTheRequestedFormat() throws {
        var made: VTCompressionSession?
        let attributes = [kCVPixelBufferPixelFormatTypeKey: NSNumber(value: kCVPixelFormatType_32BGRA)]
        #expect(create(kCMVideoCodecType_H264, 160, 96, [:], attributes, into: &made) == noErr)
        let session = try #require(made)
        var buffer: CVPixelBuffer?
        CVPixelBufferPoolCreatePixelBuffer(
            nil, try #require(VTCompressionSessionGetPixelBufferPool(session)), &buffer)
        let frame = try #require(buffer)
        #expect(CVPixelBufferGetWidth(frame) == 160 && CVPixelBufferGetHeight(frame) == 96)
        #expect(CVPixelBufferGetPixelFormatType(frame) == kCVPixelFormatType_32BGRA)
    }

    @Test func invalidate_heldFrames_areDiscarded() throws {
        let session = try ToolboxMedia.session()
        let packets = ToolboxMedia.Results<OSStatus>()
        func encode(_ number: Int) throws -> OSStatus {
            VTCompressionSessionEncodeFrame(
                session, imageBuffer: try ToolboxMedia.frame(number), presentationTimeStamp: ToolboxMedia.time(number),
                duration: .invalid, frameProperties: nil, infoFlagsOut: nil
            ) { status, _, _ in packets.add(status) }
        }
        for number in 0..<3 { #expect(try encode(number) == noErr) }
        VTCompressionSessionInvalidate(session)
        let count = packets.all.count
        #expect(try encode(3) == kVTInvalidSessionErr)
        #expect(
            VTCompressionSessionCompleteFrames(session, untilPresentationTimeStamp: .invalid) == kVTInvalidSessionErr)
        #expect(VTCompressionSessionPrepareToEncodeFrames(session) == kVTInvalidSessionErr)
        #expect(VTCompressionSessionGetPixelBufferPool(session) == nil)
        let key = kVTCompressionPropertyKey_RealTime
        #expect(VTSessionSetProperty(session, key: key, value: kCFBooleanTrue) == kVTInvalidSessionErr)
        VTCompressionSessionInvalidate(session)
        #expect(packets.all.count == count && count < 3)
    }

    /// A callback may use its session, even to end it.
    @Test func invalidate_inACallback_returns() throws {
        let session = try ToolboxMedia.session(kCMVideoCodecType_JPEG)
        let gate = Gate()
        VTCompressionSessionEncodeFrame(
            session, imageBuffer: try ToolboxMedia.frame(0), presentationTimeStamp: .zero, duration: .invalid,
            frameProperties: nil, infoFlagsOut: nil
        ) { _, _, _ in
            VTCompressionSessionCompleteFrames(session, untilPresentationTimeStamp: .invalid)
            VTCompressionSessionInvalidate(session)
            gate.open()
        }
        VTCompressionSessionCompleteFrames(session, untilPresentationTimeStamp: .invalid)
        #expect(gate.wait())
    }

    /// The last reference to a session may be that of a callback.
    @Test func release_inACallback_endsTheSession() throws {
        final class Owner: @unchecked Sendable {
            // Unchecked: the gate orders both uses.
            var session: VTCompressionSession?
        }
        let (owner, started, ended) = (Owner(), Gate(), Gate())
        // In real time and without reordering, H.264 holds no frame back.
        owner.session = try ToolboxMedia.session(
            kCMVideoCodecType_H264,
            [
                kVTCompressionPropertyKey_RealTime: NSNumber(value: true),
                kVTCompressionPropertyKey_AllowFrameReordering: NSNumber(value: false),
            ])
        weak let session = owner.session
        VTCompressionSessionEncodeFrame(
            try #require(owner.session), imageBuffer: try ToolboxMedia.frame(0), presentationTimeStamp: .zero,
            duration: .invalid, frameProperties: nil, infoFlagsOut: nil
        ) { _, _, _ in
            _ = started.wait()
            owner.session = nil
            ended.open()
        }
        started.open()
        #expect(ended.wait())
        #expect(session == nil)
    }

    @Test(arguments: [kCMVideoCodecType_H264, kCMVideoCodecType_HEVC])
    func passes_two_encodeAllFramesAgain(_ codec: CMVideoCodecType) throws {
        let bitRate = [kVTCompressionPropertyKey_AverageBitRate: NSNumber(value: 200_000)]
        let session = try ToolboxMedia.session(codec, bitRate)
        #expect(VTCompressionSessionBeginPass(session, flags: [], nil) == kVTParameterErr)
        var made: VTMultiPassStorage?
        #expect(
            VTMultiPassStorageCreate(
                allocator: nil, fileURL: nil, timeRange: .invalid, options: nil, multiPassStorageOut: &made) == noErr)
        let storage = try #require(made)
        let key = kVTCompressionPropertyKey_MultiPassStorage
        #expect(VTSessionSetProperty(session, key: key, value: storage) == noErr)
        var kept: VTMultiPassStorage?
        #expect(VTSessionCopyProperty(session, key: key, allocator: nil, valueOut: &kept) == noErr)
        #expect(kept === storage)

        #expect(VTCompressionSessionBeginPass(session, flags: [], nil) == noErr)
        #expect(try ToolboxMedia.encode(0..<20, in: session).count == 20)
        var wantsMore: DarwinBoolean = false
        #expect(VTCompressionSessionEndPass(session, furtherPassesRequestedOut: &wantsMore, nil) == noErr)
        #expect(wantsMore.boolValue)
        var (count, ranges): (CMItemCount, UnsafePointer<CMTimeRange>?) = (0, nil)
        #expect(
            VTCompressionSessionGetTimeRangesForNextPass(
                session, timeRangeCountOut: &count, timeRangeArrayOut: &ranges) == noErr)
        #expect(count == 1 && ranges?.pointee == CMTimeRange(start: .zero, end: ToolboxMedia.time(20)))

        #expect(VTCompressionSessionBeginPass(session, flags: .beginFinalPass, nil) == noErr)
        let packets = try ToolboxMedia.encode(0..<20, in: session)
        #expect(packets.map(\.presentationTimeStamp).sorted() == (0..<20).map { ToolboxMedia.time($0) })
        #expect(VTCompressionSessionEndPass(session, furtherPassesRequestedOut: &wantsMore, nil) == noErr)
        #expect(!wantsMore.boolValue)
        #expect(VTMultiPassStorageClose(storage) == noErr)
        #expect(VTMultiPassStorageClose(storage) == kVTMultiPassStorageInvalidErr)
        #expect(VTCompressionSessionBeginPass(session, flags: [], nil) == kVTMultiPassStorageInvalidErr)
    }
}
