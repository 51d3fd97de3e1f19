import AVFoundation
import Foundation

// peekaboo SOURCE TARGET FPS LONGEST: samples frames of a movie, no side longer than LONGEST, and writes them to another
let arguments = CommandLine.arguments
guard arguments.count == 5, let fps = Double(arguments[3]), let longest = Double(arguments[4]) else {
    FileHandle.standardError.write(Data("peekaboo SOURCE TARGET FPS LONGEST\n".utf8))
    exit(64)
}

let source = try await VideoFrameSource(
    url: URL(fileURLWithPath: arguments[1]), sampleFps: fps, everyMs: nil, startMs: nil, endMs: nil,
    resolutionCap: CGFloat(longest))
var writer: VideoWriter?
var count = 0
while let frame = try await source.nextFrame() {
    guard let image = frame.cgImage else { continue }
    if writer == nil {
        writer = try VideoWriter(
            outputPath: arguments[2], width: image.width, height: image.height, fps: source.effectiveFPS)
    }
    try writer?.append(image: image)
    count += 1
    // The program leaves out a frame if its writer is not ready.
    try await Task.sleep(for: .milliseconds(20))
}
try await writer?.finish()
print("frames \(count)")
