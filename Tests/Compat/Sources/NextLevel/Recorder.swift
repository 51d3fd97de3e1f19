import AVFoundation
import Foundation

/// Gives the samples of a movie to a session, as a camera and a microphone would.
final class Recorder {
    let session: NextLevelSession
    private let reader: AVAssetReader
    private let video: AVAssetReaderTrackOutput
    private let audio: AVAssetReaderTrackOutput
    private var frame: CMSampleBuffer?
    private var block: CMSampleBuffer?

    init(movie: URL, session: NextLevelSession) throws {
        self.session = session
        let asset = AVURLAsset(url: movie)
        guard let frames = asset.tracks(withMediaType: .video).first,
            let blocks = asset.tracks(withMediaType: .audio).first
        else { throw NextLevelError.unknown }
        reader = try AVAssetReader(asset: asset)
        video = AVAssetReaderTrackOutput(
            track: frames,
            outputSettings: [
                kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
            ])
        audio = AVAssetReaderTrackOutput(
            track: blocks,
            outputSettings: [
                AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMBitDepthKey: 16, AVLinearPCMIsFloatKey: false,
                AVLinearPCMIsBigEndianKey: false, AVLinearPCMIsNonInterleaved: false,
            ])
        reader.add(video)
        reader.add(audio)
        guard reader.startReading() else { throw reader.error ?? NextLevelError.unknown }
        frame = video.copyNextSampleBuffer()
        block = audio.copyNextSampleBuffer()
    }

    /// Records a clip of all samples that begin before a time.
    func record(until end: CMTime) async throws -> NextLevelClip {
        try setUp()
        session.beginClip()
        guard session.isReady else { throw NextLevelError.notReadyToRecord }
        while let next = nextTime, next < end {
            if let frame, CMSampleBufferGetPresentationTimeStamp(frame) == next {
                try append(frame: frame)
                self.frame = video.copyNextSampleBuffer()
            } else if let block {
                try await append(block: block)
                self.block = audio.copyNextSampleBuffer()
            }
        }
        let session = self.session
        return try await withCheckedThrowingContinuation { continuation in
            session.endClip { clip, error in
                if let clip {
                    continuation.resume(returning: clip)
                } else {
                    continuation.resume(throwing: error ?? NextLevelError.unknown)
                }
            }
        }
    }

    private var nextTime: CMTime? {
        [frame, block].compactMap { $0.map(CMSampleBufferGetPresentationTimeStamp) }.min()
    }

    private func setUp() throws {
        guard let frame, let block, let frames = CMSampleBufferGetFormatDescription(frame),
            let blocks = CMSampleBufferGetFormatDescription(block)
        else { throw NextLevelError.unknown }
        // Inputs belong to one writer, and so to one clip.
        session.reset()
        let (videos, audios) = (NextLevelVideoConfiguration(), NextLevelAudioConfiguration())
        videos.bitRate = 1_000_000
        guard
            session.setupVideo(
                withSettings: videos.avcaptureSettingsDictionary(sampleBuffer: frame), configuration: videos,
                formatDescription: frames),
            session.setupAudio(
                withSettings: audios.avcaptureSettingsDictionary(sampleBuffer: block), configuration: audios,
                formatDescription: blocks)
        else { throw NextLevelError.notReadyToRecord }
    }

    /// Appends a frame, and tries again while the encoder has no room: a movie is read faster than a camera delivers.
    private func append(frame: CMSampleBuffer) throws {
        for _ in 0..<10_000 {
            var isDone = false
            session.appendVideo(
                withSampleBuffer: frame, customImageBuffer: nil, minFrameDuration: CMTime(value: 1, timescale: 30)
            ) { isDone = $0 }
            if isDone { return }
            usleep(1_000)
        }
        throw NextLevelError.notReadyToRecord
    }

    /// Appends a block. The session itself appends a refused block again, before the next one.
    private func append(block: CMSampleBuffer) async throws {
        var tries = 0
        while !session.isAudioReady {
            tries += 1
            guard tries < 10_000 else { throw NextLevelError.notReadyToRecord }
            try await Task.sleep(nanoseconds: 1_000_000)
        }
        let session = self.session
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            session.appendAudio(withSampleBuffer: block) { _ in continuation.resume() }
        }
    }
}
