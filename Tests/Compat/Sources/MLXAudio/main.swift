import AVFoundation
import Foundation

// mlxaudio SOURCE TARGET: writes the audio as 32-bit floating point, 16 kHz, one channel
let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    FileHandle.standardError.write(Data("mlxaudio SOURCE TARGET\n".utf8))
    exit(64)
}

let samples = try await UserInput.Audio.url(URL(fileURLWithPath: arguments[1])).asMLXArray()
try samples.data.write(to: URL(fileURLWithPath: arguments[2]))
print("samples \(samples.shape[0])")
