import CTurboJPEG
import MediaTypes

/// Encodes JPEG files with TurboJPEG. Called by one thread at a time.
final class StillImageJPEG {
    /// The chroma subsampling, the same as in the source format of the image.
    enum ChromaSampling {
        case full, half, quarter

        init(_ source: PixelFormat) {
            switch source {
            case .bgra, .argb, .rgba, .rgb24, .gray8: self = .full
            case .i422, .yuyv, .uyvy, .i210: self = .half
            case .i420, .nv12, .i010, .p010: self = .quarter
            }
        }

        fileprivate var code: Int32 {
            switch self {
            case .full: Int32(TJSAMP_444.rawValue)
            case .half: Int32(TJSAMP_422.rawValue)
            case .quarter: Int32(TJSAMP_420.rawValue)
            }
        }
    }

    private let handle: tjhandle

    init() throws(MediaError) {
        guard let handle = tjInitCompress() else {
            throw MediaError(.codecFailure, "cannot open the JPEG encoder", reason: "out of memory")
        }
        self.handle = handle
    }

    deinit { tjDestroy(handle) }

    /// - Parameter image: an image in `bgra`.
    func encode(
        _ image: PixelBuffer, quality: Int, sampling: ChromaSampling
    ) throws(MediaError) -> MediaData {
        var bytes: UnsafeMutablePointer<UInt8>?
        var count: UInt = 0
        let result = tjCompress2(
            handle, image.plane(0).bindMemory(to: UInt8.self).baseAddress, Int32(clamping: image.width),
            Int32(clamping: image.layout.planes[0].bytesPerRow), Int32(clamping: image.height),
            Int32(TJPF_BGRX.rawValue), &bytes, &count, sampling.code, Int32(quality), 0)
        guard result == 0, let bytes else {
            tjFree(bytes)
            throw MediaError(
                .codecFailure, "cannot write a JPEG of \(image.width)×\(image.height)",
                reason: String(cString: tjGetErrorStr2(handle)),
                underlying: .other("TurboJPEG", tjGetErrorCode(handle)))
        }
        let address = UInt(bitPattern: bytes)
        return MediaData(borrowing: UnsafeRawBufferPointer(start: bytes, count: Int(clamping: count))) {
            tjFree(UnsafeMutablePointer<UInt8>(bitPattern: address))
        }
    }
}
