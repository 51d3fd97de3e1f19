// Cameras are in a module of their own here; the program imports AVFoundation alone.
@_exported import AVCapture
import Foundation

// Declarations in Combine, in Core Image, and in files of the program that are not compiled here.

/// Nothing observes the objects here.
protocol ObservableObject: AnyObject {}

@propertyWrapper struct Published<Value> {
    var wrappedValue: Value
}

final class CIImage: @unchecked Sendable {
    // Unchecked: immutable, and no program changes the frame.
    let pixelBuffer: CVPixelBuffer

    init(cvPixelBuffer: CVPixelBuffer) { pixelBuffer = cvPixelBuffer }
}

struct Logger {
    static let capture = Logger()
    static let recording = Logger()

    func debug(_ message: String) {}
    func info(_ message: String) { print(message) }
    func warning(_ message: String) { print(message) }
    func error(_ message: String) { print(message) }
}

enum IntegrationLevel {
    case one
}

/// Passes every frame on to the recording.
final class FrameProcessor {
    @MainActor static var forward: ((CVPixelBuffer) -> Void)?

    init(width: Int, height: Int, integrationLevel: IntegrationLevel) {}

    func setIntegrationLevel(_ level: IntegrationLevel) {}

    func process(pixelBuffer: CVPixelBuffer) -> CIImage {
        let image = CIImage(cvPixelBuffer: pixelBuffer)
        Task { @MainActor in Self.forward?(image.pixelBuffer) }
        return image
    }
}
