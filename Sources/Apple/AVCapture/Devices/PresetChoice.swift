import MediaTypes

/// Chooses a camera's format for a session's preset. A pure value.
struct PresetChoice {
    private enum Rule {
        case exactly(FrameSize)
        /// The largest size with at most this area, else the smallest.
        case atMost(FrameSize)
        case largest
        case unchanged
    }

    private let rule: Rule

    init?(_ preset: AVCaptureSessionPreset) {
        switch preset {
        case .high: rule = .atMost(FrameSize(1920, 1080))
        case .medium: rule = .atMost(FrameSize(640, 480))
        case .low: rule = .atMost(FrameSize(352, 288))
        case .photo: rule = .largest
        case .inputPriority: rule = .unchanged
        case .qvga320x240: rule = .exactly(FrameSize(320, 240))
        case .cif352x288: rule = .exactly(FrameSize(352, 288))
        case .vga640x480: rule = .exactly(FrameSize(640, 480))
        case .qHD960x540, .iFrame960x540: rule = .exactly(FrameSize(960, 540))
        case .hd1280x720, .iFrame1280x720: rule = .exactly(FrameSize(1280, 720))
        case .hd1920x1080: rule = .exactly(FrameSize(1920, 1080))
        case .hd4K3840x2160: rule = .exactly(FrameSize(3840, 2160))
        default: return nil
        }
    }

    /// Returns the index of the format for the preset; nil if no format fits, or if the preset changes nothing.
    ///
    /// Several formats may have the same size. Formats with at least 24 frames a second are preferred. Among these, raw
    /// frames are preferred to JPEG, and JPEG to H.264. Among equal formats, the first in the list is used.
    func place(in formats: [DeviceFormat]) -> Int? {
        let sizes = formats.compactMap(\.size)
        let wanted: FrameSize?
        switch rule {
        case .unchanged: return nil
        case .exactly(let size): wanted = size
        case .largest: wanted = sizes.max { $0.area < $1.area }
        case .atMost(let most):
            // If the camera's largest sizes have less than 24 frames a second, a smaller size is used.
            let quick = formats.filter { Self.isQuick($0) }.compactMap(\.size)
            let candidates = quick.isEmpty ? sizes : quick
            wanted =
                candidates.filter { $0.area <= most.area }.max { $0.area < $1.area }
                ?? candidates.min { $0.area < $1.area }
        }
        let fitting = formats.indices.filter { formats[$0].size == wanted && wanted != nil }
        return fitting.min { key(formats[$0], $0).lexicographicallyPrecedes(key(formats[$1], $1)) }
    }

    /// True if the preset leaves the active formats unchanged, so that every session can have it.
    var changesNothing: Bool { if case .unchanged = rule { true } else { false } }

    private static func isQuick(_ format: DeviceFormat) -> Bool {
        format.rates.isEmpty || (format.fastest ?? FrameRate(1)) >= FrameRate(24)
    }

    private func key(_ format: DeviceFormat, _ place: Int) -> [Int] {
        let kind =
            switch format.pixelFormat {
            case .h264, .hevc: 2
            case .mjpeg: 1
            case .nv12, .i420, .yuyv, .uyvy, nil: 0
            }
        return [Self.isQuick(format) ? 0 : 1, kind, place]
    }
}
