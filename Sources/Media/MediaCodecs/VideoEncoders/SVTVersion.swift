import Glibc

/// The version of the SVT-AV1 library that libavcodec uses.
struct SVTVersion {
    let major: Int
    let minor: Int

    /// The version of the loaded library; nil if it is unknown.
    static let loaded: SVTVersion? = {
        // libavcodec links the library, but has no function that returns its version.
        guard let function = dlsym(nil, "svt_av1_get_version") else { return nil }
        typealias Version = @convention(c) () -> UnsafePointer<CChar>?
        return unsafeBitCast(function, to: Version.self)().flatMap { SVTVersion(String(cString: $0)) }
    }()

    /// Parses a text such as `v2.3.0`; nil if it is no version.
    init?(_ text: String) {
        let numbers = text.drop { $0 == "v" }.split(separator: ".").map { Int($0.prefix(while: \.isNumber)) }
        guard numbers.count >= 2, let major = numbers[0], let minor = numbers[1] else { return nil }
        (self.major, self.minor) = (major, minor)
    }

    /// True if an encoder without any frame can be drained and closed. Version 1.4.1 would block forever, and 2.3 does
    /// not. In 2.3, a frame must not be encoded only to close the encoder: this may block forever if encoders with other
    /// presets were opened meanwhile.
    var closesUnusedEncoders: Bool { (major, minor) >= (2, 3) }

    /// The fastest preset of an encoder that keeps frames in their order.
    ///
    /// With 2.3, faster ones encode blocks whose brightness changes as if they did not change, for example when a lamp
    /// is switched on. At preset 11, the average pixel of such a frame is wrong by 16 of 255 levels at a rate factor of
    /// 34, and by 69 at 28. Versions 1.4.1 and 4.2 have no such defect; versions between 2.3 and 4.2 were not measured.
    var fastestOrderedPreset: Int { (2, 0) <= (major, minor) && (major, minor) < (4, 2) ? 7 : 13 }

    /// True if an encoder that keeps frames in their order supports a constant bit rate only.
    var hasOnlyConstantRateInOrder: Bool { major >= 2 }
}
