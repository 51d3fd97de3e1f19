import AssetIO
import Dispatch
import Foundation
import MediaTypes

// Re-encodes a movie with the engine's own names, as Tests/Compat/Cost/Sources/ThroughNames does with AVFoundation's.

let paths = CommandLine.arguments.dropFirst().map { URL(fileURLWithPath: $0) }
let asset = Asset(url: paths[0])
let reader = try AssetReader(asset: asset)
let writer = try AssetWriter(outputURL: paths[1], fileType: .mov)
var pairs: [(TrackOutput, AssetWriterInput)] = []
for track in try asset.loadNow(.tracks) {
    let (read, write): (TrackOutput.Settings, OutputSettings)
    switch track.mediaType {
    case .video:
        read = .pixels(.nv12)
        write = .video(VideoSettings(width: 640, height: 360, rateControl: .bitRate(1_000_000)))
    case .audio:
        read = .pcm(TrackOutput.PCM(.float32))
        write = .audio(AudioSettings(codec: .aac, sampleRate: 44_100, channelCount: 2, bitRate: 96_000))
    default: continue
    }
    let output = try TrackOutput(track: track, outputSettings: read)
    let input = try AssetWriterInput(mediaType: track.mediaType, outputSettings: write)
    try reader.add(output)
    try writer.add(input)
    pairs.append((output, input))
}
try reader.startReading()
try writer.startWriting()
try writer.startSession(atSourceTime: .zero)
let group = DispatchGroup()
for (number, (output, input)) in pairs.enumerated() {
    group.enter()
    try input.requestMediaDataWhenReady(on: DispatchQueue(label: "track \(number)")) {
        while input.isReadyForMoreMediaData {
            guard let sample = output.copyNextSampleBuffer(), (try? input.append(sample)) == true else {
                input.markAsFinished()
                return group.leave()
            }
        }
    }
}
group.wait()
try writer.finishWritingNow()
if let error = reader.error { throw error }
