import AVFoundation
import Foundation

// cloudinary_ios SOURCE TARGET PRESET [WIDTH HEIGHT]
let arguments = CommandLine.arguments
guard arguments.count == 4 || arguments.count == 6 else {
    FileHandle.standardError.write(Data("cloudinary_ios SOURCE TARGET PRESET [WIDTH HEIGHT]\n".utf8))
    exit(64)
}

// The program removes its source.
let target = URL(fileURLWithPath: arguments[2])
let copy = target.appendingPathExtension("source.mov")
try? FileManager.default.removeItem(at: copy)
try FileManager.default.copyItem(at: URL(fileURLWithPath: arguments[1]), to: copy)

let transcode = CLDVideoTranscode(sourceURL: copy)
guard transcode.hasVideoTrack else {
    print("no video track")
    exit(1)
}
try transcode.setOutputFormat(format: .mp4)
transcode.setCompressionPreset(preset: arguments[3])
if arguments.count == 6, let width = Int(arguments[4]), let height = Int(arguments[5]) {
    transcode.setOutputDimensions(dimensions: CGSize(width: width, height: height))
}
transcode.transcode { isDone, error in
    guard isDone, let made = transcode.outputURL else {
        print("failed: \(String(describing: error))")
        exit(1)
    }
    do {
        try FileManager.default.moveItem(at: made, to: target)
        try FileManager.default.removeItem(at: copy)
        exit(0)
    } catch {
        print("failed: \(error)")
        exit(1)
    }
}
dispatchMain()
