public import Foundation
import MediaCodecs
import MediaTypes
import RealTime

/// An image file that a program writes (Image I/O). `CGImageDestinationCreateWithURL` creates it,
/// `CGImageDestinationAddImage` sets the image, and `CGImageDestinationFinalize` writes the file.
///
/// Supports PNG and JPEG files with a single image. JPEG has no transparency, so it stores the image on black.
public final class CGImageDestination: Sendable {
    enum Place: Sendable {
        case file(URL)
        case memory(Target)
    }

    struct Target: @unchecked Sendable {
        // Unchecked: only the caller uses it until `CGImageDestinationFinalize`, which writes to it once, on the
        // caller's thread.
        let data: NSMutableData
    }

    private struct Content {
        var image: CGImage?
        var quality = 90
        /// The orientation to store, 1 to 8.
        var orientation: UInt8?
        var isFinished = false
    }

    private let place: Place
    private let format: StillImageFormat
    private let content = Locked(Content())

    init?(_ place: Place, type: CFString, count: Int) {
        guard count == 1 else { return nil }
        switch type {
        case "public.png": format = .png
        case "public.jpeg": format = .jpeg
        default: return nil
        }
        self.place = place
    }

    func add(_ image: CGImage, quality: Double?, orientation: Int?) {
        content.withLock {
            guard $0.image == nil else { return }
            $0.image = image
            $0.orientation = orientation.flatMap { (1...8).contains($0) ? UInt8($0) : nil }
            if let quality, !quality.isNaN { $0.quality = Int(clamping: (min(max(0, quality), 1) * 99).rounded()) + 1 }
        }
    }

    func finish() -> Bool {
        let content = content.withLock { content in
            defer { content.isFinished = true }
            return content
        }
        guard !content.isFinished, let image = content.image else { return false }
        let keepsAlpha = format == .png && image.hasAlpha
        guard let pixels = keepsAlpha ? image.straightPixels : image.pixelsOnBlack,
            let encoded = try? StillImageEncoder().encode(
                pixels, as: format, quality: content.quality, keepsAlpha: keepsAlpha)
        else { return false }
        var file = Data(encoded.bytes)
        if format == .jpeg, let orientation = content.orientation {
            file = Data(ExifOrientation.stored(orientation, inJPEG: Array(file)))
        }
        switch place {
        case .file(let url):
            return (try? file.write(to: url, options: .atomic)) != nil
        case .memory(let memory):
            memory.data.append(file)
            return true
        }
    }
}

/// The JPEG quality, 0 to 1; a property for `CGImageDestinationAddImage`.
public let kCGImageDestinationLossyCompressionQuality: CFString = "kCGImageDestinationLossyCompressionQuality"

/// - Parameters:
///   - type: the file type, `public.png` or `public.jpeg`.
///   - count: the number of images, 1.
/// - Returns: nil for any other type or count, and for a URL that is not a file URL.
public func CGImageDestinationCreateWithURL(
    _ url: CFURL, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
    guard url.isFileURL, let path = url.path else { return nil }
    return CGImageDestination(.file(URL(fileURLWithPath: path)), type: type, count: count)
}

/// Creates a destination in memory. The data must not be used elsewhere until `CGImageDestinationFinalize` has
/// returned.
public func CGImageDestinationCreateWithData(
    _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
    CGImageDestination(.memory(.init(data: data)), type: type, count: count)
}

/// Sets the image of the file. Later calls have no effect.
///
/// - Parameter properties: `kCGImageDestinationLossyCompressionQuality` and `kCGImagePropertyOrientation`, which both
///   apply to JPEG only; other properties have no effect.
public func CGImageDestinationAddImage(
    _ destination: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?
) {
    let quality = properties?[kCGImageDestinationLossyCompressionQuality].flatMap { settingsNumber($0) }
    let orientation = properties?[kCGImagePropertyOrientation].flatMap { settingsNumber($0) }
    destination.add(image, quality: quality?.double, orientation: orientation?.integer)
}

/// Compresses the image and writes the file. Blocks meanwhile, for about 10 ms for a JPEG of 1920×1080.
///
/// - Returns: true if the file was written.
@discardableResult
public func CGImageDestinationFinalize(_ destination: CGImageDestination) -> Bool { destination.finish() }
