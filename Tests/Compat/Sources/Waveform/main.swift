import AVFoundation
import Foundation

// waveform SOURCE BINS: prints a line with the loudness of each bin
let arguments = CommandLine.arguments
guard arguments.count == 3, let bins = Int(arguments[2]) else {
    FileHandle.standardError.write(Data("waveform SOURCE BINS\n".utf8))
    exit(64)
}

let source = FDWaveformAudioDataSource(audioURL: URL(fileURLWithPath: arguments[1]))
let count = await source.numberOfSamples()
print("samples \(count)")
print("first \(await source.samples(in: 0..<min(count, 1000)).count)")
for value in await source.maximums(from: 0..<count, numberOfBins: bins) { print(value) }
