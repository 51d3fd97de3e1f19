import AVFoundation

// Re-encodes a movie with AVFoundation's names, as Tests/Compat/Cost/Sources/ThroughEngine does with the engine's.

let paths = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
let asset = AVURLAsset(url: paths[0])
let reader = try AVAssetReader(asset: asset)
let writer = try AVAssetWriter(outputURL: paths[1], fileType: .mov)
let settings: [AVMediaType: (read: [String: Any], write: [String: Any])] = [
    .video: (
        [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange],
        [
            AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 640, AVVideoHeightKey: 360,
            AVVideoCompressionPropertiesKey: [AVVideoAverageBitRateKey: 1_000_000],
        ]
    ),
    .audio: (
        [
            AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMBitDepthKey: 32, AVLinearPCMIsFloatKey: true,
            AVLinearPCMIsNonInterleaved: false, AVLinearPCMIsBigEndianKey: false,
        ],
        [
            AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 2,
            AVEncoderBitRateKey: 96_000,
        ]
    ),
]
var pairs: [(AVAssetReaderTrackOutput, AVAssetWriterInput)] = []
for track in asset.tracks {
    guard let (read, write) = settings[track.mediaType] else { continue }
    let output = AVAssetReaderTrackOutput(track: track, outputSettings: read)
    output.alwaysCopiesSampleData = false
    let input = AVAssetWriterInput(mediaType: track.mediaType, outputSettings: write)
    reader.add(output)
    writer.add(input)
    pairs.append((output, input))
}
guard reader.startReading(), writer.startWriting() else {
    fatalError("\(String(describing: reader.error ?? writer.error))")
}
writer.startSession(atSourceTime: .zero)
let group = DispatchGroup()
for (number, (output, input)) in pairs.enumerated() {
    group.enter()
    // Each pair is used on its track's queue alone.
    nonisolated(unsafe) let (output, input) = (output, input)
    input.requestMediaDataWhenReady(on: DispatchQueue(label: "track \(number)")) {
        while input.isReadyForMoreMediaData {
            guard let sample = output.copyNextSampleBuffer(), input.append(sample) else {
                input.markAsFinished()
                return group.leave()
            }
        }
    }
}
group.wait()
let done = DispatchSemaphore(value: 0)
writer.finishWriting { done.signal() }
done.wait()
guard writer.status == .completed, reader.status == .completed else {
    fatalError("\(String(describing: reader.error ?? writer.error))")
}
