import AVFoundation
import Foundation

// videoio export SOURCE TARGET h264|hevc WIDTH HEIGHT
// videoio merge TARGET SOURCE…
// videoio gray SOURCE TARGET: every frame becomes a gray one, by makeSampleBufferByReplacingImageBuffer
let arguments = Array(CommandLine.arguments.dropFirst())

func end(_ error: (any Error)?) {
    if let error { print("failed: \(error)") }
    exit(error == nil ? 0 : 1)
}

func export(_ source: URL, to target: URL, codec: String, size: CGSize) throws {
    let video: VideoSettings =
        codec == "hevc"
        ? .hevc(videoSize: size, averageBitRate: 1_000_000) : .h264(videoSize: size, averageBitRate: 1_000_000)
    let session = try AssetExportSession(
        asset: AVURLAsset(url: source), outputURL: target,
        configuration: .init(
            fileType: AssetExportSession.fileType(for: target) ?? .mov, videoSettings: video,
            audioSettings: .aac(channels: 2, sampleRate: 44_100, bitRate: 128_000)))
    session.export(progress: nil, completion: end)
}

func makeGray(_ source: URL, to target: URL) throws {
    let asset = AVURLAsset(url: source)
    let (size, track) = (asset.naturalVideoSize ?? .zero, asset.tracks(withMediaType: .video)[0])
    let reader = try AVAssetReader(asset: asset)
    let output = AVAssetReaderTrackOutput(
        track: track, outputSettings: [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA])
    reader.add(output)
    let writer = try AVAssetWriter(outputURL: target, fileType: .mov)
    let input = AVAssetWriterInput(
        mediaType: .video,
        outputSettings: VideoSettings.h264(videoSize: size, averageBitRate: 1_000_000).toDictionary())
    writer.add(input)
    reader.startReading()
    writer.startWriting()
    writer.startSession(atSourceTime: .zero)
    var made: CVPixelBuffer?
    CVPixelBufferCreate(nil, Int(size.width), Int(size.height), kCVPixelFormatType_32BGRA, nil, &made)
    guard let gray = made, let pixels = CVPixelBufferGetBaseAddress(gray) else { return end(writer.error) }
    memset(pixels, 200, CVPixelBufferGetBytesPerRow(gray) * Int(size.height))
    while let sample = output.copyNextSampleBuffer() {
        while !input.isReadyForMoreMediaData { usleep(1_000) }
        guard
            let replaced = SampleBufferUtilities.makeSampleBufferByReplacingImageBuffer(of: sample, with: gray),
            input.append(replaced)
        else { break }
    }
    input.markAsFinished()
    writer.finishWriting { end(reader.error ?? writer.error) }
}

let urls = arguments.dropFirst().map { URL(fileURLWithPath: $0) }
do {
    switch (arguments.first, arguments.count) {
    case ("export", 6):
        let size = CGSize(width: Int(arguments[4]) ?? 0, height: Int(arguments[5]) ?? 0)
        try export(urls[0], to: urls[1], codec: arguments[3], size: size)
    case ("merge", 3...): MovieMerger.merge(Array(urls.dropFirst()), to: urls[0], completion: end)
    case ("gray", 3): try makeGray(urls[0], to: urls[1])
    default:
        FileHandle.standardError.write(Data("videoio export|merge|gray …\n".utf8))
        exit(64)
    }
} catch {
    end(error)
}
dispatchMain()
