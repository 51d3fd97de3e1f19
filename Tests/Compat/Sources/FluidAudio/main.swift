import AVFoundation
import Foundation

// fluidaudio file|track SOURCE TARGET: converts to 16 kHz mono, from an audio file or from a track's sample buffers
let arguments = CommandLine.arguments
guard arguments.count == 4 else {
    FileHandle.standardError.write(Data("fluidaudio file|track SOURCE TARGET\n".utf8))
    exit(64)
}

let converter = AudioConverter()
var samples: [Float] = []
if arguments[1] == "file" {
    samples = try converter.resampleAudioFile(path: arguments[2])
} else {
    let asset = AVURLAsset(url: URL(fileURLWithPath: arguments[2]))
    let tracks = try await asset.loadTracks(withMediaType: .audio)
    let output = AVAssetReaderTrackOutput(track: tracks[0], outputSettings: [AVFormatIDKey: kAudioFormatLinearPCM])
    let reader = try AVAssetReader(asset: asset)
    reader.add(output)
    reader.startReading()
    while let buffer = output.copyNextSampleBuffer() { samples += try converter.resampleSampleBuffer(buffer) }
    if let error = reader.error { throw error }
}
try AudioWAV.data(from: samples, sampleRate: 16_000).write(to: URL(fileURLWithPath: arguments[3]))
