import Foundation
import Testing
import VideoToolbox

@Suite struct VTDecompressionSessionTests {
    private struct Decoded {
        let status: OSStatus
        let flags: VTDecodeInfoFlags
        let image: CVImageBuffer?
        let time: CMTime
        let duration: CMTime
    }

    private func session(
        _ format: CMFormatDescription?, _ attributes: [String: Any]? = nil
    ) throws -> VTDecompressionSession {
        var made: VTDecompressionSession?
        let status = VTDecompressionSessionCreate(
            allocator: nil, formatDescription: try #require(format), decoderSpecification: nil,
            imageBufferAttributes: attributes.map { $0 as CFDictionary }, outputCallback: nil,
            decompressionSessionOut: &made)
        try #require(status == noErr)
        return try #require(made)
    }

    /// Decodes packets one after another; `after` is called after each.
    private func decode(
        _ packets: [CMSampleBuffer], in session: VTDecompressionSession, _ flags: VTDecodeFrameFlags = [],
        after: () -> Void = {}
    ) -> [Decoded] {
        let results = ToolboxMedia.Results<Decoded>()
        for packet in packets {
            let status = VTDecompressionSessionDecodeFrame(
                session, sampleBuffer: packet, flags: flags, infoFlagsOut: nil
            ) { results.add(Decoded(status: $0, flags: $1, image: $2, time: $3, duration: $4)) }
            #expect(status == noErr)
            after()
        }
        #expect(VTDecompressionSessionWaitForAsynchronousFrames(session) == noErr)
        return results.all
    }

    private func expectFrames(_ decoded: [Decoded], _ numbers: Range<Int>) throws {
        #expect(decoded.map(\.time) == numbers.map { ToolboxMedia.time($0) })
        for (number, frame) in zip(numbers, decoded) {
            #expect(frame.status == noErr && frame.duration == ToolboxMedia.time(1))
            #expect(ToolboxMedia.difference(try #require(frame.image), from: number) < 12)
        }
    }

    /// Expects each frame once, in any order.
    private func expectAllFrames(_ decoded: [Decoded], _ numbers: Range<Int>) throws {
        #expect(decoded.allSatisfy { $0.status == noErr && $0.image != nil })
        #expect(decoded.map(\.time).sorted() == numbers.map { ToolboxMedia.time($0) })
        for frame in decoded {
            let number = Int(frame.time.value * 25 / Int64(frame.time.timescale))
            #expect(ToolboxMedia.difference(try #require(frame.image), from: number) < 12)
        }
    }

    /// Without B-frames, so that each packet has its frame at once.
    private func plainPackets(_ numbers: Range<Int>) throws -> [CMSampleBuffer] {
        let properties = [kVTCompressionPropertyKey_AllowFrameReordering: kCFBooleanFalse as Any]
        return try ToolboxMedia.encode(numbers, in: try ToolboxMedia.session(kCMVideoCodecType_H264, properties))
    }

    @Test(arguments: [kCMVideoCodecType_H264, kCMVideoCodecType_HEVC])
    func decode_reorderedStream_returnsFramesInPresentationOrder(_ codec: CMVideoCodecType) throws {
        let packets = try ToolboxMedia.encode(0..<12, in: try ToolboxMedia.session(codec))
        let session = try session(packets.first?.formatDescription)
        try expectFrames(decode(packets, in: session), 0..<12)
    }

    @Test(arguments: [kCMVideoCodecType_JPEG, kCMVideoCodecType_AppleProRes422])
    func decode_intraCodec_returnsEachFrameAtOnce(_ codec: CMVideoCodecType) throws {
        let packets = try ToolboxMedia.encode(0..<3, in: try ToolboxMedia.session(codec))
        let session = try session(
            packets.first?.formatDescription,
            [kCVPixelBufferPixelFormatTypeKey: NSNumber(value: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)])
        for (number, packet) in packets.enumerated() {
            let decoded = ToolboxMedia.Results<CMTime>()
            VTDecompressionSessionDecodeFrame(session, sampleBuffer: packet, flags: [], infoFlagsOut: nil) {
                status, _, image, time, _ in
                if status == noErr, image != nil { decoded.add(time) }
            }
            #expect(decoded.all == [ToolboxMedia.time(number)])
        }
    }

    /// As in programs that wait for each frame: the decoder is emptied after each packet, and continues.
    @Test func decode_waitingForEachFrame_losesNone() throws {
        let packets = try ToolboxMedia.encode(0..<12, in: try ToolboxMedia.session())
        let session = try session(packets.first?.formatDescription)
        let decoded = decode(packets, in: session) {
            #expect(VTDecompressionSessionFinishDelayedFrames(session) == noErr)
        }
        try expectAllFrames(decoded, 0..<12)
    }

    /// Packets without attachments count as keyframes, unless their data says otherwise.
    @Test(arguments: [kCMVideoCodecType_H264, kCMVideoCodecType_HEVC])
    func decode_waitingWithoutAttachments_losesNone(_ codec: CMVideoCodecType) throws {
        let packets = try ToolboxMedia.encode(0..<12, in: try ToolboxMedia.session(codec)).map { packet in
            let timing = CMSampleTimingInfo(
                duration: packet.duration, presentationTimeStamp: packet.presentationTimeStamp,
                decodeTimeStamp: packet.decodeTimeStamp)
            return try CMSampleBuffer(
                dataBuffer: packet.dataBuffer, formatDescription: packet.formatDescription, numSamples: 1,
                sampleTimings: [timing], sampleSizes: [])
        }
        let session = try session(packets.first?.formatDescription)
        let decoded = decode(packets, in: session) {
            #expect(VTDecompressionSessionFinishDelayedFrames(session) == noErr)
        }
        try expectAllFrames(decoded, 0..<12)
    }

    @Test func decode_afterASeekBack_returnsTheFramesAgain() throws {
        let packets = try plainPackets(0..<6)
        let session = try session(packets.first?.formatDescription)
        let decoded = decode(packets + packets, in: session)
        try expectFrames(Array(decoded.prefix(6)), 0..<6)
        try expectFrames(Array(decoded.dropFirst(6)), 0..<6)
    }

    /// Without a matrix, 720 rows or more mean BT.709: also when the image becomes smaller.
    @Test func decode_largeUntaggedToSmallSize_isTaggedBT709() throws {
        let encoder = try ToolboxMedia.session(kCMVideoCodecType_H264, width: 1280, height: 720)
        let packets = ToolboxMedia.Results<CMSampleBuffer>()
        VTCompressionSessionEncodeFrame(
            encoder, imageBuffer: try ToolboxMedia.frame(0, width: 1280, height: 720), presentationTimeStamp: .zero,
            duration: ToolboxMedia.time(1), frameProperties: nil, infoFlagsOut: nil
        ) { _, _, sample in
            if let sample { packets.add(sample) }
        }
        #expect(VTCompressionSessionCompleteFrames(encoder, untilPresentationTimeStamp: .invalid) == noErr)
        let size = [
            kCVPixelBufferWidthKey: NSNumber(value: 640), kCVPixelBufferHeightKey: NSNumber(value: 360),
        ]
        let session = try session(packets.all.first?.formatDescription, size)
        let image = try #require(decode(packets.all, in: session).first?.image)
        #expect(CVPixelBufferGetWidth(image) == 640 && CVPixelBufferGetHeight(image) == 360)
        let matrix = CVBufferCopyAttachment(image, kCVImageBufferYCbCrMatrixKey, nil) as? String
        #expect(matrix == kCVImageBufferYCbCrMatrix_ITU_R_709_2)
    }

    @Test func decode_samplesWithoutTimes_returnsEachFrameAtOnce() throws {
        let packets = try plainPackets(0..<4)
        let session = try session(packets.first?.formatDescription)
        for (number, packet) in packets.enumerated() {
            let untimed = try CMSampleBuffer(
                dataBuffer: packet.dataBuffer, formatDescription: packet.formatDescription, numSamples: 1,
                sampleTimings: [], sampleSizes: [])
            let images = ToolboxMedia.Results<CVImageBuffer>()
            let status = VTDecompressionSessionDecodeFrame(
                session, sampleBuffer: untimed, flags: ._1xRealTimePlayback, infoFlagsOut: nil
            ) { _, _, image, time, _ in
                #expect(!time.isValid)
                if let image { images.add(image) }
            }
            #expect(status == noErr)
            #expect(ToolboxMedia.difference(try #require(images.all.first), from: number) < 12)
        }
    }

    @Test func decode_attributes_setFormatAndSize() throws {
        let packets = try plainPackets(0..<2)
        let attributes: [String: Any] = [
            kCVPixelBufferPixelFormatTypeKey: NSNumber(value: kCVPixelFormatType_32BGRA),
            kCVPixelBufferWidthKey: NSNumber(value: 80), kCVPixelBufferHeightKey: NSNumber(value: 48),
        ]
        let scaled = decode(packets, in: try session(packets.first?.formatDescription, attributes))
        let image = try #require(scaled.first?.image)
        #expect(CVPixelBufferGetPixelFormatType(image) == kCVPixelFormatType_32BGRA)
        #expect(CVPixelBufferGetWidth(image) == 80 && CVPixelBufferGetHeight(image) == 48)
        #expect(scaled.first?.flags == .imageBufferModifiable)
        let plain = decode(packets, in: try session(packets.first?.formatDescription))
        let format = CVPixelBufferGetPixelFormatType(try #require(plain.first?.image))
        #expect(format == kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange)
    }

    @Test func decode_sessionCallback_getsBothPointersOnItsOwnThread() throws {
        final class Seen {
            var frames: [UnsafeMutableRawPointer?] = []
            var flags: VTDecodeInfoFlags = []
        }
        let (seen, packets) = (Seen(), try plainPackets(0..<2))
        var record = VTDecompressionOutputCallbackRecord(
            decompressionOutputCallback: { refcon, frame, status, flags, image, _, _ in
                guard let refcon, status == noErr, image != nil else { return }
                let seen = Unmanaged<Seen>.fromOpaque(refcon).takeUnretainedValue()
                seen.frames.append(frame)
                seen.flags = flags
            }, decompressionOutputRefCon: Unmanaged.passUnretained(seen).toOpaque())
        var made: VTDecompressionSession?
        VTDecompressionSessionCreate(
            allocator: nil, formatDescription: try #require(packets.first?.formatDescription),
            decoderSpecification: nil, imageBufferAttributes: nil, outputCallback: &record,
            decompressionSessionOut: &made)
        let session = try #require(made)
        let frames = [0x70, 0x80].map { UnsafeMutableRawPointer(bitPattern: $0) }
        for (packet, frame) in zip(packets, frames) {
            var flags: VTDecodeInfoFlags = []
            let status = VTDecompressionSessionDecodeFrame(
                session, sampleBuffer: packet, flags: ._EnableAsynchronousDecompression, frameRefcon: frame,
                infoFlagsOut: &flags)
            #expect(status == noErr && flags == .asynchronous)
        }
        VTDecompressionSessionWaitForAsynchronousFrames(session)
        #expect(seen.frames == frames && seen.flags.contains(.asynchronous))
    }

    @Test func decode_notToBeOutput_hasNoImage() throws {
        let packets = try plainPackets(0..<2)
        let session = try session(packets.first?.formatDescription)
        let decoded = decode(packets, in: session, ._DoNotOutputFrame)
        #expect(decoded.count == 2)
        #expect(decoded.allSatisfy { $0.image == nil && $0.status == noErr && $0.flags == .frameDropped })
    }

    @Test func decode_badInput_returnsItsStatus() throws {
        let packets = try plainPackets(0..<2)
        let format = try #require(packets.first?.formatDescription)
        let session = try session(format)
        func status(_ sample: CMSampleBuffer) -> OSStatus {
            VTDecompressionSessionDecodeFrame(session, sampleBuffer: sample, flags: [], infoFlagsOut: nil) {
                _, _, _, _, _ in Issue.record("a callback of a sample that was refused")
            }
        }
        let noise = try CMBlockBuffer(length: 400)
        try noise.fillDataBytes(with: 0x5A)
        let damaged = try CMSampleBuffer(
            dataBuffer: noise, formatDescription: format, numSamples: 1, sampleTimings: [], sampleSizes: [])
        #expect(status(damaged) == kVTVideoDecoderBadDataErr)
        let empty = try CMSampleBuffer(
            dataBuffer: nil, formatDescription: format, numSamples: 1, sampleTimings: [], sampleSizes: [])
        #expect(status(empty) == kVTVideoDecoderBadDataErr)
        let other = try ToolboxMedia.session(kCMVideoCodecType_H264, width: 64, height: 64)
        let small = try #require(try ToolboxMedia.encode(0..<1, in: other).first)
        #expect(status(small) == kVTFormatDescriptionChangeNotSupportedErr)
        // The session still works.
        try expectFrames(decode(packets, in: session), 0..<2)
        VTDecompressionSessionInvalidate(session)
        #expect(status(packets[0]) == kVTInvalidSessionErr)
        #expect(VTDecompressionSessionWaitForAsynchronousFrames(session) == kVTInvalidSessionErr)
        #expect(!VTDecompressionSessionCanAcceptFormatDescription(session, formatDescription: format))
    }

    @Test func create_badInput_returnsItsStatus() throws {
        let format = try #require(try plainPackets(0..<1).first?.formatDescription)
        func status(
            _ format: CMFormatDescription, _ specification: [String: Any] = [:], _ attributes: [String: Any] = [:]
        ) -> OSStatus {
            var made: VTDecompressionSession?
            return VTDecompressionSessionCreate(
                allocator: nil, formatDescription: format, decoderSpecification: specification as CFDictionary,
                imageBufferAttributes: attributes as CFDictionary, outputCallback: nil, decompressionSessionOut: &made)
        }
        let raw = try CMFormatDescription(imageBuffer: try ToolboxMedia.frame(0))
        #expect(status(raw) == kVTCouldNotFindVideoDecoderErr)
        let hardware = [
            kVTVideoDecoderSpecification_RequireHardwareAcceleratedVideoDecoder: kCFBooleanTrue as Any
        ]
        #expect(status(format, hardware) == kVTCouldNotFindVideoDecoderErr)
        let unknown = [kCVPixelBufferPixelFormatTypeKey: NSNumber(value: 0x1234_5678)]
        #expect(status(format, [:], unknown) == kVTPixelTransferNotSupportedErr)
        #expect(!VTIsHardwareDecodeSupported(kCMVideoCodecType_H264))
    }

    @Test func formatDescription_sameCodecAndSize_isAccepted() throws {
        let format = try #require(try plainPackets(0..<1).first?.formatDescription)
        let session = try session(format)
        let properties = [kVTCompressionPropertyKey_ProfileLevel: kVTProfileLevel_H264_Baseline_AutoLevel]
        let baseline = try ToolboxMedia.encode(0..<2, in: try ToolboxMedia.session(kCMVideoCodecType_H264, properties))
        let other = try #require(baseline.first?.formatDescription)
        #expect(other != format)
        #expect(VTDecompressionSessionCanAcceptFormatDescription(session, formatDescription: other))
        try expectFrames(decode(baseline, in: session), 0..<2)
        let hevc = try ToolboxMedia.encode(0..<1, in: try ToolboxMedia.session(kCMVideoCodecType_HEVC))
        let another = try #require(hevc.first?.formatDescription)
        #expect(!VTDecompressionSessionCanAcceptFormatDescription(session, formatDescription: another))
    }

    @Test func properties_threadsAndHints_areKept() throws {
        let session = try session(try plainPackets(0..<1).first?.formatDescription)
        let threads = kVTDecompressionPropertyKey_ThreadCount
        #expect(VTSessionSetProperty(session, key: threads, value: NSNumber(value: 2)) == noErr)
        #expect(VTSessionSetProperty(session, key: threads, value: NSNumber(value: -1)) == kVTParameterErr)
        let realTime = kVTDecompressionPropertyKey_RealTime
        #expect(VTSessionSetProperty(session, key: realTime, value: kCFBooleanTrue) == noErr)
        let held = kVTDecompressionPropertyKey_NumberOfFramesBeingDecoded
        #expect(VTSessionSetProperty(session, key: held, value: NSNumber(value: 2)) == kVTPropertyReadOnlyErr)
        var count: CFNumber?
        #expect(VTSessionCopyProperty(session, key: held, allocator: nil, valueOut: &count) == noErr)
        #expect(count?.intValue == 0)
        let hardware = kVTDecompressionPropertyKey_UsingHardwareAcceleratedVideoDecoder
        let status = VTSessionCopyProperty(session, key: hardware, allocator: nil, valueOut: &count)
        #expect(status == kVTPropertyNotSupportedErr)
    }
}
