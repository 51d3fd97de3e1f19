import AVFoundation
import Foundation
import VideoToolbox

// Transcoding SOURCE TARGET: encodes the frames of a movie, writes the packets, and decodes them again
let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    FileHandle.standardError.write(Data("Transcoding SOURCE TARGET\n".utf8))
    exit(64)
}

func encoded(_ source: URL) async throws -> [CMSampleBuffer] {
    let asset = AVURLAsset(url: source)
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(
        track: try await asset.loadTracks(withMediaType: .video)[0],
        outputSettings: [
            kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
        ])
    reader.add(output)
    reader.startReading()
    let encoder = VideoEncoder(config: VideoEncoder.Config())
    let packets = encoder.encodedSampleBuffers
    while let frame = output.copyNextSampleBuffer() { encoder.encode(frame) }
    encoder.encodingQueue.sync {
        if let session = encoder.compressionSession {
            VTCompressionSessionCompleteFrames(session, untilPresentationTimeStamp: .invalid)
        }
    }
    for continuation in encoder.continuations.values { continuation.finish() }
    return await packets.reduce(into: []) { $0.append($1) }
}

func write(_ packets: [CMSampleBuffer], to target: URL) async throws {
    let writer = try AVAssetWriter(outputURL: target, fileType: .mov)
    let input = AVAssetWriterInput(
        mediaType: .video, outputSettings: nil, sourceFormatHint: packets.first?.formatDescription)
    writer.add(input)
    writer.startWriting()
    writer.startSession(atSourceTime: .zero)
    for packet in packets {
        while !input.isReadyForMoreMediaData { try await Task.sleep(nanoseconds: 1_000_000) }
        input.append(packet)
    }
    input.markAsFinished()
    await writer.finishWriting()
    if let error = writer.error { throw error }
}

func decoded(_ packets: [CMSampleBuffer]) async -> [CMSampleBuffer] {
    let decoder = VideoDecoder(config: VideoDecoder.Config())
    let frames = decoder.decodedSampleBuffers
    if let description = packets.first?.formatDescription { decoder.setFormatDescription(description) }
    for packet in packets { decoder.decode(packet) }
    decoder.decodingQueue.sync {
        if let session = decoder.decompressionSession {
            VTDecompressionSessionFinishDelayedFrames(session)
            VTDecompressionSessionWaitForAsynchronousFrames(session)
        }
    }
    for continuation in decoder.continuations.values { continuation.finish() }
    return await frames.reduce(into: []) { $0.append($1) }
}

let packets = try await encoded(URL(fileURLWithPath: arguments[1]))
try await write(packets, to: URL(fileURLWithPath: arguments[2]))
let frames = await decoded(packets)
let size = frames.first?.imageBuffer.map { "\(CVPixelBufferGetWidth($0))x\(CVPixelBufferGetHeight($0))" }
print("packets \(packets.count)")
print("frames \(frames.count) \(size ?? "")")
