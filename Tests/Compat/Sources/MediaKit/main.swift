import AVFoundation
import Foundation

// MediaKit merge TARGET SOURCE …
// MediaKit appleLossless|aac|linearPCM TARGET SOURCE
let arguments = CommandLine.arguments
guard arguments.count >= 4 else {
    FileHandle.standardError.write(Data("MediaKit merge|appleLossless|aac|linearPCM TARGET SOURCE …\n".utf8))
    exit(64)
}

let target = FinderItem(at: URL(fileURLWithPath: arguments[2]))
let sources = arguments.dropFirst(3).map { FinderItem(at: URL(fileURLWithPath: $0)) }
if let codec = AudioFile.Codec(rawValue: arguments[1]) {
    guard let type = codec.fileTypes.first(where: { $0.extension == target.url.pathExtension }) else {
        print("\(codec) is not stored in \(target.url.lastPathComponent)")
        exit(64)
    }
    try await AudioFile(at: sources[0]).export(to: target, codec: codec, fileType: type)
} else {
    try await AVAsset.merge(videos: sources, to: target)
}
