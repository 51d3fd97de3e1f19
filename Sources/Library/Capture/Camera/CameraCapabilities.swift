public import MediaTypes

/// The formats a camera reports, with their sizes and the frame rates of each size. A plain value.
///
/// Source: the enumeration ioctls of the Linux media API (VIDIOC_ENUM_FMT, VIDIOC_ENUM_FRAMESIZES,
/// VIDIOC_ENUM_FRAMEINTERVALS).
public struct CameraCapabilities: Sendable, Hashable {
    public var formats: [Format]
    /// Codes of formats that the camera also offers but this program cannot read, such as `BA81`.
    public var unreadFormats: [String]

    public init(formats: [Format], unreadFormats: [String] = []) {
        self.formats = formats
        self.unreadFormats = unreadFormats
    }

    public struct Format: Sendable, Hashable {
        public var pixelFormat: CameraPixelFormat
        /// True if libv4l2 converts a vendor's format to this format, because the driver does not deliver it.
        public var isEmulated: Bool
        public var sizes: [SizeRange]

        public init(_ pixelFormat: CameraPixelFormat, isEmulated: Bool = false, sizes: [SizeRange]) {
            self.pixelFormat = pixelFormat
            self.isEmulated = isEmulated
            self.sizes = sizes
        }
    }

    /// Numbers from a minimum to a maximum in equal steps; a single number if both are equal.
    public struct Steps: Sendable, Hashable {
        public var minimum: Int
        public var maximum: Int
        public var step: Int

        public init(_ minimum: Int, _ maximum: Int, step: Int = 1) {
            self.minimum = minimum
            self.maximum = max(minimum, maximum)
            self.step = max(1, step)
        }

        public func contains(_ value: Int) -> Bool { nearest(to: value) == value }

        /// Returns the allowed number that is closest to `value`.
        public func nearest(to value: Int) -> Int {
            let inside = min(max(value, minimum), maximum)
            let below = minimum + (inside - minimum) / step * step
            let above = below + step
            return above <= maximum && above - inside < inside - below ? above : below
        }
    }

    /// One size, or all sizes of a grid (V4L2_FRMSIZE_TYPE_STEPWISE and _CONTINUOUS).
    public struct SizeRange: Sendable, Hashable {
        public var widths: Steps
        public var heights: Steps
        /// The frame rates of the sizes that were queried. A range of one size has one entry.
        public var rates: [FrameSize: FrameRates]

        public init(widths: Steps, heights: Steps, rates: [FrameSize: FrameRates] = [:]) {
            self.widths = widths
            self.heights = heights
            self.rates = rates
        }

        /// Creates a range with one size.
        public init(_ size: FrameSize, _ rates: FrameRates) {
            self.init(
                widths: Steps(size.width, size.width), heights: Steps(size.height, size.height), rates: [size: rates])
        }

        public var isSingle: Bool { widths.minimum == widths.maximum && heights.minimum == heights.maximum }

        public func contains(_ size: FrameSize) -> Bool { widths.contains(size.width) && heights.contains(size.height) }

        public func nearest(to size: FrameSize) -> FrameSize {
            FrameSize(widths.nearest(to: size.width), heights.nearest(to: size.height))
        }

        /// Returns the rates of `size`. If `size` was not queried, returns the rates of the smallest larger size that
        /// was queried.
        func rates(at size: FrameSize) -> FrameRates {
            if let known = rates[size] { return known }
            let larger = rates.filter { $0.key.width >= size.width && $0.key.height >= size.height }
            return larger.min { $0.key.area < $1.key.area }?.value ?? .unknown
        }

        /// The sizes to choose from if the request names no size.
        var choices: [FrameSize] {
            rates.isEmpty ? [FrameSize(widths.maximum, heights.maximum)] : rates.keys.filter(contains)
        }
    }

    /// The frame rates of one size of one format.
    public enum FrameRates: Sendable, Hashable {
        case listed([FrameRate])
        /// Any rate between the two (V4L2_FRMIVAL_TYPE_STEPWISE and _CONTINUOUS); the driver rounds a request to a rate
        /// that it supports.
        case range(slowest: FrameRate, fastest: FrameRate)
        /// The driver does not report rates.
        case unknown

        /// Returns the rate closest to `wanted`; nil if the driver does not report rates.
        func nearest(to wanted: FrameRate) -> FrameRate? {
            switch self {
            case .listed(let rates):
                rates.min {
                    abs($0.framesPerSecond - wanted.framesPerSecond) < abs($1.framesPerSecond - wanted.framesPerSecond)
                }
            case .range(let slowest, let fastest): min(max(wanted, slowest), fastest)
            case .unknown: nil
            }
        }

        /// Returns the rate closest to `wanted` among those of at least `minimum` frames per second; the fastest rate
        /// if all are slower.
        func preferred(_ wanted: FrameRate, atLeast minimum: Int32) -> FrameRate? {
            switch self {
            case .listed(let rates):
                FrameRates.listed(rates.filter { $0 >= FrameRate(minimum) }).nearest(to: wanted) ?? rates.max()
            case .range, .unknown: nearest(to: wanted)
            }
        }
    }
}
