import Foundation

// Declarations in files and packages of the program that are not compiled here.

public enum CaptureMode {
    case screen
}

public struct CaptureMetadata {
    public let size: CGSize
    public let mode: CaptureMode
    public let videoTimestampMs: Int?
    public let applicationInfo: String?
    public let windowInfo: String?
    public let displayInfo: String?
    public let timestamp: Date
}

enum PeekabooError: Error {
    case captureFailed(reason: String)
}
