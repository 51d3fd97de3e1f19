import AVFoundation
import Foundation

// Declarations in files of the program that are not compiled here.

// swift-format-ignore: AlwaysUseLowerCamelCase
func Log(_ items: Any?...) {
    let words = items.map { $0.map { "\($0)" } ?? "nil" }.joined(separator: " ")
    FileHandle.standardError.write(Data("\(words)\n".utf8))
}

extension AVURLAsset {
    var audioFormat: AVAudioFormat? { (try? AVAudioFile(forReading: url))?.fileFormat }
}
