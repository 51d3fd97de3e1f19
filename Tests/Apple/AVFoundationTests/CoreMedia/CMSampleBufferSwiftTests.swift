import Foundation
import TestSupport
import Testing

@testable import AVFoundation

/// Tests of sample buffers through Core Media's Swift interface.
@Suite struct CMSampleBufferSwiftTests {
    private func time(_ value: Int64) -> CMTime { CMTime(value: value, timescale: 30) }
    private func timing(_ value: Int64) -> CMSampleTimingInfo {
        CMSampleTimingInfo(duration: time(1), presentationTimeStamp: time(value), decodeTimeStamp: .invalid)
    }

    /// Three stored frames of 2, 3 and 4 bytes.
    private func packets() throws -> CMSampleBuffer {
        let block = try CMBlockBuffer(length: 9)
        try block.withUnsafeMutableBytes { bytes in for index in 0..<9 { bytes[index] = UInt8(index) } }
        return try CMSampleBuffer(
            dataBuffer: block, formatDescription: CMFormatDescription(videoCodecType: .h264, width: 64, height: 64),
            numSamples: 3, sampleTimings: [timing(0), timing(1), timing(2)], sampleSizes: [2, 3, 4])
    }

    private func frame() throws -> CVPixelBuffer {
        var made: CVPixelBuffer?
        CVPixelBufferCreate(nil, 64, 48, kCVPixelFormatType_32BGRA, nil, &made)
        return try #require(made)
    }

    @Test func copy_ofARange_keepsBytesTimesAndAttachments() throws {
        let whole = try packets()
        whole.sampleAttachments[1][.notSync] = true
        let part = try CMSampleBuffer(copying: whole, forRange: 1..<3)
        #expect(part.numSamples == 2 && part.totalSampleSize == 7 && part.presentationTimeStamp == time(1))
        #expect(try part.sampleSizes() == [3, 4] && part.dataBuffer?.dataBytes().first == 2)
        #expect(part.sampleAttachments[0][.notSync] as? Bool == true && part.sampleAttachments[1][.notSync] == nil)
        let singles = try Array(whole.singleSampleBuffers())
        #expect(singles.map(\.totalSampleSize) == [2, 3, 4] && singles[2].presentationTimeStamp == time(2))
        #expect(try singles[1].engineSamples().first?.isKeyframe == false)
        #expect(throws: NSError.self) { try CMSampleBuffer(copying: whole, forRange: 2..<4) }
        var copied: CMSampleBuffer?
        #expect(
            CMSampleBufferCopySampleBufferForRange(
                allocator: nil, sampleBuffer: whole, sampleRange: CFRange(location: 0, length: 1),
                sampleBufferOut: &copied) == noErr)
        #expect(copied?.totalSampleSize == 2)
        #expect(
            CMSampleBufferCopySampleBufferForRange(
                allocator: nil, sampleBuffer: whole, sampleRange: CFRange(location: 1, length: .max),
                sampleBufferOut: &copied) == kCMSampleBufferError_SampleIndexOutOfRange)
        var sizes: [Int] = []
        CMSampleBufferCallBlockForEachSample(whole) { sample, _ in
            sizes.append(sample.totalSampleSize)
            return noErr
        }
        #expect(sizes == [2, 3, 4])
        #expect(
            CMSampleBufferCallForEachSample(whole, callback: { _, index, _ in index == 1 ? -1 : 0 }, refcon: nil) == -1)
    }

    @Test func sampleBuffer_returnsTimesAndSizesOfEachSample() throws {
        let whole = try packets()
        #expect(try whole.sampleTimingInfos().count == 3 && whole.sampleTimingInfo(at: 2) == timing(2))
        #expect(throws: NSError.self) { try whole.sampleTimingInfo(at: 3) }
        #expect(whole.duration == time(3) && whole.sampleSize(at: 1) == 3 && whole.sampleSize(at: 9) == 0)
        try whole.setOutputPresentationTimeStamp(time(30))
        #expect(whole.outputPresentationTimeStamp == time(30) && whole.presentationTimeStamp == time(0))
        #expect(try whole.outputSampleTimingInfos().map(\.presentationTimeStamp) == [time(30), time(31), time(32)])
        #expect(whole.outputDuration == time(3) && !whole.outputDecodeTimeStamp.isValid)
        var needed = 0
        var infos = [CMSampleTimingInfo](repeating: .invalid, count: 3)
        #expect(
            CMSampleBufferGetOutputSampleTimingInfoArray(
                whole, entryCount: 3, arrayToFill: &infos, entriesNeededOut: &needed) == noErr)
        #expect(needed == 3 && infos[1].presentationTimeStamp == time(31))
        #expect(
            CMSampleBufferGetSampleTimingInfoArray(whole, entryCount: 2, arrayToFill: &infos, entriesNeededOut: nil)
                == kCMSampleBufferError_ArrayTooSmall)
        var info = CMSampleTimingInfo.invalid
        #expect(CMSampleBufferGetSampleTimingInfo(whole, at: 1, timingInfoOut: &info) == noErr && info == timing(1))
        var sizes = [0, 0, 0]
        CMSampleBufferGetSampleSizeArray(whole, entryCount: 3, arrayToFill: &sizes, entriesNeededOut: nil)
        #expect(sizes == [2, 3, 4] && CMSampleBufferGetSampleSize(whole, at: 2) == 4)
        #expect(CMSampleBufferGetTotalSampleSize(whole) == 9 && CMSampleBufferGetNumSamples(whole) == 3)
        let image = try frame()
        let shown = try CMSampleBuffer(
            imageBuffer: image, formatDescription: CMFormatDescription(imageBuffer: image), sampleTiming: timing(4))
        #expect(throws: NSError.self) { try shown.sampleSizes() }
        #expect(
            CMSampleBufferGetDuration(shown) == time(1)
                && CMSampleBufferGetOutputPresentationTimeStamp(shown) == time(4))
        #expect(
            !CMSampleBufferGetDecodeTimeStamp(shown).isValid && !CMSampleBufferGetOutputDecodeTimeStamp(shown).isValid)
        CMSampleBufferSetOutputPresentationTimeStamp(shown, newValue: time(5))
        #expect(shown.outputPresentationTimeStamp == time(5) && CMSampleBufferGetOutputDuration(shown) == time(1))
    }

    @Test func makeDataReady_calledTwice_requestsDataOnce() throws {
        final class Asked: @unchecked Sendable { var count = 0 }
        let asked = Asked()
        let sample = try CMSampleBuffer(
            dataBuffer: nil, formatDescription: CMFormatDescription(videoCodecType: .h264, width: 64, height: 64),
            numSamples: 1, sampleTimings: [timing(0)], sampleSizes: [2]
        ) { sample in
            asked.count += 1
            return (try? CMBlockBuffer(length: 2)).map { CMSampleBufferSetDataBuffer(sample, newValue: $0) } ?? -1
        }
        #expect(sample.dataReadiness == .notReady && !CMSampleBufferDataIsReady(sample))
        #expect(throws: (any Error).self) { try sample.engineSamples() }
        let follower = try CMSampleBuffer(
            dataBuffer: nil, dataReady: false, formatDescription: nil, numSamples: 0, sampleTimings: [], sampleSizes: []
        ) { _ in noErr }
        try follower.trackDataReadiness(sample)
        try sample.makeDataReady()
        try sample.makeDataReady()
        #expect(asked.count == 1 && sample.dataReadiness == .ready && sample.totalSampleSize == 2)
        #expect(follower.dataReadiness == .ready)
        #expect(try sample.engineSamples().count == 1)
        let other = try CMBlockBuffer(length: 1)
        #expect(CMSampleBufferSetDataBuffer(sample, newValue: other) == kCMSampleBufferError_AlreadyHasDataBuffer)
        #expect(throws: NSError.self) { try sample.setDataBuffer(other) }
    }

    @Test func makeDataReady_fails_reportsTheStatus() throws {
        let image = try frame()
        let sample = try CMSampleBuffer(
            imageBuffer: image, formatDescription: CMFormatDescription(imageBuffer: image), sampleTiming: timing(0)
        ) { _ in -77 }
        #expect(CMSampleBufferMakeDataReady(sample) == -77)
        var status: OSStatus = 0
        #expect(CMSampleBufferHasDataFailed(sample, statusOut: &status) && status == -77)
        #expect(sample.dataReadiness == .failed(-77) && CMSampleBufferMakeDataReady(sample) == -77)
        CMSampleBufferSetDataReady(sample)
        #expect(sample.dataReadiness == .ready && !CMSampleBufferHasDataFailed(sample, statusOut: nil))
        CMSampleBufferSetDataFailed(sample, status: -1)
        #expect(sample.dataReadiness == .failed(-1))
        try sample.setDataReadiness(.ready)
        #expect(try sample.engineSamples().count == 1)
        var called: CMSampleBuffer?
        #expect(
            CMSampleBufferCreateForImageBuffer(
                allocator: nil, imageBuffer: image, dataReady: false, makeDataReadyCallback: { _, _ in noErr },
                refcon: nil, formatDescription: try CMFormatDescription(imageBuffer: image),
                sampleTiming: [timing(0)], sampleBufferOut: &called) == noErr)
        #expect(called?.dataReadiness == .notReady)
        #expect(CMSampleBufferTrackDataReadiness(try #require(called), sampleBufferToTrack: sample) == noErr)
        #expect(called?.dataReadiness == .ready)
    }

    @Test func invalidate_calledTwice_callsTheHandlerOnce() throws {
        final class Calls: @unchecked Sendable { var count = 0 }
        let (sample, calls) = (try packets(), Calls())
        try sample.setInvalidateHandler { _ in calls.count += 1 }
        try sample.invalidate()
        try sample.invalidate()
        #expect(calls.count == 1 && !sample.isValid && sample.dataBuffer == nil && sample.duration == time(3))
        let other = try packets()
        CMSampleBufferSetInvalidateHandler(other) { _ in calls.count += 1 }
        CMSampleBufferInvalidate(other)
        #expect(calls.count == 2 && !CMSampleBufferIsValid(other))
    }

    @Test func copy_withNewTiming_keepsKeyframeFlags() async throws {
        let movies = try MadeMovies()
        let url = try movies.movie(seconds: 1)
        let flags = try await onThread {
            let asset = AVAsset(url: url)
            let reader = try AVAssetReader(asset: asset)
            let output = AVAssetReaderTrackOutput(track: asset.tracks(withMediaType: .video)[0], outputSettings: nil)
            reader.add(output)
            reader.startReading()
            var flags: [(Bool, Bool)] = []
            while let sample = output.copyNextSampleBuffer() {
                var moved = try sample.sampleTimingInfo(at: 0)
                moved.presentationTimeStamp = moved.presentationTimeStamp + CMTime(value: 5, timescale: 1)
                let copy = try CMSampleBuffer(copying: sample, withNewTiming: [moved])
                #expect(copy.presentationTimeStamp == moved.presentationTimeStamp && copy.totalSampleSize > 0)
                let notSync = copy.sampleAttachments[0][.notSync] as? Bool ?? false
                flags.append((try copy.engineSamples()[0].isKeyframe, !notSync))
            }
            return flags
        }
        #expect(flags.count == 30 && flags.filter { $0.0 }.count == 2 && flags.allSatisfy { $0.0 == $0.1 })
        let whole = try packets()
        whole.sampleAttachments[2][.notSync] = true
        var copy: CMSampleBuffer?
        CMSampleBufferCreateCopy(allocator: nil, sampleBuffer: whole, sampleBufferOut: &copy)
        #expect(try copy?.engineSamples().map(\.isKeyframe) == [true, true, false])
        var moved = timing(9)
        CMSampleBufferCreateCopyWithNewTiming(
            allocator: nil, sampleBuffer: whole, sampleTimingEntryCount: 1, sampleTimingArray: &moved,
            sampleBufferOut: &copy)
        #expect(copy?.presentationTimeStamp == time(9) && copy?.numSamples == 3)
        #expect(try CMSampleBuffer(copying: whole).totalSampleSize == 9)
    }

    @Test func copy_withNewTiming_keepsTheLengthOfPCM() async throws {
        let movies = try MadeMovies()
        let url = try movies.movie(seconds: 1)
        let start = time(60)
        try await onThread {
            let asset = AVAsset(url: url)
            let reader = try AVAssetReader(asset: asset)
            let output = AVAssetReaderTrackOutput(
                track: asset.tracks(withMediaType: .audio)[0], outputSettings: [AVFormatIDKey: kAudioFormatLinearPCM])
            reader.add(output)
            reader.startReading()
            let block = try #require(output.copyNextSampleBuffer())
            // The duration of the entire buffer, where that of one frame belongs.
            let timing = CMSampleTimingInfo(
                duration: block.duration, presentationTimeStamp: start, decodeTimeStamp: .invalid)
            let copy = try CMSampleBuffer(copying: block, withNewTiming: [timing])
            #expect(block.numSamples > 1 && copy.numSamples == block.numSamples)
            #expect(copy.presentationTimeStamp == start && copy.duration == block.duration)
        }
    }

    @Test func attachments_propagateByTheirMode() throws {
        let whole = try packets()
        let trim = CMTimeCopyAsDictionary(time(1), allocator: nil) as Any
        whole.attachments[.trimDurationAtStart] = .shouldPropagate(trim)
        whole.attachments["mine"] = .shouldNotPropagate("word")
        #expect(whole.attachments["mine"]?.value as? String == "word")
        #expect(whole.attachments[.trimDurationAtStart]?.mode == .shouldPropagate)
        let other = try packets()
        whole.propagateAttachments(to: other)
        #expect(other.attachments.propagated.count == 1 && other.attachments.nonPropagated.isEmpty)
        other.attachments.merge(["a": 1, "b": 2], mode: .shouldNotPropagate)
        #expect(other.attachments.nonPropagated.count == 2)
        other.attachments.removeAll()
        #expect(other.attachments.propagated.isEmpty && other.attachments["a"] == nil)
        #expect(CMSampleBufferGetSampleAttachmentsArray(try packets(), createIfNecessary: false) == nil)
        #expect(CMSampleBufferGetSampleAttachmentsArray(whole, createIfNecessary: true)?.count == 3)
        #expect(whole.sampleAttachments.count == 3 && Array(whole.sampleAttachments[0]).isEmpty)
        #expect(CMSampleBuffer.typeID == CMSampleBufferGetTypeID())
        #expect(CMSampleBuffer.Error.arrayTooSmall.code == Int(kCMSampleBufferError_ArrayTooSmall))
    }
}
