import AssetIO
public import Foundation
import MediaTypes
import RealTime

/// A picture's file that is being made (Image I/O): `CGImageDestinationCreateWithURL`, `CGImageDestinationAddImage`, and
/// `CGImageDestinationFinalize`, which writes it.
///
/// Files of one picture in PNG and JPEG are written; transparency is left out.
public final class CGImageDestination: Sendable {
    enum Place: Sendable {
        case file(URL)
        case memory(Target)
    }

    struct Target: @unchecked Sendable {
        // Unchecked: the caller's until `CGImageDestinationFinalize`, which writes to it on the caller's thread and once.
        let data: NSMutableData
    }

    private struct Content {
        var image: CGImage?
        var quality = 90
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

    func add(_ image: CGImage, quality: Double?) {
        content.withLock {
            guard $0.image == nil else { return }
            $0.image = image
            if let quality, !quality.isNaN { $0.quality = Int(clamping: (min(max(0, quality), 1) * 99).rounded()) + 1 }
        }
    }

    func finish() -> Bool {
        let content = content.withLock { content in
            defer { content.isFinished = true }
            return content
        }
        guard !content.isFinished, let pixels = content.image?.pixels,
            let file = try? pixels.encoded(as: format, quality: content.quality)
        else { return false }
        switch place {
        case .file(let url):
            return (try? Data(file.bytes).write(to: url, options: .atomic)) != nil
        case .memory(let memory):
            memory.data.append(Data(file.bytes))
            return true
        }
    }
}

/// 0 to 1, for JPEG; among the properties of `CGImageDestinationAddImage`.
public let kCGImageDestinationLossyCompressionQuality: CFString = "kCGImageDestinationLossyCompressionQuality"

/// - Parameters:
///   - type: `public.png` or `public.jpeg`.
///   - count: 1.
/// - Returns: nil for another type or count, and for what is no file.
public func CGImageDestinationCreateWithURL(
    _ url: CFURL, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
    guard url.isFileURL, let path = url.path else { return nil }
    return CGImageDestination(.file(URL(fileURLWithPath: path)), type: type, count: count)
}

/// The same into memory. The data must not be used elsewhere until `CGImageDestinationFinalize` has returned.
public func CGImageDestinationCreateWithData(
    _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
    CGImageDestination(.memory(.init(data: data)), type: type, count: count)
}

/// The first image is kept; later ones are not.
public func CGImageDestinationAddImage(
    _ destination: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?
) {
    let quality = properties?[kCGImageDestinationLossyCompressionQuality].flatMap { settingsNumber($0) }
    destination.add(image, quality: quality?.double)
}

/// Writes the file; blocks while it is compressed, some 10 ms for a JPEG of 1920×1080.
///
/// - Returns: whether it is there.
@discardableResult
public func CGImageDestinationFinalize(_ destination: CGImageDestination) -> Bool { destination.finish() }
