import AVFoundation
import Foundation
import TestSupport
import Testing

@Suite struct AVAssetReaderTests {
    @Test(arguments: [kCVPixelFormatType_32BGRA, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange])
    func reader_requestedPixelFormat_isDecodedTo(_ format: OSType) async throws {
        let movies = try MadeMovies()
        let url = try movies.movie()
        try await onThread {
            let asset = AVAsset(url: url)
            let track = try #require(asset.tracks(withMediaType: .video).first)
            let reader = try AVAssetReader(asset: asset)
            let output = AVAssetReaderTrackOutput(
                track: track, outputSettings: [kCVPixelBufferPixelFormatTypeKey as String: Int(format)])
            #expect(reader.canAdd(output))
            reader.add(output)
            #expect(!reader.canAdd(output))
            #expect(reader.startReading() && reader.status == .reading)
            var times: [Double] = []
            while let sample = output.copyNextSampleBuffer() {
                let frame = try #require(CMSampleBufferGetImageBuffer(sample))
                #expect(CVPixelBufferGetPixelFormatType(frame) == format)
                times.append(CMSampleBufferGetPresentationTimeStamp(sample).seconds)
            }
            #expect(reader.status == .completed && reader.error == nil)
            #expect(times.count == 60 && times == times.sorted() && times[0] == 0)
        }
    }

    @Test func reader_audioTimeRange_isReadAsLinearPCM() async throws {
        let movies = try MadeMovies()
        let url = try movies.movie()
        try await onThread {
            let asset = AVAsset(url: url)
            let reader = try AVAssetReader(asset: asset)
            reader.timeRange = CMTimeRange(
                start: CMTime(value: 1, timescale: 2), duration: CMTime(value: 1, timescale: 1))
            let settings: [String: Any] = [
                AVFormatIDKey: Int(kAudioFormatLinearPCM), AVLinearPCMBitDepthKey: 16, AVLinearPCMIsBigEndianKey: false,
                AVLinearPCMIsFloatKey: false, AVLinearPCMIsNonInterleaved: false,
            ]
            let output = AVAssetReaderTrackOutput(
                track: try #require(asset.tracks(withMediaType: .audio).first), outputSettings: settings)
            output.alwaysCopiesSampleData = false
            reader.add(output)
            #expect(reader.startReading())
            var (bytes, frames) = (0, 0)
            while let sample = output.copyNextSampleBuffer() {
                bytes += CMBlockBufferGetDataLength(try #require(CMSampleBufferGetDataBuffer(sample)))
                frames += CMSampleBufferGetNumSamples(sample)
            }
            #expect(frames == 44_100 && bytes == 44_100 * 4)
        }
    }

    @Test func reader_storedSamples_markKeyframes() async throws {
        let movies = try MadeMovies()
        let url = try movies.movie()
        try await onThread {
            let asset = AVAsset(url: url)
            let reader = try AVAssetReader(asset: asset)
            let output = AVAssetReaderTrackOutput(
                track: try #require(asset.tracks(withMediaType: .video).first), outputSettings: nil)
            reader.add(output)
            reader.startReading()
            var (all, keys) = (0, 0)
            while let sample = output.copyNextSampleBuffer() {
                all += 1
                let attachments = CMSampleBufferGetSampleAttachmentsArray(sample, createIfNecessary: false)
                let first = attachments?.firstObject as? NSDictionary
                if !((first?[kCMSampleAttachmentKey_NotSync] as? NSNumber)?.boolValue ?? false) { keys += 1 }
                #expect(CMSampleBufferGetSampleSize(sample, at: 0) > 0)
            }
            #expect(all == 60 && keys == 4)
        }
    }

    @Test func reader_lateChangeOrForeignTrack_fails() async throws {
        let movies = try MadeMovies()
        let (url, other) = (try movies.movie(), try movies.movie("other.mov"))
        try await onThread {
            let asset = AVAsset(url: url)
            let foreign = AVAsset(url: other)
            let reader = try AVAssetReader(asset: asset)
            let output = AVAssetReaderTrackOutput(
                track: try #require(foreign.tracks(withMediaType: .video).first), outputSettings: nil)
            #expect(!reader.canAdd(output))
            reader.add(output)
            #expect(reader.status == .failed && reader.error is AVError && !reader.startReading())

            let late = try AVAssetReader(asset: asset)
            let good = AVAssetReaderTrackOutput(
                track: try #require(asset.tracks(withMediaType: .video).first), outputSettings: nil)
            late.add(good)
            #expect(good.copyNextSampleBuffer() == nil)
            late.startReading()
            late.timeRange = .zero
            #expect(late.status == .failed && good.copyNextSampleBuffer() == nil)
        }
    }
}
