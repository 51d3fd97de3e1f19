import Foundation
import MediaTypes

@testable import AVFoundation

/// The engine's layouts, in a separate file because `MediaTypes` and `AVFoundation` both have a `FourCharCode`.
enum ChannelLayoutsKnown {
    static let all = ChannelLayout.allCases

    static func read(_ bytes: Data, isPCM: Bool = true) -> ChannelLayout? {
        ChannelLayout(coreAudio: bytes, isPCM: isPCM)
    }
}
