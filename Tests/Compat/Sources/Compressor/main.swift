import AVFoundation
import Foundation

// compressor SOURCE TARGET
let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    FileHandle.standardError.write(Data("compressor SOURCE TARGET\n".utf8))
    exit(64)
}

let video = LightCompressor.Video(
    source: URL(fileURLWithPath: arguments[1]), destination: URL(fileURLWithPath: arguments[2]),
    configuration: .init(quality: .low))
let compression = LightCompressor().compressVideo(videos: [video], progressHandler: nil) { result in
    switch result {
    case .onStart: print("began")
    case .onSuccess: exit(0)
    case .onFailure(_, let error):
        print("failed: \(error.title)")
        exit(1)
    case .onCancelled: exit(2)
    }
}
withExtendedLifetime(compression) { dispatchMain() }
